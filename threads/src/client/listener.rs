//! Listeners of the connection's state, on a thread of their own: told late, in order, and never on the event thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use overtake_recipes::client::ConnectionState;

use super::Client;
use super::request::Service;
use crate::gate::Gate;
use crate::sync::{Role, Threads};

type Listener = Arc<dyn Fn(ConnectionState) + Send + Sync>;

pub(super) struct Listeners<S: Threads> {
    queue: S::Mutex<Queue>,
    bell: S::Condvar,
    runs: S::Flag,
    /// No call of a listener begins after it is closed.
    gate: Gate<S>,
}

#[derive(Default)]
struct Queue {
    changes: VecDeque<ConnectionState>,
    listeners: Vec<(u64, Listener)>,
    next: u64,
    stopped: bool,
}

impl<S: Threads> Listeners<S> {
    pub fn new() -> Self {
        Self {
            queue: S::mutex("state queue", Queue::default()),
            bell: S::condvar("state queue"),
            runs: S::flag("mark that the listener thread runs", false),
            gate: Gate::new(),
        }
    }

    /// A change, from the event thread.
    pub fn told(&self, change: ConnectionState) {
        if !S::is_set(&self.runs, Ordering::Acquire) {
            return;
        }
        let mut queue = S::lock_to(&self.queue, || format!("tells that the connection is {change:?}"));
        queue.changes.push_back(change);
        drop(queue);
        S::notify_all(&self.bell);
    }

    pub fn stop(&self) {
        self.gate.close();
        S::lock(&self.queue).stopped = true;
        S::notify_all(&self.bell);
    }
}

impl<S: Threads, V: Service> Client<S, V> {
    /// Calls the listener with each change of the connection from now on, on the thread of the listeners. Answers a
    /// number to [take it away](Self::unlisten) with.
    pub fn listen(&self, listener: impl Fn(ConnectionState) + Send + Sync + 'static) -> u64 {
        let listeners = &self.inner.listeners;
        let mut queue = S::lock_to(&listeners.queue, || "adds a listener".into());
        queue.next += 1;
        let number = queue.next;
        queue.listeners.push((number, Arc::new(listener)));
        drop(queue);
        if !S::swap_flag(&listeners.runs, true, Ordering::AcqRel) {
            let this = self.clone();
            let name = format!("state listener {}", self.inner.place + 1);
            S::spawn(Role::Daemon, name, move || this.tell_listeners());
        }
        number
    }

    /// Takes a listener away. A call of it that is under way goes on.
    pub fn unlisten(&self, number: u64) {
        let mut queue = S::lock_to(&self.inner.listeners.queue, || "takes a listener away".into());
        queue.listeners.retain(|(other, _)| *other != number);
    }

    /// The body of the listeners' thread.
    fn tell_listeners(&self) {
        let listeners = &self.inner.listeners;
        let mut queue = S::lock_to(&listeners.queue, || "looks for changes".into());
        loop {
            if queue.stopped {
                return;
            }
            let Some(change) = queue.changes.pop_front() else {
                queue = S::wait(&listeners.bell, queue);
                continue;
            };
            let all: Vec<Listener> = queue.listeners.iter().map(|(_, listener)| listener.clone()).collect();
            drop(queue);
            for listener in all {
                if listeners.gate.enter() {
                    listener(change);
                    listeners.gate.leave();
                }
            }
            queue = S::lock_to(&listeners.queue, || "looks for changes".into());
        }
    }
}
