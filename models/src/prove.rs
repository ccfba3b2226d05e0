//! Checking a scenario from a test: `prove()` passes only on a proof, and tells the story otherwise.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::check::{Checked, Finding, Options, Verdict, check};
use crate::scenario::Scenario;
use crate::story::sentences;

impl Scenario {
    /// Checks the scenario with the default options.
    ///
    /// # Panics
    /// With a sentence, when the scenario makes no world or has nothing to check.
    #[track_caller]
    pub fn check(&self) -> Checked {
        match check(self, &Options::default()) {
            Ok(checked) => checked,
            Err(why) => panic!("{why}"),
        }
    }

    /// Passes when every property is proved within the bounds: every state was visited, and everything that is to
    /// happen sometimes did. A cut-off search is no pass.
    ///
    /// # Panics
    /// Otherwise, with the property, the story in sentences, where the trace was saved, and how to replay and explore it.
    #[track_caller]
    pub fn prove(&self) {
        let checked = self.check();
        let mut told = self.parameters(&checked);
        match &checked.verdict {
            Verdict::Proved => return,
            Verdict::Held(why) => {
                let _ = writeln!(told, "not proved: {why}");
            }
            Verdict::Broken(why) => {
                let _ = writeln!(told, "cannot be checked: {why}");
            }
            Verdict::Falsified(findings) => {
                for finding in findings {
                    told.push_str(&self.told(&checked, finding));
                }
            }
        }
        panic!("{told}");
    }

    /// Passes when the property of that name is violated, and answers how.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn falsify(&self, property: &str) -> Finding {
        let checked = self.check();
        if let Verdict::Falsified(findings) = &checked.verdict
            && let Some(finding) = findings.iter().find(|f| f.property == property)
        {
            return finding.clone();
        }
        panic!("{}{:?} is not violated: {}", self.parameters(&checked), property, checked.verdict.word());
    }

    fn parameters(&self, checked: &Checked) -> String {
        format!(
            "scenario {:?}: {}; {} states, {} transitions seen\n",
            self.name(),
            self.bounds(),
            checked.seen.states,
            checked.seen.transitions
        )
    }

    fn told(&self, checked: &Checked, finding: &Finding) -> String {
        let mut told = format!("\nviolated: {}\n  {}\n\n", finding.property, finding.because);
        for (at, sentence) in sentences(&checked.world, &finding.taken, finding.cycle).iter().enumerate() {
            let _ = writeln!(told, "  {:>2}. {sentence}", at + 1);
        }
        let _ = writeln!(told, "\nSo {}.", finding.because);
        let file = trace_file(self.name(), finding.property);
        let saved = file
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&file, finding.trace.to_string()));
        let _ = match saved {
            Ok(()) => writeln!(
                told,
                "\ntrace saved in {0}\nreplay it:  cargo run -- replay {0}\nexplore it: cargo run -- explore {0}",
                file.display()
            ),
            Err(error) => writeln!(
                told,
                "\nthe trace could not be saved in {}: {error}; set OVERTAKE_OUT to a directory that can be written",
                file.display()
            ),
        };
        let _ = writeln!(told, "reproduce:  cargo run -- check {:?}", self.name());
        told
    }
}

/// Where the trace of a finding is saved: under `OVERTAKE_OUT`, or under `target/overtake`.
fn trace_file(scenario: &str, property: &str) -> PathBuf {
    let folder = std::env::var_os("OVERTAKE_OUT").map_or_else(|| PathBuf::from("target/overtake"), PathBuf::from);
    folder.join(format!("{}-{}.trace", slug(scenario), slug(property)))
}

/// A name as part of a file's name: small letters, digits, and hyphens.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches('-').to_owned()
}
