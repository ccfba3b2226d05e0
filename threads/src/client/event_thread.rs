//! The event thread: what comes from the service goes to those who wait for it, one thing after the other.

use std::task::Waker;

use overtake_recipes::client::ConnectionState;
use overtake_recipes::{SessionState, WatchedEvent};

use super::Client;
use super::hub::{Member, part};
use super::request::{Frame, Service};
use crate::sync::{Part, Threads};

/// What a delivered frame asks for, outside of the lock.
#[derive(Default)]
pub(super) struct Delivered {
    wakers: Vec<Waker>,
    change: Option<ConnectionState>,
}

impl<S: Threads, V: Service> Client<S, V> {
    /// The body of the event thread.
    pub(super) fn deliver_events(&self) {
        let (hub, place) = (&self.inner.hub, self.inner.place);
        loop {
            let mut shared = hub.lock(&[Part::written(part::inbox(place))], || "looks for events".into());
            while shared.members[place].frames.is_empty() && !shared.members[place].closed {
                shared = S::wait(hub.bell(place), shared);
            }
            let Some(frame) = shared.members[place].frames.pop_front() else { return };
            let delivered = shared.members[place].deliver(&frame);
            drop(shared);
            self.told(delivered);
        }
    }

    fn told(&self, delivered: Delivered) {
        if let Some(change) = delivered.change {
            self.inner.listeners.told(change);
        }
        delivered.wakers.into_iter().for_each(Waker::wake);
    }
}

impl Member {
    /// Puts a frame where it belongs.
    pub(super) fn deliver(&mut self, frame: &Frame) -> Delivered {
        let mut delivered = Delivered::default();
        match frame {
            Frame::Event(kind, path) => {
                for watch in self.watches.iter() {
                    if watch.table.is_told(&watch.path, *kind, path) {
                        watch.unread.push_back(WatchedEvent::Node { kind: *kind, path: path.clone() });
                        if watch.table.is_one_shot() {
                            // It still hears of the session.
                            watch.table = super::Table::Session;
                        }
                        delivered.wakers.extend(watch.waker.take());
                    }
                }
            }
            Frame::Session(state) => {
                for watch in self.watches.iter() {
                    watch.unread.push_back(WatchedEvent::Session(*state));
                    if *state == SessionState::Expired {
                        watch.table = super::Table::Session;
                    }
                    delivered.wakers.extend(watch.waker.take());
                }
                delivered.change = self.states.on(*state);
            }
            Frame::Reply(number, answer) => {
                if let Some(call) = self.calls.get(*number) {
                    call.answer = Some(answer.clone());
                    delivered.wakers.extend(call.waker.take());
                }
            }
        }
        delivered
    }
}
