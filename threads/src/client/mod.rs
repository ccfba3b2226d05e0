//! A client for threads: an event thread that delivers, a thread for listeners of the connection's state, a background
//! thread, and a clock; over a [`Service`] that all clients of a hub share.
//!
//! Calls are answered at once, as by a library whose input thread is never held up; with [`Options::replies_queue`] the
//! answers go through the event thread like everything else. Watches and the session's events are always its matter.
mod background;
mod environment;
mod event_thread;
mod faults;
mod guaranteed;
mod hub;
mod listener;
mod request;
mod waits;
mod words;
mod zookeeper;

use std::sync::Arc;

use overtake_recipes::ZkError;

pub use environment::Env;
pub(crate) use guaranteed::delete_for_certain;
pub use hub::{Hub, Link};
pub use request::{Answer, Faults, Frame, Request, Response, Rewatch, Service, Table};
pub use words::short;
pub use zookeeper::{Handle, HandleWatch};

use crate::block_on::{Interrupt, Interrupted, Tasks, block_on, block_on_or};
use crate::sync::{Role, Threads};
use background::Background;
use listener::Listeners;

/// How a client behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Answers are delivered by the event thread, behind what is on its way already.
    pub replies_queue: bool,
}

/// A client. Clones are the same client.
pub struct Client<S: Threads, V: Service> {
    inner: Arc<Inner<S, V>>,
}

impl<S: Threads, V: Service> Clone for Client<S, V> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

struct Inner<S: Threads, V: Service> {
    hub: Arc<Hub<S, V>>,
    place: usize,
    options: Options,
    background: Background<S, V>,
    listeners: Listeners<S>,
    /// The clock thread is running.
    clocked: S::Flag,
}

impl<S: Threads, V: Service> Client<S, V> {
    /// The client at the place of the hub, connected.
    ///
    /// # Panics
    /// When the hub has no such place.
    pub fn start(hub: &Arc<Hub<S, V>>, place: usize, options: Options) -> Self {
        let client = Self::offline(hub, place, options);
        let connected = client.connect();
        assert!(connected.is_ok(), "a fresh client connects: {connected:?}");
        client
    }

    /// The client at the place of the hub, without a session until it [connects](Self::connect).
    ///
    /// # Panics
    /// When the hub has no such place.
    pub fn offline(hub: &Arc<Hub<S, V>>, place: usize, options: Options) -> Self {
        let inner = Inner {
            hub: hub.clone(),
            place,
            options,
            background: Background::new(),
            listeners: Listeners::new(),
            clocked: S::flag("mark that the clock thread runs", false),
        };
        let client = Self { inner: Arc::new(inner) };
        let this = client.clone();
        S::spawn(Role::Daemon, format!("event thread {}", place + 1), move || this.deliver_events());
        client
    }

    /// Opens a session, unless there is one.
    ///
    /// # Errors
    /// When the service does not let it.
    pub fn connect(&self) -> Result<(), ZkError> {
        self.inner.hub.serve(self.inner.place, &Request::Connect, false, |_, _, _| ()).0.map(drop)
    }

    /// Makes a request that is meant for one session: in that, or not at all.
    ///
    /// # Errors
    /// [`ZkError::SessionExpired`] when it is another session by now, and as the request itself.
    pub fn request_in(&self, session: i64, request: &Request) -> Answer {
        self.inner.hub.serve_in(self.inner.place, Some(session), request, false, |_, _, _| ()).0
    }

    /// The hub.
    pub fn hub(&self) -> &Arc<Hub<S, V>> {
        &self.inner.hub
    }

    /// Its place.
    pub fn place(&self) -> usize {
        self.inner.place
    }

    /// The current session, 0 for none.
    pub fn session(&self) -> i64 {
        self.inner.hub.session(self.inner.place)
    }

    /// Runs what `make` makes of the surroundings, on the calling thread.
    pub fn run<F: Future>(&self, make: impl FnOnce(Env<S, V>) -> F) -> F::Output {
        let tasks = Tasks::default();
        let future = make(Env::new(self.clone(), tasks.clone()));
        block_on::<S, F>(&tasks, future)
    }

    /// As [`run`](Self::run), until it is interrupted.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn run_or<F: Future>(
        &self,
        interrupt: &Interrupt<S>,
        make: impl FnOnce(Env<S, V>) -> F,
    ) -> Result<F::Output, Interrupted> {
        let tasks = Tasks::default();
        let future = make(Env::new(self.clone(), tasks.clone()));
        block_on_or::<S, F>(&tasks, interrupt, future)
    }

    /// Ends the client: its session is closed, its threads end, and whoever waits is told that the session is over.
    pub fn close(&self) {
        self.end(true);
    }

    /// Lets the threads of the client end, without a word to the service.
    pub fn stop(&self) {
        self.end(false);
    }

    fn end(&self, politely: bool) {
        let (hub, place) = (&self.inner.hub, self.inner.place);
        let (mut wakers, mut told) = (Vec::new(), vec![place]);
        {
            let how = if politely { "closes" } else { "stops" };
            let mut shared = S::lock_to(&hub.shared, || format!("client {} {how}", place + 1));
            if politely && shared.members[place].link == Link::Up {
                let mut events = Vec::new();
                // Whatever it answers, the client is gone.
                let _ = shared.service.serve(place, &Request::Close, &mut events);
                shared.put(events, &mut told);
            }
            let member = &mut shared.members[place];
            member.closed = true;
            member.link = Link::Off;
            for watch in member.watches.iter() {
                let over = overtake_recipes::SessionState::Expired;
                watch.unread.push_back(overtake_recipes::WatchedEvent::Session(over));
                wakers.extend(watch.waker.take());
            }
            wakers.extend(member.timers.iter().filter_map(|timer| timer.waker.take()));
            wakers.extend(member.calls.iter().filter_map(|call| call.waker.take()));
            hub.publish(place, 0);
        }
        hub.ring(&told);
        S::notify_all(hub.clock(place));
        self.inner.listeners.stop();
        self.inner.background.stop();
        wakers.into_iter().for_each(|waker| waker.wake());
    }

    /// Whether [`stop`](Self::stop) or [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        // Whoever closes it locks the whole.
        self.inner.hub.lock(&[], || "looks whether the client is closed".into()).members[self.inner.place].closed
    }
}
