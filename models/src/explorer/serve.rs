//! Starting the server, and the search behind its counters.

use std::convert::Infallible;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{scope, sleep};
use std::time::Duration;

use overtake_sim::world::{Engine, Reductions, World};
use rustc_hash::FxHashSet;
use stateright::Model;

use super::model::ScenarioModel;
use crate::replay::Stale;
use crate::scenario::Scenario;
use crate::trace::Trace;

/// The search behind the page is started where the states without reductions are no more than this: stateright takes
/// every step of the way to a state again when it visits it.
pub const MOST_SEARCHED: usize = 100_000;

/// Why the explorer does not run.
#[derive(Debug)]
pub enum ExploreError {
    /// Something else listens on the port.
    PortTaken(u16),
    /// The port cannot be listened on for another reason.
    Port(u16, io::Error),
    /// A step of the trace is no longer possible.
    Stale(Stale),
    /// The scenario makes no world: a sentence.
    Scenario(String),
    /// The server came to an end although it serves for ever.
    Ended,
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::PortTaken(port) => {
                write!(f, "port {port} is taken: stop what listens there or choose another port")
            }
            ExploreError::Port(port, why) => write!(f, "port {port} cannot be listened on: {why}"),
            ExploreError::Stale(stale) => {
                write!(f, "step {} of the trace is no longer possible: {}", stale.number, stale.step)
            }
            ExploreError::Scenario(why) => f.write_str(why),
            ExploreError::Ended => f.write_str("the explorer's server ended unexpectedly"),
        }
    }
}

impl std::error::Error for ExploreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ExploreError::Port(_, why) => Some(why),
            _ => None,
        }
    }
}

/// Serves a scenario to browsers on this machine until the process ends. Calls `ready` with the address once there is
/// an answer; port 0 takes any that is free.
///
/// # Errors
/// When it does not start.
pub fn serve_scenario(
    scenario: &Scenario,
    port: u16,
    ready: impl FnOnce(SocketAddr) + Send,
) -> Result<Infallible, ExploreError> {
    let model = ScenarioModel::new(scenario).map_err(ExploreError::Scenario)?;
    serve(model, port, ready)
}

/// Serves a trace to browsers on this machine until the process ends; [`trace_link`] shows it all. The scenario has the
/// bounds of the trace already. Calls `ready` with the address once there is an answer; port 0 takes any that is free.
///
/// # Errors
/// When it does not start, or a step of the trace is no longer possible.
pub fn serve_trace(
    scenario: &Scenario,
    trace: &Trace,
    port: u16,
    ready: impl FnOnce(SocketAddr) + Send,
) -> Result<Infallible, ExploreError> {
    let model = ScenarioModel::of_trace(scenario, trace).map_err(ExploreError::Scenario)?;
    serve(model.map_err(ExploreError::Stale)?, port, ready)
}

/// The link that shows a trace of so many steps from its start to its end.
pub fn trace_link(port: u16, steps: usize) -> String {
    format!("http://127.0.0.1:{port}/#/steps/0{}", "/0".repeat(steps))
}

fn serve(model: ScenarioModel, port: u16, ready: impl FnOnce(SocketAddr) + Send) -> Result<Infallible, ExploreError> {
    // The server behind the page panics where it cannot listen, so it is tried before.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|why| match why.kind() {
        ErrorKind::AddrInUse => ExploreError::PortTaken(port),
        _ => ExploreError::Port(port, why),
    })?;
    let address = listener.local_addr().map_err(|why| ExploreError::Port(port, why))?;
    drop(listener);
    let world = model.world;
    let search = Arc::clone(&model.search);
    let is_trace = model.recorded.is_some();
    tell(&search, "the states are being counted");
    scope(|scope| {
        let server = scope.spawn(move || {
            model.checker().serve(address);
        });
        while TcpStream::connect(address).is_err() {
            if server.is_finished() {
                return;
            }
            sleep(Duration::from_millis(5));
        }
        ready(address);
        start_search(world, is_trace, address, &search);
        let _ = server.join();
    });
    Err(ExploreError::Ended)
}

fn tell(search: &Mutex<String>, what: impl Into<String>) {
    *search.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
}

/// Starts the search where it is small enough, and says in the pictures what was done.
fn start_search(world: &World, is_trace: bool, address: SocketAddr, search: &Mutex<String>) {
    let counted = if is_trace { None } else { Some(count(world, MOST_SEARCHED)) };
    if counted == Some(None) {
        return tell(
            search,
            format!(
                "more than {MOST_SEARCHED} states without reductions: no search was started, browse freely; \
                 the verdict comes from `check`"
            ),
        );
    }
    let what = match counted.flatten() {
        Some(states) => format!("the search behind this page visits all {states} states without reductions"),
        None => "only the steps of the trace are offered here".into(),
    };
    match post(address, "/.runtocompletion") {
        Ok(()) => tell(search, what),
        Err(why) => tell(search, format!("the search could not be started: {why}")),
    }
}

/// Number of states without reductions, `None` when there are more than `most`.
fn count(world: &World, most: usize) -> Option<usize> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut open = vec![engine.initial()];
    let mut seen: FxHashSet<Vec<u32>> = open.iter().cloned().collect();
    while let Some(row) = open.pop() {
        engine.successors(&row, |_, _, next| {
            if !seen.contains(next) {
                seen.insert(next.to_vec());
                open.push(next.to_vec());
            }
        });
        if seen.len() > most {
            return None;
        }
    }
    Some(seen.len())
}

fn post(address: SocketAddr, path: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer)?;
    if &answer[9..] == b"200" { Ok(()) } else { Err(io::Error::other(String::from_utf8_lossy(&answer).into_owned())) }
}
