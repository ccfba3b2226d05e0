//! Queues with priorities: a message is delivered at least once, and is there until it is acknowledged.
//!
//! The next message is the oldest of the highest priority among those that nobody has. A message that was delivered is kept back
//! until its consumer acknowledges it or gives it back, or until the queue takes the consumer for dead: then it is ready
//! again, at its old place. The queue cannot tell a consumer that is dead from one that is slow, so the one step stands for
//! both. What it knows of a delivery is its receipt: the how-manieth delivery it was. Only the last one is good.
use std::collections::BTreeMap;

use overtake_recipes::store::messages as wire;

use super::value::inside;
use super::{Served, Service, Value};
use crate::names::{Name, Names, Text, Who};
use crate::world::Fault;

/// A request.
pub type Request = wire::Request<Text>;
/// A response.
pub type Response = wire::Response<Text>;
/// A message as it is delivered.
pub type Message = wire::Message<Text>;

/// Every call is one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Progress {}

/// What may happen inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    /// The message with this number is ready again, although its consumer may still be at work on it.
    Redeliver(&'static str, u32),
}

/// A message that is not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kept {
    body: Value,
    priority: u8,
    /// How often it was delivered.
    deliveries: u32,
    /// Whether a consumer has it: the holder of the last receipt.
    out: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Queue {
    /// How many messages were ever sent to it: the number of the next one.
    sent: u32,
    kept: BTreeMap<u32, Kept>,
}

/// The queues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Messages {
    /// Those to which something was ever sent.
    queues: BTreeMap<&'static str, Queue>,
}

impl Messages {
    /// The same with one more message in a queue.
    #[must_use]
    pub fn with(mut self, queue: &'static str, body: impl Into<overtake_recipes::Value>, priority: u8) -> Self {
        self.queues.entry(queue).or_default().put(inside(body.into()), priority);
        self
    }

    /// How many messages were ever sent to the queue, those that it began with included.
    pub fn sent(&self, queue: &str) -> u32 {
        self.queues.get(queue).map_or(0, |queue| queue.sent)
    }

    /// What is not acknowledged, by number; the receipt is that of the last delivery, 0 before the first.
    pub fn unacknowledged(&self, queue: &str) -> impl Iterator<Item = Message> {
        self.queues.get(queue).into_iter().flat_map(|queue| queue.kept.iter().map(|(id, kept)| kept.message(*id)))
    }

    /// The queues, with what is not acknowledged.
    pub fn queues(&self) -> impl Iterator<Item = (&'static str, Vec<Message>)> {
        self.queues.keys().map(|queue| (*queue, self.unacknowledged(queue).collect()))
    }

    /// What a consumer could take now, in the order in which it would be taken.
    pub fn ready(&self, queue: &str) -> Vec<Message> {
        let kept = self.queues.get(queue).into_iter().flat_map(|queue| &queue.kept);
        let mut ready: Vec<_> = kept.filter(|(_, kept)| !kept.out).map(|(id, kept)| kept.message(*id)).collect();
        ready.sort_by_key(|message| (std::cmp::Reverse(message.priority), message.id));
        ready
    }
}

impl Queue {
    fn put(&mut self, body: Value, priority: u8) {
        self.kept.insert(self.sent, Kept { body, priority, deliveries: 0, out: false });
        self.sent += 1;
    }

    /// Delivers the oldest message of the highest priority that nobody has.
    fn take(&mut self) -> Option<Message> {
        let ready = self.kept.iter_mut().filter(|(_, kept)| !kept.out);
        let (id, kept) = ready.min_by_key(|(id, kept)| (std::cmp::Reverse(kept.priority), **id))?;
        kept.out = true;
        kept.deliveries += 1;
        Some(kept.message(*id))
    }

    /// The message that was delivered with this receipt, if that delivery still counts.
    fn held(&mut self, id: u32, receipt: u32) -> Option<&mut Kept> {
        self.kept.get_mut(&id).filter(|kept| kept.out && kept.deliveries == receipt)
    }
}

impl Kept {
    fn message(&self, id: u32) -> Message {
        Message { id, body: self.body.clone(), priority: self.priority, receipt: self.deliveries }
    }
}

impl Service for Messages {
    type Request = Request;
    type Response = Response;
    type Progress = Progress;
    type Inner = Inner;

    fn serve(&mut self, _: Who, request: &Request, _: Option<&Progress>) -> Served<Response, Progress> {
        Served::Done(Ok(match request {
            Request::Send(queue, body, priority) => {
                self.queues.entry(queue).or_default().put(body.clone(), *priority);
                Response::Done
            }
            Request::Receive(queue) => match self.queues.get_mut(queue).and_then(Queue::take) {
                Some(message) => Response::Message(Some(message)),
                None => return Served::Waits,
            },
            Request::TryReceive(queue) => Response::Message(self.queues.get_mut(queue).and_then(Queue::take)),
            Request::Acknowledge(queue, id, receipt) => {
                let queue = self.queues.get_mut(queue).filter(|queue| queue.kept.contains_key(id));
                Response::Was(queue.is_some_and(|queue| {
                    let held = queue.held(*id, *receipt).is_some();
                    if held {
                        queue.kept.remove(id);
                    }
                    held
                }))
            }
            Request::GiveBack(queue, id, receipt) => {
                let held = self.queues.get_mut(queue).and_then(|queue| queue.held(*id, *receipt));
                Response::Was(held.map(|kept| kept.out = false).is_some())
            }
        }))
    }

    fn inner(&self) -> Vec<Inner> {
        let out = |(name, queue): (&&'static str, &Queue)| {
            let name = *name;
            let out: Vec<_> = queue.kept.iter().filter(|(_, kept)| kept.out).map(|(id, _)| *id).collect();
            out.into_iter().map(move |id| Inner::Redeliver(name, id))
        };
        self.queues.iter().flat_map(out).collect()
    }

    fn fault(_: &Inner) -> Option<Fault> {
        Some(Fault::Redelivery)
    }

    fn take(&mut self, Inner::Redeliver(queue, id): &Inner) {
        let kept = self.queues.get_mut(queue).and_then(|queue| queue.kept.get_mut(id));
        kept.expect("only a message that is out is delivered again").out = false;
    }

    fn describe(&self, Inner::Redeliver(queue, id): &Inner) -> String {
        format!("{queue} message {id} is ready again, unacknowledged")
    }
}

impl Names for Messages {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        for kept in self.queues.values_mut().flat_map(|queue| queue.kept.values_mut()) {
            kept.body.names(visit);
        }
    }
}

impl Names for Progress {
    fn names(&mut self, _: &mut dyn FnMut(Name<'_>)) {
        match *self {}
    }
}
