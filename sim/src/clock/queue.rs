//! The event queue of virtual time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Events by their moments. Events of one moment come out in the order in which they went in, so that a run is a function
/// of its seed. Time never goes back: an event that is put in late comes out at the moment that the queue has reached.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    now: u64,
    pushed: u64,
}

#[derive(Clone, Debug)]
struct Entry<E> {
    at: u64,
    number: u64,
    event: E,
}

impl<E> Entry<E> {
    /// Moment, then number, as one number: compared at once.
    fn key(&self) -> u128 {
        u128::from(self.at) << 64 | u128::from(self.number)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), now: 0, pushed: 0 }
    }
}

impl<E> EventQueue<E> {
    /// An empty queue at moment 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The moment of the event that came out last, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Puts an event in, for a moment in nanoseconds since the start; one that has passed counts as now.
    pub fn push(&mut self, at: u64, event: E) {
        self.heap.push(Reverse(Entry { at: at.max(self.now), number: self.pushed, event }));
        self.pushed += 1;
    }

    /// Puts an event in that many nanoseconds from now.
    pub fn push_in(&mut self, delay: u64, event: E) {
        self.push(self.now.saturating_add(delay), event);
    }

    /// Takes the next event out and moves to its moment.
    pub fn pop(&mut self) -> Option<(u64, E)> {
        let Reverse(Entry { at, event, .. }) = self.heap.pop()?;
        self.now = at;
        Some((at, event))
    }

    /// The moment of the next event.
    pub fn next_moment(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    /// Number of events in it.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is left to happen.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_by_moment_and_then_as_they_went_in() {
        let mut queue = EventQueue::new();
        for (at, event) in [(5, 'c'), (1, 'a'), (5, 'd'), (1, 'b'), (5, 'e')] {
            queue.push(at, event);
        }
        assert_eq!((queue.len(), queue.next_moment()), (5, Some(1)));
        let order: Vec<(u64, char)> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [(1, 'a'), (1, 'b'), (5, 'c'), (5, 'd'), (5, 'e')]);
        assert!(queue.is_empty());
    }

    #[test]
    fn time_never_goes_back() {
        let mut queue = EventQueue::new();
        queue.push(10, "late");
        queue.pop();
        queue.push(3, "already over");
        queue.push_in(2, "soon");
        assert_eq!(queue.pop(), Some((10, "already over")));
        assert_eq!(queue.pop(), Some((12, "soon")));
        assert_eq!(queue.now(), 12);
    }
}
