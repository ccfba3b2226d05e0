//! What the programs have in common.

use std::sync::Arc;

use overtake_threads::check::{Engine, Limits, Outcome, Program, Stage, Verdict, search};
use overtake_threads::client::{Client, Hub, Options};
use overtake_threads::sync::Shuttle;
use overtake_threads::{InterProcessMutex, Simulated};

pub type TestHub = Arc<Hub<Shuttle, Simulated>>;
pub type TestClient = Client<Shuttle, Simulated>;
pub type Mutex = InterProcessMutex<Shuttle, Simulated>;

pub const LOCK: &str = "/curator/lock";

/// A hub with the lock's node, and so many clients.
pub fn clients(stage: &Stage, number: usize) -> (TestHub, Vec<TestClient>) {
    clients_with(stage, number, Options::default())
}

pub fn clients_with(stage: &Stage, number: usize, options: Options) -> (TestHub, Vec<TestClient>) {
    let hub = Hub::new(Simulated::new(number, &["/curator", LOCK]), number);
    let clients: Vec<TestClient> = (0..number).map(|place| Client::start(&hub, place, options)).collect();
    for client in &clients {
        let client = client.clone();
        stage.in_the_end(move || client.stop());
    }
    (hub, clients)
}

pub fn find(engine: Engine, program: &Program, executions: u64) -> Outcome {
    let outcome = search(engine, program, Limits { executions, ..Limits::default() });
    println!("{}: {}: {outcome} ({} decisions at most)", program.name(), engine.name(), outcome.longest);
    outcome
}

#[track_caller]
pub fn proved(engine: Engine, program: &Program) -> Outcome {
    let outcome = find(engine, program, 200_000);
    assert_eq!(outcome.verdict, Verdict::Proved, "{}: {outcome}", program.name());
    outcome
}
