//! How long each step of a world takes: the laws of its stages.
//!
//! | step | stages |
//! | --- | --- |
//! | serve | a latency, then a service time |
//! | deliver | a latency |
//! | local: work | its time (think time) |
//! | local: timer | its own duration |
//! | local: choice | no time; each value equally likely |
//! | write | a latency |
//! | accept | from the follower to the leader |
//! | commit | from the leader's commit to the follower |
//! | apply | one transaction |
//! | call | a latency, then a service time; a service time for each further step; one for a call that had to wait at the store |
//! | answer | a latency |
//! | ring | a latency |
//! | store (what a store does by itself) | as from a leader to a follower |
//! | store fault: an item expires | its own duration |
//!
//! Other faults are left out: a graph has none of them.

use overtake_sim::program::OpView;
use overtake_sim::world::{Flight, Step, StepKind, World};
use rustc_hash::FxHashMap;

use super::law::Law;
use crate::timed::{Timing, lasts};

/// The laws of a step's stages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Span {
    /// By number.
    pub stages: Vec<u16>,
    /// The stage that is left of a call that had to wait at the store; there may be none such.
    pub waited: u8,
}

/// Every law and every span that steps of a world have.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    pub laws: Vec<Law>,
    pub spans: Vec<Span>,
    known: FxHashMap<Span, u16>,
}

impl Spans {
    fn law(&mut self, law: Law) -> u16 {
        let at = self.laws.iter().position(|known| *known == law).unwrap_or_else(|| {
            self.laws.push(law);
            self.laws.len() - 1
        });
        at as u16
    }

    /// The number of the span with those stages; those that take no time are left out beside others.
    fn span(&mut self, stages: &[Law]) -> u16 {
        let last = stages.last().is_some_and(|law| !law.is_nothing());
        let mut stages: Vec<u16> =
            stages.iter().filter(|law| !law.is_nothing()).map(|law| self.law(law.clone())).collect();
        let waited = (stages.len() - usize::from(last)) as u8;
        if stages.is_empty() {
            stages.push(self.law(Law::Constant(0.0)));
        }
        let next = self.spans.len() as u16;
        *self.known.entry(Span { stages, waited }).or_insert_with_key(|span| {
            self.spans.push(span.clone());
            next
        })
    }

    /// The span of the step, and among how many choices it is one; `None` for a step that has no time.
    pub fn of(&mut self, timing: &Timing, world: &World, state: &[u32], step: Step) -> Option<(u16, u8)> {
        let law = |distribution| Law::from(distribution);
        let client = || world.view(state).client(usize::from(step.slot));
        let stages = match step.kind {
            StepKind::Serve => vec![law(&timing.latency), law(&timing.service)],
            StepKind::Call => match client().flights().get(usize::from(step.arg & 0xFF))? {
                Flight::Sent => vec![law(&timing.latency), law(&timing.service)],
                _ => vec![law(&timing.service)],
            },
            StepKind::Deliver | StepKind::Write | StepKind::Answer | StepKind::Ring => vec![law(&timing.latency)],
            StepKind::Accept => vec![law(&timing.forward)],
            StepKind::Commit | StepKind::Store => vec![law(&timing.replicate)],
            StepKind::Apply => vec![law(&timing.commit)],
            StepKind::Notice => vec![],
            StepKind::Local => match client().key()?.ops.get(usize::from(step.arg & 0xFF))? {
                OpView::Choice(n) => return Some((self.span(&[]), *n)),
                OpView::Work(_) => vec![law(&timing.work)],
                OpView::Timer(lasts) => vec![Law::Constant(*lasts as f64)],
                _ => vec![law(&timing.timer)],
            },
            StepKind::StoreFault => {
                let stores = world.view(state).stores();
                let inner = stores.inner().swap_remove(usize::from(step.arg));
                vec![law(&lasts(timing, stores, &inner)?)]
            }
            _ => return None,
        };
        Some((self.span(&stages), 0))
    }
}
