//! What the programs have in common.

use overtake_recipes::lock::CheckedCuratorMutex;
use overtake_threads::check::{Engine, Limits, Outcome, Program, Stage, Verdict, search};
use overtake_threads::client::{Env, Options};
use overtake_threads::programs::common::clients_at;
use overtake_threads::sync::Shuttle;
use overtake_threads::{InterProcessMutex, Simulated};

pub use overtake_threads::programs::common::{Impatient, TestClient, TestHub};
pub type Mutex = InterProcessMutex<Shuttle, Simulated>;

pub const LOCK: &str = "/curator/lock";

/// A hub with the lock's node, and so many clients.
pub fn clients(stage: &Stage, number: usize) -> (TestHub, Vec<TestClient>) {
    clients_with(stage, number, Options::default())
}

pub fn clients_with(stage: &Stage, number: usize, options: Options) -> (TestHub, Vec<TestClient>) {
    clients_at(stage, number, &["/curator", LOCK], options)
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

pub type ImpatientMutex = InterProcessMutex<Shuttle, Simulated, Impatient<Env<Shuttle, Simulated>>>;
pub type CheckedMutex = InterProcessMutex<Shuttle, Simulated, CheckedCuratorMutex<Env<Shuttle, Simulated>>>;

/// The names of the nodes under the lock.
pub fn nodes(hub: &TestHub) -> Vec<String> {
    hub.with("looks at the nodes", |zk| zk.children(LOCK))
}

/// No node is left when all is over.
pub fn nothing_left(stage: &Stage, hub: &TestHub) {
    let left = nodes(hub);
    stage.holds(left.is_empty(), "no orphan node", || {
        format!("everybody is done, and {} is still there", left.join(", "))
    });
}

/// Nothing is found in so many schedules; everything that is to happen does.
#[track_caller]
pub fn sampled(engine: Engine, program: &Program, executions: u64) -> Outcome {
    let outcome = find(engine, program, executions);
    let expected = matches!(&outcome.verdict, Verdict::Held(why) if why.contains("were sampled"));
    assert!(expected && outcome.executions == executions, "{}: {outcome}", program.name());
    let missing = program.to_happen().iter().find(|what| !outcome.reached.contains(what));
    assert_eq!(missing, None, "{}", program.name());
    outcome
}
