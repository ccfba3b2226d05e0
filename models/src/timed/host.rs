//! A client's machine: its clock, its library's connection, its ends of the wires, and what its program waits for by itself.

use std::collections::VecDeque;

use overtake_sim::clock::{ConnectionClock, MachineClock};
use overtake_sim::program::OpView;

use super::calls::{Flying, FlyingLate};

/// One direction of a wire: when each thing on it arrives. Only the head can be taken, so only for it there is an event.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// Moment of arrival, and whether it comes from the library itself and not over the network.
    pub arrivals: VecDeque<(u64, bool)>,
    /// The number of the event that is valid; events with another are stale.
    pub ticket: u64,
    /// Whether there is such an event.
    pub scheduled: bool,
}

impl Wire {
    /// The head was taken.
    pub fn pop(&mut self) {
        self.arrivals.pop_front();
        self.unschedule();
    }

    /// Everything on it is lost.
    pub fn clear(&mut self) {
        self.arrivals.clear();
        self.unschedule();
    }

    /// The event of the head is not valid any more.
    pub fn unschedule(&mut self) {
        self.ticket += 1;
        self.scheduled = false;
    }

    /// Something is put on it that would arrive at the moment; what was sent first arrives first.
    pub fn push(&mut self, at: u64, local: bool) {
        let at = self.arrivals.back().map_or(at, |(last, _)| at.max(*last));
        self.arrivals.push_back((at, local));
    }
}

/// Something that the program waits for and that nobody outside can end.
#[derive(Debug)]
pub(super) struct LocalOp {
    pub view: OpView,
    /// Position among the operations of the client's node.
    pub position: u8,
    pub ticket: u64,
}

/// A client's machine.
#[derive(Debug)]
pub(super) struct Host {
    pub clock: MachineClock,
    /// The library's clock of its connection; `None` without a session.
    pub connection: Option<ConnectionClock>,
    /// Goes up whenever the connection is another one.
    pub epoch: u64,
    pub out: Wire,
    pub incoming: Wire,
    pub local: Vec<LocalOp>,
    /// Its calls to stores, beside those of the world.
    pub calls: Vec<Flying>,
    /// Those that nobody waits for.
    pub late: Vec<FlyingLate>,
    /// News of nodes that have come or gone are on their way to it.
    pub hears_of_nodes: bool,
    /// The moment at which it begins: what its program asks for at first is asked for then.
    pub starts_at: u64,
    /// Up to this moment nothing that it sends arrives.
    pub mute_until: u64,
    /// Up to this moment nothing arrives that is sent to it.
    pub deaf_until: u64,
    /// The moment of the library's alarm that is in the queue.
    pub alarm: Option<u64>,
    /// The client's number in the state that was looked at last.
    pub word: u32,
}

impl Host {
    pub fn new(clock: MachineClock) -> Self {
        Self {
            clock,
            connection: None,
            epoch: 0,
            out: Wire::default(),
            incoming: Wire::default(),
            local: Vec::new(),
            calls: Vec::new(),
            late: Vec::new(),
            hears_of_nodes: false,
            starts_at: 0,
            mute_until: 0,
            deaf_until: 0,
            alarm: None,
            word: u32::MAX,
        }
    }

    /// When the library's thread wakes next, in true time.
    pub fn next_alarm(&self) -> Option<u64> {
        self.connection.as_ref().and_then(ConnectionClock::next_alarm).map(|reading| self.clock.moment(reading))
    }
}
