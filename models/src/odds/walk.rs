//! One run over a field: clocks with their ages, and what happens when the first of them runs out.
//!
//! What is left of a clock is not kept but drawn when it matters, given how long the clock has run already. So two copies of a
//! run go different ways from where they are parted, which splitting needs, and the probability of each next step can be
//! told, which importance sampling needs.

use overtake_sim::clock::Rng;

use super::estimate::Batch;
use super::field::Field;
use super::graph::{ANEW, SAFE, VIOLATED, WAITED};
use super::law::{Law, SAME};

/// A clock that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    /// Which stage of its entry it is in.
    pub stage: u8,
    /// For how long, in nanoseconds.
    pub age: f64,
}

/// A run, as far as it has come.
#[derive(Clone, Debug)]
pub(super) struct Walk<'f> {
    field: &'f Field,
    pub node: u32,
    /// Beside the entries of the node.
    pub clocks: Vec<Clock>,
    /// When each client begins, where that was drawn before.
    begins: Option<Vec<f64>>,
    /// The time that has passed.
    now: f64,
    spare: Vec<Clock>,
}

/// What becomes of a run in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// A property is violated.
    Violated,
    /// Nothing can go wrong any more.
    Safe,
}

/// Steps after which a run is given up.
pub(super) const MOST_STEPS: usize = 1_000_000;

impl<'f> Walk<'f> {
    /// The start of a run; `begins` are the moments at which clients begin, where they are not drawn with the rest.
    pub fn new(field: &'f Field, begins: Option<Vec<f64>>) -> Self {
        let clocks = vec![Clock::default(); field.nodes[field.start as usize].len()];
        Self { field, node: field.start, clocks, begins, now: 0.0, spare: Vec::new() }
    }

    /// Whether it has come to an end.
    pub fn fate(&self) -> Option<Fate> {
        match self.node {
            VIOLATED => Some(Fate::Violated),
            SAFE => Some(Fate::Safe),
            _ => None,
        }
    }

    /// The number of clocks that run.
    pub fn len(&self) -> usize {
        self.clocks.len()
    }

    /// The law of the stage that the clock is in.
    pub fn law(&self, at: usize) -> std::borrow::Cow<'f, Law> {
        let entry = &self.field.nodes[self.node as usize][at];
        match (&self.begins, entry.begins) {
            (Some(begins), Some(client)) => std::borrow::Cow::Owned(Law::Constant(begins[usize::from(client)])),
            _ => {
                std::borrow::Cow::Borrowed(&self.field.laws[entry.stages[usize::from(self.clocks[at].stage)] as usize])
            }
        }
    }

    /// The entries that happen at once, if some do.
    pub fn at_once(&self) -> Option<std::ops::Range<usize>> {
        let group = self.field.at_once(self.node, |at| self.clocks[at].stage)?;
        // Beginnings that were drawn before take the time that was drawn.
        let drawn = self.begins.is_some() && self.field.nodes[self.node as usize][group.start].begins.is_some();
        (!drawn).then_some(group)
    }

    /// The node to which the clock leads when its stage is over.
    pub fn next(&self, at: usize) -> u32 {
        let entry = &self.field.nodes[self.node as usize][at];
        if usize::from(self.clocks[at].stage) + 1 < entry.stages.len() { self.node } else { entry.next }
    }

    /// So much time passes, until that clock ends.
    pub fn pass(&mut self, time: f64, winner: usize) {
        self.now += time;
        for at in 0..self.len() {
            let over = self.clocks[at].age + time;
            // Of clocks that end at the same moment the first in order wins: those before it have lasted longer.
            let lasts = at < winner && matches!(&*self.law(at), Law::Measured(_)) && self.law(at).is_atom(over);
            self.clocks[at].age = if lasts { over + 2.0 * SAME } else { over };
        }
    }

    /// The stage of the clock is over.
    pub fn fire(&mut self, at: usize) {
        let entry = &self.field.nodes[self.node as usize][at];
        let clock = &mut self.clocks[at];
        if usize::from(clock.stage) + 1 < entry.stages.len() {
            *clock = Clock { stage: clock.stage + 1, age: 0.0 };
            return;
        }
        self.spare.clear();
        let next = &self.field.nodes[entry.next as usize];
        let kept = |(to, from): (usize, &u8)| match *from {
            ANEW => Clock::default(),
            WAITED => Clock { stage: next[to].waited, age: 0.0 },
            from => self.clocks[usize::from(from)],
        };
        self.spare.extend(entry.carried.iter().enumerate().map(kept));
        std::mem::swap(&mut self.clocks, &mut self.spare);
        self.node = entry.next;
        if self.begins.is_some() {
            // These clocks have run since the start.
            let beginnings = self.clocks.iter_mut().zip(next).filter(|(_, entry)| entry.begins.is_some());
            beginnings.for_each(|(clock, _)| clock.age = self.now);
        }
    }

    /// Goes one step as it really goes.
    pub fn step(&mut self, rng: &mut Rng) {
        if let Some(group) = self.at_once() {
            let at = group.start + rng.below(group.len() as u64) as usize;
            return self.fire(at);
        }
        let (mut first, mut least) = (0, f64::INFINITY);
        for at in 0..self.len() {
            let left = self.law(at).left(self.clocks[at].age, rng);
            if left < least {
                (first, least) = (at, left);
            }
        }
        self.pass(least, first);
        self.fire(first);
    }

    /// Goes on to the end as it really goes; `None` where it comes to no end.
    pub fn finish(&mut self, rng: &mut Rng) -> Option<Fate> {
        for _ in 0..MOST_STEPS {
            if let Some(fate) = self.fate() {
                return Some(fate);
            }
            self.step(rng);
        }
        None
    }
}

/// So many runs as they really go, each of weight 1 where it goes wrong: plain Monte Carlo over the field.
pub fn plain(field: &Field, runs: u64, rng: &mut Rng) -> Batch {
    let mut batch = Batch::default();
    for _ in 0..runs {
        match Walk::new(field, None).finish(rng) {
            Some(fate) => batch.push(f64::from(u8::from(fate == Fate::Violated))),
            None => batch.give_up(),
        }
    }
    batch
}
