//! A probe: depth first on one thread through a few states, with the way to each of them kept. It finds at once what happens in most
//! orders of events and lies too deep for a search level by level. What it does not find says nothing.

use rustc_hash::FxHashSet;

use super::shortest::Kept;
use super::table::fingerprint;
use super::{Limits, Path, Watch};
use crate::space::{PropertyId, Space, Worker};

/// What a probe has found.
#[derive(Clone, Debug)]
pub struct Probe<Step> {
    /// The property.
    pub property: PropertyId,
    /// A way to a state that violates it, not the shortest.
    pub path: Path<Step>,
    /// Distinct states that were met.
    pub states: usize,
}

/// Looks for a violation of one of the properties of `wanted` (bits), in so many states (`limits.states`) and no more than `deepest`
/// steps from the start. `None` when none was met.
pub fn probe<S: Space>(space: &S, wanted: u64, deepest: u32, limits: &Limits) -> Option<Probe<S::Step>> {
    let watch = Watch::new(limits);
    let mut worker = space.worker();
    let mut kept = Kept { rows: Vec::new(), from: Vec::new(), width: space.width() };
    let mut known = FxHashSet::default();
    // The states that are still to be expanded, and how deep they are.
    let mut stack = Vec::new();
    for row in worker.initial() {
        if known.insert(fingerprint(&row)) {
            stack.push((kept.from.len(), 0));
            kept.rows.extend(row);
            kept.from.push((0, None));
        }
    }
    let mut row = Vec::new();
    while let Some((at, depth)) = stack.pop() {
        watch.counts(kept.from.len());
        if watch.check(space.error().is_some()) {
            return None;
        }
        row.clear();
        row.extend_from_slice(kept.row(at));
        let expanded = worker.expand(&row, |step, _, next| {
            if depth < deepest && known.insert(fingerprint(next)) {
                stack.push((kept.from.len(), depth + 1));
                kept.rows.extend_from_slice(next);
                kept.from.push((at as u32, Some(step)));
            }
        });
        let hit = expanded.violated & wanted;
        if hit != 0 {
            let property = hit.trailing_zeros() as usize;
            return Some(Probe { property, path: kept.path(at), states: kept.from.len() });
        }
    }
    None
}
