//! `explore`: a scenario or a trace in the browser.

use std::path::Path;

use overtake_models::Scenario;
use overtake_models::explorer::{ExploreError, serve_scenario, serve_trace, trace_link};

use super::args::Bounds;
use super::exit::{Exit, Failure, Outcome};
use super::files::read_trace;
use super::names::bounded;
use super::replay::stale_sentence;
use super::screen::{FAINT, STRONG, say, styled};
use super::{CommandLine, screen, threads};
use crate::traces::bounded_as;

/// Serves until the process ends.
pub(super) fn explore(line: &CommandLine, what: &str, bounds: &Bounds, port: u16) -> Outcome {
    let path = Path::new(what);
    let is_file = path.is_file() || path.extension().is_some_and(|extension| extension == "trace");
    let (scenario, served) = if is_file {
        if bounds.any() {
            return Err(Failure::new(Exit::Usage, format!("{what} has the bounds of its trace; leave yours out")));
        }
        let trace = read_trace(path)?;
        if threads::program_of(line, &trace).is_some() {
            return Err(Failure::bad_input(format!(
                "{what}: the trace is of a program of threads, which the explorer does not show; use `replay`"
            )));
        }
        let in_file = |why| Failure::bad_input(format!("{what}: {why}"));
        let scenario = bounded_as(&line.scenarios, &trace).map_err(in_file)?;
        let steps = trace.all_steps().len();
        let served = serve_trace(&scenario, &trace, port, |address| {
            ready(&scenario, &trace_link(address.port(), steps));
        });
        (scenario.name().to_owned(), served)
    } else {
        let scenario = bounded(line.scenario(what)?, bounds)?;
        let served = serve_scenario(&scenario, port, |address| ready(&scenario, &format!("http://{address}/")));
        (scenario.name().to_owned(), served)
    };
    let Err(error) = served;
    Err(match error {
        ExploreError::PortTaken(port) => Failure::new(
            Exit::PortTaken,
            format!("port {port} is taken; stop what listens there or choose another one with --port"),
        ),
        ExploreError::Port(port, why) => Failure::new(
            Exit::PortTaken,
            format!("port {port} cannot be listened on: {why}; choose another one with --port"),
        ),
        ExploreError::Stale(stale) => Failure::new(Exit::Stale, format!("{what}: {}", stale_sentence(&stale))),
        ExploreError::Scenario(why) => Failure::bad_input(why),
        ExploreError::Ended => Failure::new(
            Exit::PortTaken,
            format!("the explorer of {scenario:?} ended by itself; start it again, on another --port if need be"),
        ),
    })
}

fn ready(scenario: &Scenario, link: &str) {
    let told = say(format!("{} ({})", styled(STRONG, scenario.name()), scenario.bounds()))
        .and_then(|()| say(format!("  {link}")))
        .and_then(|()| say(styled(FAINT, "  only this machine can reach it; Ctrl-C ends it")));
    if let Err(failure) = told {
        screen::warn(failure.sentence);
    }
}
