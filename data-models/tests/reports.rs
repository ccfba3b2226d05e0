//! The list of public reports keeps its form: sorted, with known patterns, each with a faulty and a repaired program.

use std::collections::BTreeMap;

use overtake_data_models::chapter::{CLASSES, chapter, class, found};
use overtake_data_models::reports::{DISPUTED, PATTERNS, REPORTS, TRAPS};
use overtake_models::Expected;

#[test]
fn each_report_has_its_number_a_faulty_and_a_repaired_program() {
    assert!(REPORTS.is_sorted_by(|one, next| one.0 < next.0), "sorted by number, each once");
    for (id, pattern, scenarios) in REPORTS {
        assert!(PATTERNS.iter().any(|(name, _)| name == pattern), "{id}: no pattern {pattern}");
        assert_ne!(class(id), "–", "{id}: no class");
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
fn each_trap_of_a_thread_is_a_scenario_that_breaks() {
    assert!(TRAPS.is_sorted_by_key(|(id, _)| id), "sorted by number");
    for (id, traps) in TRAPS {
        let Some((.., scenarios)) = REPORTS.iter().find(|(report, ..)| report == id) else { continue };
        let named = |s: &&overtake_models::Scenario| s.name().contains(", trap: ") && *s.expected() != Expected::Proved;
        let there = scenarios().iter().filter(named).count();
        assert!(there >= *traps, "{id}: {there} traps of {traps}");
    }
}

#[test]
fn the_disputed_are_in_the_list_and_leave_no_pattern_without_a_report() {
    let is_disputed = |id: &str| DISPUTED.iter().any(|(report, _)| *report == id);
    for (id, _) in DISPUTED {
        assert!(REPORTS.iter().any(|(report, ..)| report == id), "{id} is modelled");
    }
    for (_, pattern, _) in REPORTS.iter().filter(|(id, ..)| is_disputed(id)) {
        let counts = REPORTS.iter().any(|(id, p, _)| p == pattern && !is_disputed(id));
        assert!(counts, "{pattern} has a report that counts");
    }
}

#[test]
fn repairs_have_the_bounds_of_what_they_repair() {
    for (id, _, scenarios) in REPORTS {
        let scenarios = scenarios();
        for scenario in scenarios.iter().filter(|s| *s.expected() != Expected::Proved) {
            let repair = scenarios.iter().find(|s| Some(s.name()) == scenario.repair());
            assert_eq!(repair.map(|s| s.bounds()), Some(scenario.bounds()), "{id}: {}", scenario.name());
        }
    }
}

#[test]
fn every_report_counts_but_the_disputed() {
    for (id, _, scenarios) in REPORTS {
        let found = found(id, &scenarios()).unwrap();
        assert_eq!(found.wrong, 0, "{id}: {found:?}");
        assert_ne!(found.counts(), found.disputed, "{id}: {found:?}");
    }
    let markdown = chapter("report").unwrap().markdown;
    println!("{markdown}");
    let counting = REPORTS.len() - DISPUTED.len();
    assert!(markdown.contains(&format!("Reports found again: {counting} of {} tried", REPORTS.len())));
    assert!(
        markdown.contains("False alarms: 0 in ") && !markdown.contains("not proved") && !markdown.contains("not found")
    );
    // Each faulty program has its row: class, source, property, steps, states, repair.
    let rows: Vec<&str> = markdown.lines().filter(|line| line.contains("stories-data-reports.md#story-of-")).collect();
    let faulty = |s: &overtake_models::Scenario| *s.expected() != Expected::Proved;
    assert_eq!(rows.len(), REPORTS.iter().flat_map(|(_, _, scenarios)| scenarios()).filter(faulty).count());
    assert!(
        rows.iter().all(|row| row.replace("\\|", "").matches('|').count() == 9 && row.contains("[proved, ")),
        "{rows:#?}"
    );
    // Each report is in one class.
    let tried = |line: &str| {
        let cell = line.split(" | ").nth(2)?.split_once(" / ")?;
        cell.1.parse::<usize>().ok()
    };
    let classes: usize = markdown
        .lines()
        .filter(|line| CLASSES.iter().any(|(letters, _)| line.starts_with(&format!("| {letters} | "))))
        .filter_map(tried)
        .sum();
    assert_eq!(classes, REPORTS.len());
}

#[test]
fn each_pattern_has_a_report() {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, pattern, _) in REPORTS {
        *count.entry(pattern).or_default() += 1;
    }
    for (pattern, meaning) in PATTERNS {
        println!("{pattern:<4} {:>3}  {meaning}", count.get(pattern).unwrap_or(&0));
    }
    println!("{} reports, {} of them disputed, {} patterns", REPORTS.len(), DISPUTED.len(), count.len());
    let missing: Vec<&str> = PATTERNS.iter().map(|(pattern, _)| *pattern).filter(|p| !count.contains_key(p)).collect();
    assert_eq!(missing, [""; 0], "each pattern has a report");
    assert!(REPORTS.len() - DISPUTED.len() >= 80, "so many count of the catalogue's 114");
}
