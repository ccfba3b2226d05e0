//! The manifest: what every scenario is expected to end with, to the last state, as text.
//!
//! One line a scenario: `name | bounds | expected | states | transitions | depth`. The numbers are those of a search
//! with [`Options::default`]. Of a scenario that must break, only the length of its shortest story is kept.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::check::{Checked, Finding, Options, Verdict, check};
use crate::scenario::{Expected, Scenario};
use crate::trace::Malformed;

/// Checks a scenario so that its expected verdict can be seen: where another property than the expected one is
/// violated first, the search goes on until every violation is found. The answer is the same in every run: a
/// scenario that must break is searched by one thread.
///
/// # Errors
/// As [`check`].
pub fn check_for_expected(scenario: &Scenario, options: &Options) -> Result<Checked, String> {
    let Expected::Falsified(_) = scenario.expected() else {
        return check(scenario, options);
    };
    let mut options = options.clone();
    options.limits.threads = 1;
    let checked = check(scenario, &options)?;
    let another = matches!(checked.verdict, Verdict::Falsified(_))
        && expected_finding(scenario, &checked).is_none()
        && !options.limits.every_property;
    if !another {
        return Ok(checked);
    }
    drop(checked);
    options.limits.every_property = true;
    check(scenario, &options)
}

/// The finding that the scenario is expected to end with, if it is there.
pub fn expected_finding<'a>(scenario: &Scenario, checked: &'a Checked) -> Option<&'a Finding> {
    let Expected::Falsified(property) = scenario.expected() else {
        return None;
    };
    let Verdict::Falsified(findings) = &checked.verdict else {
        return None;
    };
    findings.iter().find(|f| f.property == *property)
}

/// Whether the verdict is the expected one; if not, a sentence says what it is instead.
///
/// # Errors
/// The sentence.
pub fn as_expected(scenario: &Scenario, checked: &Checked) -> Result<(), String> {
    let found = |findings: &[Finding]| {
        let told = |f: &Finding| format!("{:?} is violated ({})", f.property, f.because);
        findings.iter().map(told).collect::<Vec<_>>().join(", ")
    };
    match (scenario.expected(), &checked.verdict) {
        (Expected::Proved, Verdict::Proved) => Ok(()),
        (Expected::Falsified(_), Verdict::Falsified(findings)) => match expected_finding(scenario, checked) {
            Some(_) => Ok(()),
            None => Err(format!("expected {}, but {}", expected_text(scenario), found(findings))),
        },
        (Expected::Proved, Verdict::Falsified(findings)) => Err(format!("expected proved, but {}", found(findings))),
        (Expected::Falsified(_), Verdict::Proved) => {
            Err(format!("expected {}, but every property holds", expected_text(scenario)))
        }
        (_, Verdict::Held(why) | Verdict::Broken(why)) => {
            Err(format!("expected {}, but {why}", expected_text(scenario)))
        }
    }
}

/// The expected verdict as text: `proved` or `falsified: PROPERTY`.
pub fn expected_text(scenario: &Scenario) -> String {
    match scenario.expected() {
        Expected::Proved => "proved".into(),
        Expected::Falsified(property) => format!("falsified: {property}"),
    }
}

/// One scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// [`Scenario::bounds`].
    pub bounds: String,
    /// [`expected_text`].
    pub expected: String,
    /// Distinct states; `None` where the scenario must break.
    pub states: Option<usize>,
    /// Steps between them; `None` where the scenario must break.
    pub transitions: Option<usize>,
    /// Levels of the search, or the steps of the shortest story.
    pub depth: usize,
}

impl Entry {
    /// The entry of a scenario that was just checked.
    ///
    /// # Errors
    /// A sentence, when the verdict is not the expected one.
    pub fn of(scenario: &Scenario, checked: &Checked) -> Result<Self, String> {
        as_expected(scenario, checked).map_err(|why| format!("{:?}: {why}", scenario.name()))?;
        let story = expected_finding(scenario, checked);
        let seen = &checked.seen;
        Ok(Self {
            name: scenario.name().into(),
            bounds: scenario.bounds(),
            expected: expected_text(scenario),
            states: story.is_none().then_some(seen.states),
            transitions: story.is_none().then_some(seen.transitions),
            depth: story.map_or(seen.depth, |f| f.taken.len()),
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |n: Option<usize>| n.map_or("-".into(), |n: usize| n.to_string());
        write!(
            f,
            "{} | {} | {} | {} | {} | {}",
            self.name,
            self.bounds,
            self.expected,
            number(self.states),
            number(self.transitions),
            self.depth
        )
    }
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, bounds, expected, states, transitions, depth] = fields[..] else {
            return Err(format!(
                "{} fields, not 6: name | bounds | expected | states | transitions | depth",
                fields.len()
            ));
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text:?} is not a number"));
        let optional = |text: &str| match text {
            "-" => Ok(None),
            text => number(text).map(Some),
        };
        Ok(Self {
            name: name.into(),
            bounds: bounds.into(),
            expected: expected.into(),
            states: optional(states)?,
            transitions: optional(transitions)?,
            depth: number(depth)?,
        })
    }
}

/// Every scenario, in the order of the registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The scenarios.
    pub entries: Vec<Entry>,
}

const HEAD: &str = "\
# What every scenario ends with, to the last state. Generated by `overtake manifest --write`, checked by the tests.
# A scenario that must break has no numbers but the length of its shortest story.
# name | bounds | expected | states | transitions | depth
";

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headed(HEAD))
    }
}

impl Manifest {
    /// The lines under a head of comments.
    pub fn headed(&self, head: &str) -> String {
        self.entries.iter().fold(head.to_owned(), |text, entry| text + &format!("{entry}\n"))
    }
}

impl FromStr for Manifest {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let mut manifest = Manifest::default();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let entry: Entry = line.parse().map_err(|why| Malformed { line: at + 1, why })?;
            if manifest.get(&entry.name).is_some() {
                return Err(Malformed { line: at + 1, why: format!("{:?} is there twice", entry.name) });
            }
            manifest.entries.push(entry);
        }
        Ok(manifest)
    }
}

impl Manifest {
    /// The entry of that name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Where a fresh manifest differs from this one, one sentence a scenario. The order does not count.
    pub fn differences(&self, fresh: &Manifest) -> Vec<String> {
        let both = |m: &Manifest| -> BTreeMap<String, Entry> {
            let entries = m.entries.iter();
            entries.map(|e| (e.name.clone(), e.clone())).collect()
        };
        let (kept, fresh) = (both(self), both(fresh));
        let mut differences = Vec::new();
        for (name, entry) in &fresh {
            match kept.get(name) {
                None => differences.push(format!("{name:?} is not in the manifest: {entry}")),
                Some(kept) if kept != entry => {
                    differences.push(format!("{name:?}: the manifest says\n  {kept}\nand it is\n  {entry}"));
                }
                Some(_) => {}
            }
        }
        for name in kept.keys().filter(|name| !fresh.contains_key(*name)) {
            differences.push(format!("{name:?} is in the manifest and is no scenario"));
        }
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let entry = |name: &str, states| Entry {
            name: name.into(),
            bounds: "2 clients".into(),
            expected: "proved".into(),
            states,
            transitions: states,
            depth: 7,
        };
        Manifest { entries: vec![entry("a lock", Some(12)), entry("a spoilt lock", None)] }
    }

    #[test]
    fn comes_back_as_it_went_out() {
        assert_eq!(manifest().to_string().parse(), Ok(manifest()));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line) in [
            ("a | b | proved | 1 | 2\n", 1),
            ("# \n\na | b | proved | 1 | many | 3\n", 3),
            ("a | b | proved | 1 | 2 | -\n", 1),
            ("a | b | proved | - | - | 2\na | b | proved | - | - | 2\n", 2),
        ] {
            assert_eq!(text.parse::<Manifest>().unwrap_err().line, line, "{text:?}");
        }
    }

    #[test]
    fn differences_name_what_is_missing_added_and_changed() {
        let mut other = manifest();
        assert!(manifest().differences(&other).is_empty());
        other.entries[0].states = Some(13);
        other.entries[1].name = "another".into();
        let told = manifest().differences(&other);
        assert_eq!(told.len(), 3, "{told:?}");
    }
}
