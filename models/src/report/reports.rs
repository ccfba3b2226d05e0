//! Public bug reports, found again.

use std::collections::BTreeSet;

use super::text::{Table, down, grouped, origin, plain};
use super::{Outcome, is_proved, length_cell, must_break, repaired, story_anchor, verdict_cell};
use crate::manifest::expected_finding;
use crate::scenario::Scenario;

/// What goes wrong: the reports are numbered class by class. The last number of each.
const CLASSES: [(u32, &str); 14] = [
    (5, "mutual exclusion broken"),
    (17, "two holders after a pause or an expiry"),
    (32, "lost wake-up"),
    (35, "herd"),
    (57, "orphan node"),
    (60, "deadlock"),
    (63, "self-deadlock"),
    (68, "ownership violation"),
    (71, "order of sequence numbers"),
    (73, "starvation"),
    (75, "leak"),
    (79, "stale read"),
    (83, "fencing missing"),
    (85, "livelock"),
];

const ABOUT: &str = "\
## Public bug reports, found again

Each is a small pair of programs written from the report, the faulty and the repaired one, under the same bounds and
properties. The search finds the violation by itself.
";

/// The number of the report that a scenario is made from: 1 for `O01 leader by a wake-up`.
pub(super) fn number(scenario: &Scenario) -> Option<u32> {
    let (number, _) = scenario.name().strip_prefix('O')?.split_once(' ')?;
    if number.len() < 2 || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    number.parse().ok()
}

/// Whether a scenario is made from a public report: `O01 …` on locks, `LU-01 …` on data.
pub(super) fn is_report(scenario: &Scenario) -> bool {
    let on_data = |name: &str| {
        let name: Vec<u8> = name.bytes().take(6).collect();
        matches!(name[..], [a, b, b'-', c, d, b' '] if [a, b].iter().all(u8::is_ascii_uppercase) && [c, d].iter().all(u8::is_ascii_digit))
    };
    number(scenario).is_some() || on_data(scenario.name())
}

fn class(number: u32) -> &'static str {
    CLASSES.iter().find(|(last, _)| number <= *last).map_or("–", |(_, class)| class)
}

/// The table of reports, and how many there are.
pub(super) fn section(results: &[Outcome]) -> String {
    let mut head =
        Table::new(["report", "class", "source", "violates", "steps", "states until found", "repaired"], &[4, 5]);
    let (mut all, mut found, mut cured) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for outcome in results.iter().filter(|(scenario, _)| must_break(scenario)) {
        let (scenario, checked) = outcome;
        let Some(number) = number(scenario) else { continue };
        all.insert(number);
        let mut row = vec![down(&plain(scenario.name()), &story_anchor(scenario)), class(number).into()];
        row.push(origin(scenario.origin()));
        match expected_finding(scenario, checked) {
            Some(finding) => {
                found.insert(number);
                row.extend([plain(finding.property), length_cell(finding), grouped(checked.seen.states)]);
            }
            None => row.extend([verdict_cell(outcome), "–".into(), "–".into()]),
        }
        let repair = results.iter().find(|(other, _)| Some(other.name()) == scenario.repair());
        if repair.is_some_and(|(_, checked)| is_proved(checked)) {
            cured.insert(number);
        }
        row.push(repaired(results, scenario));
        head.row(row);
    }
    if all.is_empty() {
        return String::new();
    }
    let classes: Vec<String> = CLASSES
        .iter()
        .map(|(_, name)| (name, found.iter().filter(|number| class(**number) == *name).count()))
        .filter(|(_, found)| *found > 0)
        .map(|(name, found)| format!("{name} {found}"))
        .collect();
    let count = format!(
        "Reports: {}. Found again: {}. Repaired and proved: {}. Found by class: {}.",
        all.len(),
        found.len(),
        cured.len(),
        classes.join(", ")
    );
    format!("{ABOUT}\n{count}\n\n{}", head.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::scenario;

    #[test]
    fn reports_have_numbers_and_classes() {
        assert_eq!(number(&scenario("O07 leader by an old node")), Some(7));
        assert_eq!(number(&scenario("Other lock")), None);
        assert_eq!(number(&scenario("O lock")), None);
        assert!(
            is_report(&scenario("O07 leader by an old node")) && is_report(&scenario("LU-01 saved twice, repaired"))
        );
        assert!(!is_report(&scenario("lease alone")) && !is_report(&scenario("LU-1 saved twice")));
        assert_eq!(class(5), "mutual exclusion broken");
        assert_eq!(class(6), "two holders after a pause or an expiry");
        assert_eq!(class(99), "–");
        assert!(CLASSES.is_sorted_by_key(|(last, _)| *last));
    }
}
