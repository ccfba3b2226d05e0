//! The list of public reports keeps its form: sorted, with known patterns, each with a faulty and a repaired program.

use std::collections::BTreeMap;

use overtake_data_models::reports::{PATTERNS, REPORTS};
use overtake_models::Expected;

#[test]
fn each_report_has_its_number_a_faulty_and_a_repaired_program() {
    assert!(REPORTS.is_sorted_by(|one, next| one.0 < next.0), "sorted by number, each once");
    for (id, pattern, scenarios) in REPORTS {
        assert!(PATTERNS.iter().any(|(name, _)| name == pattern), "{id}: no pattern {pattern}");
        let scenarios = scenarios();
        let named = |s: &overtake_models::Scenario| s.name().starts_with(&format!("{id} "));
        assert!(scenarios.iter().all(named), "{id}: names start with the number");
        let found = scenarios.iter().filter(|s| *s.expected() != Expected::Proved);
        let mut repairs = found.map(|s| s.repair().unwrap_or_else(|| panic!("{} names its repair", s.name())));
        let first = repairs.next().unwrap_or_else(|| panic!("{id}: nothing breaks"));
        for repair in std::iter::once(first).chain(repairs) {
            let repaired = scenarios.iter().find(|s| s.name() == repair);
            let repaired = repaired.unwrap_or_else(|| panic!("{id}: {repair} is in its list"));
            assert_eq!(*repaired.expected(), Expected::Proved, "{repair}");
        }
    }
}

#[test]
fn patterns_are_counted() {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, pattern, _) in REPORTS {
        *count.entry(pattern).or_default() += 1;
    }
    for (pattern, meaning) in PATTERNS {
        println!("{pattern:<4} {:>3}  {meaning}", count.get(pattern).unwrap_or(&0));
    }
    println!("{} reports, {} patterns", REPORTS.len(), count.len());
}
