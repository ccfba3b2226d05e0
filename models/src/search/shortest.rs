//! The shortest trace to a violation of each property: breadth first on one thread, with every state kept, so that
//! the answer is the same in every run.

use rustc_hash::FxHashMap;

use super::table::fingerprint;
use super::{Limits, Stopped, Watch};
use crate::space::{PropertyId, Space, Worker};

/// A path from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<Step> {
    /// The states, the start first.
    pub states: Vec<Vec<u32>>,
    /// The steps between them.
    pub steps: Vec<Step>,
}

/// Every state kept, with the state it was found from.
pub(super) struct Kept<Step> {
    pub rows: Vec<u32>,
    pub from: Vec<(u32, Option<Step>)>,
    pub width: usize,
}

impl<Step: Copy> Kept<Step> {
    pub fn row(&self, at: usize) -> &[u32] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    pub fn path(&self, mut at: usize) -> Path<Step> {
        let mut path = Path { states: vec![self.row(at).to_vec()], steps: Vec::new() };
        while let (before, Some(step)) = self.from[at] {
            at = before as usize;
            path.states.push(self.row(at).to_vec());
            path.steps.push(step);
        }
        path.states.reverse();
        path.steps.reverse();
        path
    }
}

/// A path for each of some properties.
pub type Paths<Step> = Vec<(PropertyId, Path<Step>)>;

/// For each property of `wanted` (bits) a shortest path to a state that violates it. Ends when all are found or the
/// space is done; `Err` says why it could not.
pub fn shortest<S: Space>(space: &S, wanted: u64, limits: &Limits) -> Result<Paths<S::Step>, Stopped> {
    let watch = Watch::new(limits);
    let mut worker = space.worker();
    let width = space.width();
    let mut kept = Kept { rows: Vec::new(), from: Vec::new(), width };
    let mut known: FxHashMap<u64, ()> = FxHashMap::default();
    for row in worker.initial() {
        if known.insert(fingerprint(&row), ()).is_none() {
            kept.rows.extend(row);
            kept.from.push((0, None));
        }
    }
    let mut found = Vec::new();
    let mut open = wanted;
    let mut at = 0;
    let mut row = Vec::new();
    while at < kept.from.len() && open != 0 {
        if at.is_multiple_of(64) {
            watch.counts(kept.from.len());
            if kept.from.len() * (width * 4 + 28) + space.bytes() > limits.memory {
                watch.stop(Stopped::Memory);
            }
            if watch.check(space.error().is_some()) {
                return Err(watch.stopped().expect("just stopped"));
            }
        }
        row.clear();
        row.extend_from_slice(kept.row(at));
        let expanded = worker.expand(&row, |step, _, next| {
            if known.insert(fingerprint(next), ()).is_none() {
                kept.rows.extend_from_slice(next);
                kept.from.push((at as u32, Some(step)));
            }
        });
        let mut hit = expanded.violated & open;
        open &= !hit;
        while hit != 0 {
            found.push((hit.trailing_zeros() as usize, kept.path(at)));
            hit &= hit - 1;
        }
        at += 1;
    }
    if space.error().is_some() {
        return Err(Stopped::Error);
    }
    Ok(found)
}
