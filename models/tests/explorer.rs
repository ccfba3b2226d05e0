//! The explorer over HTTP, as a browser asks it, and stateright's own searches over its model.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use overtake_models::explorer::{ExploreError, ScenarioModel, serve_scenario, serve_trace, trace_link};
use overtake_models::property::at_most_one_live_holder;
use overtake_models::scenarios::peers::peer_lock;
use overtake_models::search::{Limits, breadth_first};
use overtake_models::space::WorldSpace;
use overtake_models::{Expected, Options, Scenario, Trace, Verdict, check, scenarios};
use overtake_sim::world::Reductions;
use serde_json::Value;
use stateright::{Checker, Model};

fn get(address: SocketAddr, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 200 "), "{path}: {head}");
    serde_json::from_str(body).unwrap()
}

/// Starts a server on a free port. It runs until the tests are over.
fn start(serve: impl FnOnce(Box<dyn FnOnce(SocketAddr) + Send>) + Send + 'static) -> SocketAddr {
    let (sender, address) = channel();
    std::thread::spawn(move || serve(Box::new(move |address| sender.send(address).unwrap())));
    address.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// A scenario with two holders at its end.
fn broken() -> Scenario {
    let expected = Expected::Falsified(at_most_one_live_holder().name);
    scenarios::all().into_iter().find(|s| *s.expected() == expected).unwrap()
}

/// Distinct states and steps without reductions, when there are few.
fn counts(scenario: &Scenario) -> Option<(usize, usize)> {
    let world = scenario.world().unwrap();
    let space = WorldSpace::new(&world, Reductions::NONE, &[]);
    let seen = breadth_first(&space, &Limits { time: Some(Duration::from_millis(500)), ..Limits::default() });
    (seen.stopped.is_none() && seen.states <= 30_000).then_some((seen.states, seen.transitions))
}

fn found(scenario: &Scenario) -> Trace {
    match check(scenario, &Options::default()).unwrap().verdict {
        Verdict::Falsified(findings) => findings[0].trace.clone(),
        other => panic!("{}: {other:?}", scenario.name()),
    }
}

#[test]
fn a_scenario_is_browsed_and_searched() {
    let scenario = scenarios::all()
        .into_iter()
        .find(|s| *s.expected() == Expected::Proved && counts(s).is_some_and(|(states, _)| states > 100))
        .unwrap();
    let (states, steps) = counts(&scenario).unwrap();
    let world = scenario.world().unwrap();
    let mut engine = overtake_sim::world::Engine::new(&world, Reductions::NONE);
    let initial = engine.initial();
    let enabled = overtake_models::replay::enabled(&mut engine, &initial).steps;
    let served = scenario.clone();
    let address = start(move |ready| match serve_scenario(&served, 0, ready) {
        Ok(never) => match never {},
        Err(why) => panic!("{why}"),
    });

    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        let status = get(address, "/.status");
        if status["unique_state_count"] == states {
            break status;
        }
        assert!(Instant::now() < deadline, "the counters do not move: {status}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status["state_count"], steps + 1);
    let names: Vec<&str> = status["properties"].as_array().unwrap().iter().map(|p| p[1].as_str().unwrap()).collect();
    let judged: Vec<&str> = scenario.judged_by().iter().map(|p| p.name).collect();
    assert_eq!(names.len(), judged.len());
    assert!(names.iter().zip(&judged).all(|(shown, name)| shown.starts_with(name)), "{names:?} {judged:?}");

    let start = get(address, "/.states/");
    assert_eq!(start[0]["actionIndex"], 0);
    let svg = start[0]["svg"].as_str().unwrap();
    assert!(judged.iter().all(|name| svg.contains(name)), "{svg}");
    assert!(svg.contains(&format!("visits all {states} states")), "{svg}");
    assert!(start[0]["state"].as_str().unwrap().contains("faults left: "), "{start}");

    let next = get(address, "/.states/0");
    let actions: Vec<&str> = next.as_array().unwrap().iter().map(|s| s["action"].as_str().unwrap()).collect();
    assert_eq!(actions, enabled.iter().map(|t| t.text.as_str()).collect::<Vec<_>>());
    let after = get(address, "/.states/0/0");
    let svg = after[0]["svg"].as_str().unwrap();
    assert!(svg.contains("after step 2"), "{svg}");
    assert!(svg.contains(": holds"), "{svg}");
}

#[test]
fn a_trace_is_shown_to_its_end() {
    let scenario = broken();
    let trace = found(&scenario);
    let steps = trace.all_steps();
    let served = (scenario.clone(), trace.clone());
    let address = start(move |ready| match serve_trace(&served.0, &served.1, 0, ready) {
        Ok(never) => match never {},
        Err(why) => panic!("{why}"),
    });
    let link = trace_link(address.port(), steps.len());
    let path = link.strip_prefix(&format!("http://{address}/#/steps")).unwrap().to_owned();
    assert_eq!(path.matches("/0").count(), steps.len() + 1);
    assert_eq!(get(address, &format!("/.states{path}")), Value::Array(vec![]), "nothing follows");
    let before = &path[..path.len() - 2];
    let last = get(address, &format!("/.states{before}"));
    assert_eq!(last.as_array().unwrap().len(), 1);
    assert_eq!(last[0]["action"], steps[steps.len() - 1].as_str());
    let svg = last[0]["svg"].as_str().unwrap();
    assert!(svg.contains(&format!("{}: VIOLATED: ", trace.violates)), "{svg}");
    assert_eq!(svg.matches("VIOLATED").count(), 1);

    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let status = get(address, "/.status");
        let properties = status["properties"].as_array().unwrap();
        if properties.iter().any(|p| p[1] == trace.violates.as_str() && p[2].is_string()) {
            break;
        }
        assert!(Instant::now() < deadline, "the violation is not found: {status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_loop_is_judged_at_its_end() {
    let scenario = scenarios::polite_lock::scenarios()
        .into_iter()
        .find(|s| matches!(s.expected(), Expected::Falsified(_)))
        .unwrap();
    let trace = found(&scenario);
    assert!(!trace.cycle.is_empty());
    let model = ScenarioModel::of_trace(&scenario, &trace).unwrap().unwrap();
    let checker = model.checker().spawn_bfs().join();
    let path = checker.discovery(Box::leak(trace.violates.clone().into_boxed_str())).unwrap();
    let names: Vec<String> = path.into_actions().iter().map(|a| a.text().to_owned()).collect();
    assert_eq!(names, trace.all_steps());
}

#[test]
fn what_does_not_start_says_why() {
    let scenario = broken();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = serve_scenario(&scenario, port, |_| panic!("it cannot be ready")).unwrap_err();
    assert!(matches!(error, ExploreError::PortTaken(p) if p == port));
    assert_eq!(error.to_string(), format!("port {port} is taken: stop what listens there or choose another port"));

    let mut trace = found(&scenario);
    trace.steps[0] = "client 9: sings".into();
    let error = serve_trace(&scenario, &trace, 0, |_| panic!("it cannot be ready")).unwrap_err();
    assert!(matches!(&error, ExploreError::Stale(stale) if stale.number == 1), "{error}");
    assert_eq!(error.to_string(), "step 1 of the trace is no longer possible: client 9: sings");

    let error = serve_scenario(&peer_lock(0, 0), 0, |_| ()).unwrap_err();
    assert!(matches!(error, ExploreError::Scenario(_)));
}

/// Stateright's own searches and ours count the same states and steps.
#[test]
fn stateright_sees_the_same_space() {
    let mut compared = 0;
    for scenario in scenarios::all().into_iter().filter(|s| *s.expected() == Expected::Proved) {
        let Some((states, steps)) = counts(&scenario) else { continue };
        let name = scenario.name().to_owned();
        let bfs = ScenarioModel::new(&scenario).unwrap().checker().spawn_bfs().join();
        assert_eq!((bfs.unique_state_count(), bfs.state_count()), (states, steps + 1), "{name}, breadth first");
        let dfs = ScenarioModel::new(&scenario).unwrap().checker().spawn_dfs().join();
        assert_eq!((dfs.unique_state_count(), dfs.state_count()), (states, steps + 1), "{name}, depth first");
        for (shown, property) in bfs.model().properties().iter().zip(scenario.judged_by()) {
            let found = bfs.discovery(shown.name).is_some();
            assert_eq!(found, property.is_sometimes(), "{name}: {}", shown.name);
        }
        compared += 1;
        if compared == 12 {
            break;
        }
    }
    assert!(compared >= 10, "only {compared} scenarios are small enough");
}
