//! Virtual time over worlds: a seeded event queue gives each step a moment.
//!
//! Every step is an ordinary step of the world, so what a run violates is an ordinary trace, with moments beside its steps;
//! it replays and shrinks without them. Where a step comes from:
//!
//! | step | in virtual time |
//! | --- | --- |
//! | serve | a request arrives after a latency and is served after a service time; not while the server is paused or down |
//! | deliver | a frame arrives after a latency and waits while the process stands still |
//! | local | a piece of work or a timer takes its time on the client's clock; a choice is drawn |
//! | cut | the library gives a silent connection up after its read time-out; or the connection is closed under it |
//! | reconnect | the library has paused, connected and been answered within its connect time-out |
//! | expire, lapse | the server's tracker has reached the session's bucket |
//! | apply | the transaction that ends the session is committed |
//! | give up | the library's own clock says that the session is over (where the world's clients may) |
//! | accept, commit | what a follower has forwarded is at the leader; a commit is applied at a follower |
//! | elect | the server is shut down, or its leader; or the leader stood still for five ticks (`syncLimit`) |
//! | resync | drawn with the plan |
//! | write | a write is at the resource, which takes no notice of the client's pauses |
//! | call | a call is at its store after a latency and is taken after a service time, as is each further step of it; one that has to wait there is taken a service time after it can be |
//! | answer | a store's answer is there after a latency, whatever was asked before or after |
//! | no answer | the caller's patience is over: the call is lost, or arrives later (a write that is lost reads as one that may still arrive), or its answer is lost |
//! | duplicate | drawn as the call is sent |
//! | ring | the news of nodes that came or went is there after a latency |
//! | store, store fault | an item expires after its own duration since it was last stored or touched; the replica applies a write; a queue takes a consumer for dead; evictions and nodes that come and go are drawn |
//! | crash, restart, interrupt | drawn with the plan |
//!
//! What the world has not, and how it is told in its steps:
//!
//! - *Pings* are no steps. They touch the session at the server and keep the library from taking the connection for dead.
//! - *A silent cut* is a time during which nothing arrives. Packets sent meanwhile come late, or, when the library gives up
//!   first, not at all: the step `cut` then loses what is on the wires. A request that was on its way at that moment is
//!   never served; that it is served and its reply lost is the case in which it arrived before.
//! - *A library that declares its session over* while the server still counts, in a world whose clients do not `give up`: the server marks the session closing
//!   (`expire`), the library is told so (`reconnect`), and the nodes go (`apply`) when the server would have expired it. Nobody
//!   can tell the difference, for nobody uses the session in between.
//! - *A restart of the server*, or an election: connections close (`elect`) as it begins; nothing is served until it is over, and
//!   then every session gets a fresh time-out. Where the budget has no elections, each connection is cut and an end that was
//!   decided is applied before.
//! - *A leader that stands still* is seen by its own clients and by what followers forward; they answer reads on.
//! - *A write that is on its way when its process dies* never arrives here; in the untimed world it does.
//! - *Steps that the budget does not allow* are not taken and are counted as refused; what would have caused them counts as
//!   over (the session gets a fresh time-out, the silent connection is kept). So use a large budget: [`roomy`].

mod calls;
mod course;
mod host;
pub mod invariants;
mod look;
pub mod pause;
pub mod pause_log;
mod plan;
mod record;
mod replicas;
mod run;
mod server;
mod sessions;
mod stores;
mod timing;

use overtake_sim::clock::Rng;
use overtake_sim::world::{Budget, Engine, World};

pub use plan::{Fault, Lost, Plan};
pub use record::{Note, Noted, TimedRun, lines, text};
pub use stores::{lasts, renewed};
pub use timing::{Recurring, Timing};

use crate::sample::{Judge, SampledRun, Sampler};
use crate::scenario::Scenario;

/// A mistake in the clocks, for tests of what must catch it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flaw {
    /// None.
    #[default]
    None,
    /// The tracker does not count touches.
    ForgetsTouches,
    /// The tracker puts sessions into the bucket before theirs.
    RoundsDown,
    /// The tracker expires the others.
    WrongSession,
    /// A new leader, or a server that starts again, keeps the old deadlines.
    KeepsDeadlines,
}

/// Runs in virtual time.
#[derive(Clone, Debug, Default)]
pub struct Timed {
    /// The parameters.
    pub timing: Timing,
    flaw: Flaw,
}

impl Timed {
    /// Runs with these parameters.
    pub fn new(timing: Timing) -> Self {
        Self { timing, flaw: Flaw::None }
    }

    /// The same with a mistake in it.
    pub fn flawed(mut self, flaw: Flaw) -> Self {
        self.flaw = flaw;
        self
    }

    /// The plan of faults that the seed draws.
    pub fn plan(&self, world: &World, seed: u64) -> Plan {
        let setup = world.setup();
        Plan::draw(&self.timing, setup.clients.len(), setup.followers, &Rng::new(seed).fork(0))
    }

    /// A run of the seed under a plan that is given. The engine is one without reductions.
    pub fn run_plan(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64, plan: &Plan) -> TimedRun {
        run::Run::new(&self.timing, self.flaw, engine, judge, seed).go(plan)
    }

    /// A run in which each client begins at a moment of its own.
    pub fn run_from(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64, starts: &[u64]) -> TimedRun {
        let plan = self.plan(engine.world(), seed);
        run::Run::new(&self.timing, self.flaw, engine, judge, seed).starting(starts).go(&plan)
    }

    /// The run of the seed, with what the clocks saw.
    pub fn run_timed(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64) -> TimedRun {
        let plan = self.plan(engine.world(), seed);
        self.run_plan(engine, judge, seed, &plan)
    }
}

impl Sampler for Timed {
    fn name(&self) -> &str {
        "timed"
    }

    fn parameters(&self) -> Vec<(String, String)> {
        self.timing.parameters()
    }

    fn run(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64) -> SampledRun {
        self.run_timed(engine, judge, seed).run
    }
}

/// The scenario with as many faults allowed as a world can count, so that the clocks decide which happen, and with timers
/// that keep their durations.
pub fn roomy(scenario: &Scenario) -> Scenario {
    let most =
        overtake_sim::world::Fault::ALL.into_iter().filter(|fault| !fault.is_of_stores() || scenario.has_stores());
    let budget = most.fold(Budget::default(), |budget, fault| budget.with(fault, Budget::MOST));
    scenario.clone().with_budget(budget).timed()
}
