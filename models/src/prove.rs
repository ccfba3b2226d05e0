//! Scenarios inside tests: a claim that passes or panics, with everything in the message that is needed to go on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use overtake_sim::world::Reductions;

use crate::check::{Checked, Finding, Options, Verdict, check};
use crate::scenario::Scenario;
use crate::story::{opening, sentences, standing};
use crate::trace::slug;

/// Where `prove` saves traces, if the environment names a folder.
pub const OUT: &str = "OVERTAKE_OUT";

impl Scenario {
    /// Checks the scenario with [`Options::default`].
    ///
    /// # Panics
    /// When it makes no world: the message says why.
    #[track_caller]
    pub fn check(&self) -> Checked {
        self.check_with(&Options::default())
    }

    /// Checks the scenario.
    ///
    /// # Panics
    /// When it makes no world: the message says why.
    #[track_caller]
    pub fn check_with(&self, options: &Options) -> Checked {
        match check(self, options) {
            Ok(checked) => checked,
            Err(why) => panic!("{why}"),
        }
    }

    /// Proves the scenario, for use in a test.
    ///
    /// # Panics
    /// Unless the verdict is [`Verdict::Proved`]: a search that was cut off, or that never saw what it must see, is
    /// no proof. The message tells the shortest story of each violation, saves it as a trace (in the folder that
    /// [`OUT`] names, or in `target/overtake`) and says how to go on.
    #[track_caller]
    pub fn prove(&self) {
        let options = Options::default();
        let checked = self.check_with(&options);
        if let Some(message) = disproof(self, &options, &checked, &folder()) {
            panic!("{message}");
        }
        println!("{}", proof(self, &checked));
    }

    /// Checks that the property of that name is violated, and answers how, for use in a test.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn falsify(&self, property: &str) -> Finding {
        if !self.judged_by().iter().any(|p| p.name == property) {
            panic!("the scenario {:?} has no property {property:?}; it has {}", self.name(), names(self));
        }
        let mut options = Options::default();
        let mut verdict = self.check_with(&options).verdict;
        if matches!(&verdict, Verdict::Falsified(all) if !all.iter().any(|f| f.property == property)) {
            // Another one was violated first: go on to the end.
            options.limits.every_property = true;
            verdict = self.check_with(&options).verdict;
        }
        match verdict {
            Verdict::Falsified(all) => match all.into_iter().find(|f| f.property == property) {
                Some(finding) => finding,
                None => panic!("{property:?} is not violated in {:?}, though another property is", self.name()),
            },
            Verdict::Proved => panic!("{property:?} is not violated in {:?}: it is proved", self.name()),
            Verdict::Held(why) | Verdict::Broken(why) => {
                panic!("{property:?} was not seen to be violated in {:?}: {why}", self.name())
            }
        }
    }
}

fn names(scenario: &Scenario) -> String {
    scenario.judged_by().iter().map(|p| format!("{:?}", p.name)).collect::<Vec<_>>().join(", ")
}

fn proof(scenario: &Scenario, checked: &Checked) -> String {
    format!(
        "{}: proved for {}: {} states, {} steps between them, depth {}; odds of a confusion {:.0e}",
        scenario.name(),
        scenario.bounds(),
        checked.seen.states,
        checked.seen.transitions,
        checked.seen.depth,
        checked.collision_odds
    )
}

/// What to say when the verdict is no proof; `None` when it is one.
fn disproof(scenario: &Scenario, options: &Options, checked: &Checked, folder: &Path) -> Option<String> {
    if matches!(checked.verdict, Verdict::Proved) {
        return None;
    }
    let mut out = parameters(scenario, options);
    match &checked.verdict {
        Verdict::Proved => {}
        Verdict::Held(why) => {
            let _ = writeln!(out, "\nnot proved: {why}");
        }
        Verdict::Broken(why) => {
            let _ = writeln!(out, "\nnot checkable: {why}");
        }
        Verdict::Falsified(findings) => {
            for finding in findings {
                violation(&mut out, scenario, checked, finding, folder);
            }
        }
    }
    let _ = write!(out, "\nreproduce: cargo run -- check {:?}", scenario.name());
    Some(out)
}

fn parameters(scenario: &Scenario, options: &Options) -> String {
    let Reductions { renumber, symmetry, deliver_first, forget_gone } = options.reductions;
    let all = [
        (renumber, "renumbering"),
        (symmetry, "symmetry"),
        (deliver_first, "deliveries first"),
        (forget_gone, "forgetting what is gone"),
    ];
    let on: Vec<&str> = all.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    let mut out = format!("{:?} is not proved\n", scenario.name());
    let _ = writeln!(out, "\nbounds: {}", scenario.bounds());
    let _ = writeln!(out, "reductions: {}", if on.is_empty() { "none".into() } else { on.join(", ") });
    let _ = writeln!(out, "threads: {}", options.limits.threads);
    out
}

fn violation(out: &mut String, scenario: &Scenario, checked: &Checked, finding: &Finding, folder: &Path) {
    let (world, taken) = (&checked.world, &finding.taken);
    let steps = if taken.len() == 1 { "1 step".into() } else { format!("{} steps", taken.len()) };
    let _ = writeln!(out, "\nviolated: {}", finding.property);
    let _ = writeln!(out, "because: {}", finding.because);
    let which = if finding.shortest { "The shortest" } else { "A" };
    let _ = writeln!(out, "\n{which} story of it ({steps}). {}\n", opening(world));
    for (at, sentence) in sentences(world, taken, finding.cycle).iter().enumerate() {
        let _ = writeln!(out, "  {:>2}. {sentence}", at + 1);
    }
    let _ = writeln!(out, "\nIn the end:");
    for fact in standing(world, taken) {
        let _ = writeln!(out, "  - {fact}");
    }
    let _ = writeln!(out, "So {}.", finding.because);
    saved(out, scenario, finding, folder);
}

/// Saves the trace and says where, and what can be done with it.
fn saved(out: &mut String, scenario: &Scenario, finding: &Finding, folder: &Path) {
    let file = folder.join(format!("{}-{}.trace", slug(scenario.name()), slug(finding.property)));
    match std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, finding.trace.to_string())) {
        Ok(()) => {
            let file = file.display();
            let _ = writeln!(out, "\ntrace saved in {file}");
            let _ = writeln!(out, "replay it: cargo run -- replay {file}");
            let _ = writeln!(out, "explore it: cargo run -- explore {file}");
        }
        Err(error) => {
            let file = file.display();
            let _ = writeln!(
                out,
                "\nThe trace could not be saved in {file}: {error}; {OUT} names another folder. It is:\n"
            );
            let _ = writeln!(out, "{}", finding.trace);
        }
    }
}

/// Where traces are saved: in the folder that the environment names, or in `target/overtake`.
fn folder() -> PathBuf {
    std::env::var_os(OUT).map_or_else(|| PathBuf::from("target/overtake"), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::{at_most_one_live_holder, no_program_fails, somebody_holds};
    use crate::scenario::scenario;
    use overtake_sim::program::Context;

    async fn takes_it(ctx: Context) {
        ctx.work("arrival").await;
        ctx.mark("holds");
        ctx.work("work").await;
        ctx.unmark("holds");
    }

    fn no_lock() -> Scenario {
        scenario("no lock").clients(2, takes_it).properties([
            at_most_one_live_holder(),
            no_program_fails(),
            somebody_holds(),
        ])
    }

    #[test]
    fn a_failure_says_what_how_and_how_to_go_on() {
        let (options, scenario, folder) = (Options::default(), no_lock(), std::env::temp_dir());
        let message = disproof(&scenario, &options, &scenario.check(), &folder).expect("the race is found");
        for part in [
            "bounds: 2 clients",
            "violated: at most one live holder",
            "1. Client 1 is through with “arrival”. Now client 1 holds the lock.",
            "So client 1 and client 2 hold the lock at the same time.",
            "cargo run -- replay ",
            "cargo run -- explore ",
        ] {
            assert!(message.contains(part), "{part:?} is missing in\n{message}");
        }
        assert_eq!(message.lines().last(), Some("reproduce: cargo run -- check \"no lock\""));
    }

    #[test]
    fn a_trace_that_cannot_be_saved_is_printed() {
        let scenario = no_lock();
        let nowhere = Path::new("/dev/null/nowhere");
        let message = disproof(&scenario, &Options::default(), &scenario.check(), nowhere).expect("the race is found");
        assert!(message.contains("could not be saved") && message.contains("overtake trace 1"), "{message}");
    }

    #[test]
    fn what_never_happened_is_no_proof() {
        let idle =
            scenario("idle").clients(1, |_: Context| async {}).properties([no_program_fails(), somebody_holds()]);
        let message =
            disproof(&idle, &Options::default(), &idle.check(), Path::new("never")).expect("nobody ever holds");
        assert!(message.contains("not proved: "), "{message}");
    }

    #[test]
    #[should_panic = "it has \"no program panics\", \"at most one live holder\", \"no program fails\""]
    fn only_properties_that_there_are_can_be_falsified() {
        no_lock().falsify("at most one holder");
    }

    #[test]
    #[should_panic = "\"no program fails\" is not violated"]
    fn what_holds_is_not_falsified() {
        no_lock().falsify("no program fails");
    }
}
