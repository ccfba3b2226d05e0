//! Stories: a run of a world told so that a tired engineer understands it at three in the morning.

mod argument;
mod changes;
mod mermaid;
mod moment;
mod words;

pub use mermaid::mermaid;

use overtake_sim::world::World;

use crate::replay::Taken;

use moment::moments;

/// How a run starts, in a sentence: what the clients are at.
pub fn opening(world: &World) -> String {
    sentence(&changes::start(&world.view(world.initial())))
}

/// The run in sentences, a text a step: what happened, and what it changed that matters. The last `cycle` steps repeat
/// for ever.
pub fn sentences(world: &World, taken: &[Taken], cycle: usize) -> Vec<String> {
    let told = |moment: &moment::Moment<'_>| {
        let mut told = vec![sentence(&words::step(moment))];
        told.extend(changes::changes(moment).iter().map(|change| sentence(change)));
        if cycle > 0 && moment.number + cycle == taken.len() + 1 {
            told.insert(0, "From here on the steps repeat for ever.".into());
        }
        told.join(" ")
    };
    moments(world, taken).iter().map(told).collect()
}

/// How things stand at the end of a run, a sentence each: what every client believes, since when, and the fact that
/// speaks for it or against it.
pub fn standing(world: &World, taken: &[Taken]) -> Vec<String> {
    argument::argument(world, &moments(world, taken)).iter().map(|fact| sentence(fact)).collect()
}

/// With a capital letter and a full stop, unless it has one.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or(String::new(), |c| c.to_uppercase().collect());
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Finding, Options};
    use crate::manifest::{check_for_expected, expected_finding};
    use crate::scenario::Expected;
    use crate::scenarios::all;

    fn found(name: &str) -> (World, Finding) {
        let scenario = all().into_iter().find(|s| s.name() == name).expect("the scenario exists");
        let checked = check_for_expected(&scenario, &Options::default()).expect("the scenario makes a world");
        let finding = expected_finding(&scenario, &checked).expect("the scenario breaks").clone();
        (checked.world, finding)
    }

    #[test]
    fn a_wait_that_nobody_ends_is_told_with_the_fact_against_it() {
        let (world, finding) = found("seed: result path thrown away");
        let told = sentences(&world, &finding.taken, finding.cycle);
        assert_eq!(told.len(), finding.taken.len());
        assert!(opening(&world).starts_with("At the start client 1 wants the lock and sends create "));
        assert!(
            told.iter().any(|s| s.contains("Client 1's work is done. Client 1 holds the lock no longer.")),
            "{told:?}"
        );
        let end = standing(&world, &finding.taken);
        let wait = "Client 2 waits for an event on /lock/<1.0>-lock-0, since step ";
        assert!(end.iter().any(|s| s.starts_with(wait) && s.ends_with("-lock-0 is still there.")), "{end:?}");
    }

    #[test]
    fn every_finding_is_told_in_as_many_sentences_as_it_has_steps() {
        for scenario in all().iter().filter(|s| *s.expected() != Expected::Proved) {
            let checked = check_for_expected(scenario, &Options::default());
            let Some(finding) = checked.as_ref().ok().and_then(|c| expected_finding(scenario, c)) else { continue };
            let world = &checked.as_ref().expect("just looked at").world;
            let told = sentences(world, &finding.taken, finding.cycle);
            assert_eq!(told.len(), finding.taken.len(), "{}", scenario.name());
            assert!(told.iter().all(|s| s.ends_with('.')), "{told:?}");
            let diagram = mermaid(world, &finding.taken, finding.cycle);
            assert!(diagram.lines().count() > finding.taken.len(), "{diagram}");
            let bare = ["#35;", "#59;", "#lt;", "#gt;"].iter().fold(diagram, |text, entity| text.replace(entity, ""));
            assert!(!bare.contains(['<', ';', '#']), "{bare}");
        }
    }
}
