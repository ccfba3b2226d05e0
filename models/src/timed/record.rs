//! What a run in virtual time gives: its steps with their moments, and what the clocks saw.

use std::collections::BTreeMap;
use std::fmt::Write;

use overtake_sim::clock::duration;
use overtake_sim::names::Who;
use overtake_sim::world::{Engine, Reductions, Step, StepKind, World};

use crate::sample::SampledRun;
use crate::trace::moment_text;

/// Something that happened to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It was opened.
    Opened,
    /// A request, a ping or a reconnect of it arrived.
    Touched,
    /// The server began its end because it was silent for too long.
    Expired,
    /// Its client's library declared it over by itself.
    GivenUp,
    /// Its end was applied.
    Applied,
    /// It got a fresh time-out, because the server was restarted, or because this world allows no more expiries.
    Renewed,
}

/// What happened to a session, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// In true time, nanoseconds since the start.
    pub moment: u64,
    /// What the server's clock read then, in nanoseconds.
    pub reading: u64,
    /// The session.
    pub session: Who,
    /// What happened.
    pub note: Note,
}

/// A run with what the clocks saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedRun {
    /// The run.
    pub run: SampledRun,
    /// What happened to sessions, in order.
    pub notes: Vec<Noted>,
    /// The session time-out that the server granted.
    pub timeout: u64,
    /// The server's tick.
    pub tick: u64,
    /// Steps that the clocks asked for and the world's budget of faults (or its sparing of a client) did not allow.
    pub refused: BTreeMap<StepKind, u32>,
    /// Virtual time at the end.
    pub lasted: u64,
}

impl TimedRun {
    /// How many faults of each kind were taken.
    pub fn used(&self) -> BTreeMap<StepKind, u32> {
        let mut used = BTreeMap::new();
        for step in self.run.steps.iter().filter(|step| step.is_fault()) {
            *used.entry(step.kind).or_default() += 1;
        }
        used
    }
}

/// The steps as a trace has them, each behind its moment: `[12.345678 ms] client 1 → create …`.
pub fn lines(world: &World, steps: &[Step], moments: &[u64]) -> Vec<String> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut state = engine.initial();
    let line = |(step, moment): (&Step, &u64)| {
        let text = format!("[{}] {}", moment_text(*moment), world.describe(&state, *step));
        engine.take(&mut state, *step);
        text
    };
    steps.iter().zip(moments).map(line).collect()
}

/// A run as text: its lines, how it ended, and what the clocks saw.
pub fn text(world: &World, timed: &TimedRun) -> String {
    let mut text = lines(world, &timed.run.steps, &timed.run.moments).join("\n");
    let _ = write!(text, "\nended: {:?} after {}\n", timed.run.ended, duration::text(timed.lasted));
    for noted in &timed.notes {
        let _ = writeln!(text, "[{}] {:?} session {}", moment_text(noted.moment), noted.note, noted.session);
    }
    text
}
