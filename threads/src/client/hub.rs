//! What the clients of one service share: the service, and for each client what is on its way to it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Waker;
use std::time::Duration;

use overtake_recipes::client::States;
use overtake_recipes::{SessionState, WatchedEvent, ZkError};

use super::request::{Answer, Frame, Request, Response, Service, Table};
use crate::sync::{Part, Threads};

/// How a client is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Connected.
    Up,
    /// Broken: calls fail, the session may live.
    Down,
    /// No session.
    Off,
}

pub(super) struct Watching {
    pub table: Table,
    pub path: String,
    pub unread: VecDeque<WatchedEvent>,
    pub waker: Option<Waker>,
    /// The thread that waits for it now.
    pub waits: Option<String>,
}

pub(super) struct Timer {
    pub due: Duration,
    pub fired: bool,
    pub waker: Option<Waker>,
}

pub(super) struct Call {
    pub answer: Option<Answer>,
    pub waker: Option<Waker>,
}

/// Things by number. Numbers are not used again.
pub(super) struct Numbered<T> {
    items: Vec<(u64, T)>,
    next: u64,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { items: Vec::new(), next: 0 }
    }
}

impl<T> Numbered<T> {
    pub fn add(&mut self, item: T) -> u64 {
        self.next += 1;
        self.items.push((self.next, item));
        self.next
    }

    pub fn get(&mut self, number: u64) -> Option<&mut T> {
        self.items.iter_mut().find(|(n, _)| *n == number).map(|(_, item)| item)
    }

    pub fn remove(&mut self, number: u64) -> Option<T> {
        let at = self.items.iter().position(|(n, _)| *n == number)?;
        Some(self.items.remove(at).1)
    }

    pub fn numbered(&self) -> impl Iterator<Item = (u64, &T)> {
        self.items.iter().map(|(number, item)| (*number, item))
    }

    pub fn iter(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().map(|(_, item)| item)
    }
}

pub(super) struct Member {
    pub frames: VecDeque<Frame>,
    pub watches: Numbered<Watching>,
    pub timers: Numbered<Timer>,
    pub calls: Numbered<Call>,
    pub link: Link,
    pub states: States,
    /// How many timers were fired since the connection broke.
    pub fired_while_down: usize,
    pub closed: bool,
    pub lose_next_reply: bool,
}

impl Default for Member {
    fn default() -> Self {
        Self {
            frames: VecDeque::new(),
            watches: Numbered::default(),
            timers: Numbered::default(),
            calls: Numbered::default(),
            link: Link::Off,
            states: States::default(),
            fired_while_down: 0,
            closed: false,
            lose_next_reply: false,
        }
    }
}

/// The parts of what is shared, for searches: what two clients do is tried in both orders only where they meet.
pub(super) mod part {
    /// The service's tree. Whoever only reads it, or sets a watch, disturbs nobody who does the same.
    pub const TREE: u32 = 0;

    const fn of(client: usize, which: u32) -> u32 {
        1 + 4 * client as u32 + which
    }

    /// How a client is connected, and its session.
    pub const fn link(client: usize) -> u32 {
        of(client, 0)
    }

    /// What is on the way to a client, and what waits for it.
    pub const fn inbox(client: usize) -> u32 {
        of(client, 1)
    }

    /// A client's timers.
    pub const fn timers(client: usize) -> u32 {
        of(client, 2)
    }

    /// A client's ids.
    pub const fn ids(client: usize) -> u32 {
        of(client, 3)
    }
}

pub(super) struct Shared<V> {
    pub service: V,
    pub members: Vec<Member>,
    /// Which thread made which node, for the story of a deadlock.
    pub makers: Vec<(String, String)>,
}

/// A service and its clients.
pub struct Hub<S: Threads, V: Service> {
    pub(super) shared: S::Mutex<Shared<V>>,
    /// For each client: something is on its way.
    bells: Vec<S::Condvar>,
    /// For each client: there are more timers, or they run again.
    pub(super) clocks: Vec<S::Condvar>,
    /// For each client: its session.
    sessions: Vec<S::Word>,
}

impl<S: Threads, V: Service> Hub<S, V> {
    /// A hub with places for so many clients.
    pub fn new(service: V, clients: usize) -> Arc<Self> {
        let members = (0..clients).map(|_| Member::default()).collect();
        Arc::new(Self {
            shared: S::mutex("server", Shared { service, members, makers: Vec::new() }),
            bells: (0..clients).map(|_| S::condvar("event queue")).collect(),
            clocks: (0..clients).map(|_| S::condvar("clock")).collect(),
            sessions: (0..clients).map(|_| S::word("number of the session", 0)).collect(),
        })
    }

    pub(super) fn bell(&self, client: usize) -> &S::Condvar {
        &self.bells[client]
    }

    pub(super) fn clock(&self, client: usize) -> &S::Condvar {
        &self.clocks[client]
    }

    /// Locks for some parts only.
    pub(super) fn lock(&self, parts: &[Part], what: impl FnOnce() -> String) -> S::Guard<'_, Shared<V>> {
        S::lock_parts(&self.shared, parts, what)
    }

    /// The session of the client.
    pub fn session(&self, client: usize) -> i64 {
        S::load(&self.sessions[client], Ordering::Acquire) as i64
    }

    /// Does something with the service, as one step.
    pub fn with<R>(&self, what: &str, act: impl FnOnce(&mut V) -> R) -> R {
        act(&mut S::lock_to(&self.shared, || what.to_owned()).service)
    }

    /// Serves a request of a client now: the answer, and whoever is told of something is told. `more` is done in the same
    /// step.
    pub(super) fn serve<R>(
        &self,
        client: usize,
        request: &Request,
        queued: bool,
        more: impl FnOnce(&mut Shared<V>, &Answer, &mut Vec<usize>) -> R,
    ) -> (Answer, R) {
        self.serve_in(client, None, request, queued, more)
    }

    /// As [`serve`](Self::serve), in this session or not at all.
    pub(super) fn serve_in<R>(
        &self,
        client: usize,
        session: Option<i64>,
        request: &Request,
        queued: bool,
        more: impl FnOnce(&mut Shared<V>, &Answer, &mut Vec<usize>) -> R,
    ) -> (Answer, R) {
        let session_changes = matches!(request, Request::Connect | Request::Close);
        let tree = Part { number: part::TREE, writes: request.writes() };
        let link = Part { number: part::link(client), writes: session_changes };
        // Without a watch the inbox is not touched.
        let inbox = Part { number: part::inbox(client), writes: true };
        let parts = [tree, link, inbox];
        let parts = if queued || request.watches() { &parts[..] } else { &parts[..2] };
        let mut told = Vec::new();
        let mut shared = self.lock(parts, || format!("→ {request}"));
        let before = shared.members[client].link;
        let answer = match session.is_some_and(|session| session != shared.service.session(client)) {
            true => Err(ZkError::SessionExpired),
            false => shared.serve(client, request, &mut told),
        };
        let done = more(&mut shared, &answer, &mut told);
        if shared.members[client].link != before {
            S::wrote(&self.shared, part::link(client));
        }
        let session = shared.service.session(client) as usize;
        self.wrote_to(&told);
        if session_changes && answer.is_ok() {
            self.publish(client, session);
        }
        drop(shared);
        self.ring(&told);
        (answer, done)
    }

    /// What is on its way to these was written by whoever has locked what is shared.
    pub(super) fn wrote_to(&self, told: &[usize]) {
        told.iter().for_each(|client| S::wrote(&self.shared, part::inbox(*client)));
    }

    /// Wakes the event threads of those who are told something.
    pub(super) fn ring(&self, told: &[usize]) {
        for client in once_each(told) {
            S::notify_all(&self.bells[client]);
        }
    }

    /// Tells everybody which session the client has, 0 for none. Whoever calls it still has locked the link of the client, to
    /// write it: otherwise one who was first could have the last word.
    pub(super) fn publish(&self, client: usize, session: usize) {
        S::store(&self.sessions[client], session, Ordering::Release);
    }
}

/// Each of them once.
fn once_each(told: &[usize]) -> Vec<usize> {
    let mut clients = told.to_vec();
    clients.sort_unstable();
    clients.dedup();
    clients
}

impl<V: Service> Shared<V> {
    /// Serves a request, and puts what it causes on the way; who is told goes to `told`.
    pub fn serve(&mut self, client: usize, request: &Request, told: &mut Vec<usize>) -> Answer {
        match self.members[client].link {
            _ if self.members[client].closed => return Err(ZkError::SessionExpired),
            Link::Down => return Err(ZkError::ConnectionLoss),
            Link::Off if *request != Request::Connect => return Err(ZkError::SessionExpired),
            // Another thread was faster.
            Link::Up if *request == Request::Connect => return Ok(Response::Done),
            _ => {}
        }
        let mut events = Vec::new();
        let mut answer = self.service.serve(client, request, &mut events);
        self.put(events, told);
        match request {
            Request::Connect if answer.is_ok() => {
                self.members[client].link = Link::Up;
                self.send(client, Frame::Session(SessionState::Connected), told);
            }
            Request::Close if answer.is_ok() => self.members[client].link = Link::Off,
            _ => {}
        }
        // The service does not know the session any more: it closes the connection (§3.5).
        let is_over = answer == Err(ZkError::SessionExpired);
        if is_over || std::mem::take(&mut self.members[client].lose_next_reply) {
            self.members[client].link = Link::Down;
            self.members[client].fired_while_down = 0;
            self.send(client, Frame::Session(SessionState::Disconnected), told);
            answer = Err(ZkError::ConnectionLoss);
        }
        answer
    }

    pub fn put(&mut self, events: Vec<(usize, Frame)>, told: &mut Vec<usize>) {
        for (client, frame) in events {
            self.send(client, frame, told);
        }
    }

    pub fn send(&mut self, client: usize, frame: Frame, told: &mut Vec<usize>) {
        self.members[client].frames.push_back(frame);
        told.push(client);
    }
}

#[cfg(test)]
mod tests {
    use super::once_each;

    #[test]
    fn everybody_who_is_told_is_rung_for_once() {
        assert_eq!(once_each(&[64, 0, 64, 3, 0]), [0, 3, 64]);
    }
}
