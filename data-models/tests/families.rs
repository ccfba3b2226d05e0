//! The matrix of programs on data: nothing is missing.

use std::collections::BTreeSet;

use overtake_data_models::{all, scenarios};
use overtake_models::Expected;
use overtake_models::report::families;

/// Every scenario of the house that is no public report stands in one family, once, and each family has something that holds.
#[test]
fn every_scenario_is_in_the_matrix_once() {
    let everything = all();
    let families = families(&everything);
    let mut there: Vec<&str> = families.iter().flat_map(|(_, members)| members.iter().map(|s| s.name())).collect();
    let own: BTreeSet<String> = scenarios::all().iter().map(|s| s.name().to_owned()).collect();
    there.sort_unstable();
    assert_eq!(there, own.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, members) in &families {
        let right = members.iter().filter(|s| *s.expected() == Expected::Proved).count();
        println!("{name}: {} programs, {right} right", members.len());
        assert!(right > 0, "{name}: nothing of it holds");
    }
    assert!((15..60).contains(&families.len()), "{} families", families.len());
}

/// A faulty program stands right beneath its repair, or beneath another that the same one repairs.
#[test]
fn faulty_programs_stand_beneath_their_repair() {
    let everything = all();
    for (family, members) in families(&everything) {
        for (at, scenario) in members.iter().enumerate().filter(|(_, s)| *s.expected() != Expected::Proved) {
            let Some(repair) = scenario.repair().filter(|name| members.iter().any(|s| s.name() == *name)) else {
                continue;
            };
            let above = members[..at].iter().rev().find(|s| *s.expected() == Expected::Proved);
            assert_eq!(above.map(|s| s.name()), Some(repair), "{family}: {}", scenario.name());
        }
    }
}
