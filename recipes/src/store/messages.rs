//! Queues of messages with priorities: delivered at least once, acknowledged, delivered again.

use std::fmt;
use std::future::Future;

use super::StoreError;
use super::value::{Texts, Value};

/// A message as a consumer gets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message<T = String> {
    /// Its number within its queue, from 0: in the order of sending.
    pub id: u32,
    /// What it says.
    pub body: Value<T>,
    /// Higher goes first.
    pub priority: u8,
    /// For [`Messages::acknowledge`]: how often it has been delivered, this time included. An older receipt is void.
    pub receipt: u32,
}

/// What a client asks of the queues.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request<T = String> {
    /// Puts a message into a queue.
    Send(&'static str, Value<T>, u8),
    /// Takes the next message: the oldest of the highest priority among those that nobody has. Waits until there is one.
    Receive(&'static str),
    /// The same; answers at once when there is none.
    TryReceive(&'static str),
    /// The message (by number and receipt) is handled and goes away.
    Acknowledge(&'static str, u32, u32),
    /// The message is given back, for anyone to take.
    GiveBack(&'static str, u32, u32),
}

/// What the queues answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<T = String> {
    /// Send.
    Done,
    /// Receive, TryReceive.
    Message(Option<Message<T>>),
    /// Acknowledge, GiveBack: `false` when the receipt is void.
    Was(bool),
}

/// A client's handle.
pub trait Messages: Clone {
    /// Sends a request.
    fn request(&self, request: Request) -> impl Future<Output = Result<Response, StoreError>>;

    /// Puts a message into the queue.
    fn send(&self, queue: &'static str, body: Value, priority: u8) -> impl Future<Output = Result<(), StoreError>> {
        let call = self.request(Request::Send(queue, body, priority));
        async { call.await.map(drop) }
    }

    /// The next message; waits until there is one.
    fn receive(&self, queue: &'static str) -> impl Future<Output = Result<Message, StoreError>> {
        let call = self.request(Request::Receive(queue));
        async {
            match call.await? {
                Response::Message(Some(message)) => Ok(message),
                other => unreachable!("the queue answered with {other:?}"),
            }
        }
    }

    /// The next message, if there is one now.
    fn try_receive(&self, queue: &'static str) -> impl Future<Output = Result<Option<Message>, StoreError>> {
        let call = self.request(Request::TryReceive(queue));
        async {
            match call.await? {
                Response::Message(message) => Ok(message),
                other => unreachable!("the queue answered with {other:?}"),
            }
        }
    }

    /// The message is handled: `false` when it has been delivered again meanwhile.
    fn acknowledge(&self, queue: &'static str, message: &Message) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Acknowledge(queue, message.id, message.receipt)))
    }

    /// The message is given back: `false` when it has been delivered again meanwhile.
    fn give_back(&self, queue: &'static str, message: &Message) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::GiveBack(queue, message.id, message.receipt)))
    }
}

async fn was(call: impl Future<Output = Result<Response, StoreError>>) -> Result<bool, StoreError> {
    match call.await? {
        Response::Was(was) => Ok(was),
        other => unreachable!("the queue answered with {other:?}"),
    }
}

impl<T> Texts<T> for Message<T> {
    type With<U> = Message<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        self.body.texts(visit);
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Message<U> {
        Message { id: self.id, body: self.body.map(to), priority: self.priority, receipt: self.receipt }
    }
}

impl<T> Texts<T> for Request<T> {
    type With<U> = Request<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        if let Self::Send(_, body, _) = self {
            body.texts(visit);
        }
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        if let Self::Send(_, body, _) = self {
            body.fields(visit);
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Request<U> {
        match self {
            Self::Send(queue, body, priority) => Request::Send(queue, body.map(to), priority),
            Self::Receive(queue) => Request::Receive(queue),
            Self::TryReceive(queue) => Request::TryReceive(queue),
            Self::Acknowledge(queue, id, receipt) => Request::Acknowledge(queue, id, receipt),
            Self::GiveBack(queue, id, receipt) => Request::GiveBack(queue, id, receipt),
        }
    }
}

impl<T> Texts<T> for Response<T> {
    type With<U> = Response<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        if let Self::Message(Some(message)) = self {
            message.texts(visit);
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Response<U> {
        match self {
            Self::Done => Response::Done,
            Self::Message(message) => Response::Message(message.map(|message| message.map(to))),
            Self::Was(was) => Response::Was(was),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Message<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {} {} (priority {})", self.id, self.body, self.priority)?;
        if self.receipt > 1 { write!(f, ", delivery {}", self.receipt) } else { Ok(()) }
    }
}

impl<T: fmt::Display> fmt::Display for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send(queue, body, priority) => write!(f, "send {body} to {queue} with priority {priority}"),
            Self::Receive(queue) => write!(f, "receive from {queue}"),
            Self::TryReceive(queue) => write!(f, "receive from {queue} if there is one"),
            Self::Acknowledge(queue, id, receipt) => write!(f, "acknowledge {queue} message {id}, delivery {receipt}"),
            Self::GiveBack(queue, id, receipt) => write!(f, "give back {queue} message {id}, delivery {receipt}"),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Message(Some(message)) => write!(f, "{message}"),
            Self::Message(None) => f.write_str("no message"),
            Self::Was(true) => f.write_str("yes"),
            Self::Was(false) => f.write_str("no"),
        }
    }
}
