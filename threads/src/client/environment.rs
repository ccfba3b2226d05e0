//! The surroundings of a recipe on one thread.

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use overtake_recipes::Environment;

use super::hub::{Link, Timer, part};
use super::request::Service;
use super::{Client, Handle};
use crate::block_on::Tasks;
use crate::sync::{Part, Role, Threads};

/// What a recipe sees of its surroundings: the client, and the thread that it runs on.
pub struct Env<S: Threads, V: Service> {
    client: Client<S, V>,
    tasks: Tasks,
    created_in: Rc<Cell<i64>>,
}

impl<S: Threads, V: Service> Env<S, V> {
    pub(super) fn new(client: Client<S, V>, tasks: Tasks) -> Self {
        Self { client, tasks, created_in: Rc::default() }
    }

    /// The client.
    pub fn client(&self) -> &Client<S, V> {
        &self.client
    }

    /// The session in which the last create of this run was sent, 0 for none. The client may have another one by now: what
    /// was created is not of that.
    pub fn created_in(&self) -> i64 {
        self.created_in.get()
    }
}

impl<S: Threads, V: Service> Clone for Env<S, V> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), tasks: self.tasks.clone(), created_in: self.created_in.clone() }
    }
}

impl<S: Threads, V: Service> fmt::Debug for Env<S, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "surroundings of client {}", self.client.place() + 1)
    }
}

impl<S: Threads, V: Service> Environment for Env<S, V> {
    type ZooKeeper = Handle<S, V>;

    fn zookeeper(&self) -> Handle<S, V> {
        Handle { client: self.client.clone(), created_in: self.created_in.clone() }
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> {
        let client = self.client.clone();
        async move {
            let sleep = Sleep::begin(client, duration);
            poll_fn(|context| {
                let (place, number) = (sleep.client.inner.place, sleep.number);
                let what = || format!("looks at its timer {number}");
                let parts = [Part::written(part::timers(place))];
                let mut shared = sleep.client.inner.hub.lock(&parts, what);
                let member = &mut shared.members[place];
                let closed = member.closed;
                match member.timers.get(number) {
                    Some(timer) if !timer.fired && !closed => {
                        timer.waker = Some(context.waker().clone());
                        Poll::Pending
                    }
                    _ => Poll::Ready(()),
                }
            })
            .await;
        }
    }

    fn unique_id(&self) -> String {
        let inner = &self.client.inner;
        let parts = [Part::written(part::ids(inner.place))];
        inner.hub.lock(&parts, || "draws an id".into()).service.unique_id(inner.place)
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.tasks.push(task);
    }

    fn hand_over<F: Future<Output = ()> + 'static>(&self, make: impl FnOnce(Self) -> F + Send + 'static) {
        self.client.in_background(move |env, tasks| tasks.push(make(env)));
    }
}

/// A timer, taken away when it is dropped.
struct Sleep<S: Threads, V: Service> {
    client: Client<S, V>,
    number: u64,
}

impl<S: Threads, V: Service> Sleep<S, V> {
    fn begin(client: Client<S, V>, duration: Duration) -> Self {
        let due = S::now() + duration;
        let place = client.inner.place;
        let parts = [Part::written(part::timers(place))];
        let timer = Timer { due, fired: false, waker: None };
        let number = client.inner.hub.lock(&parts, || "sets a timer".into()).members[place].timers.add(timer);
        client.wind_the_clock();
        Self { client, number }
    }
}

impl<S: Threads, V: Service> Drop for Sleep<S, V> {
    fn drop(&mut self) {
        let what = || format!("forgets its timer {}", self.number);
        let place = self.client.inner.place;
        let parts = [Part::written(part::timers(place))];
        self.client.inner.hub.lock(&parts, what).members[place].timers.remove(self.number);
    }
}

/// Where time is a choice: so many timers are fired at most while a connection is broken. Each pause before the next try
/// ends in another failure there, and without a bound there is no end to them.
const MOST_WHILE_DOWN: usize = 4;

impl<S: Threads, V: Service> Client<S, V> {
    /// Starts the clock thread, or tells it that there is one timer more.
    fn wind_the_clock(&self) {
        use std::sync::atomic::Ordering::AcqRel;
        if S::swap_flag(&self.inner.clocked, true, AcqRel) {
            S::notify_all(self.inner.hub.clock(self.inner.place));
            return;
        }
        let this = self.clone();
        S::spawn(Role::Daemon, format!("clock {}", self.inner.place + 1), move || this.keep_time());
    }

    /// The body of the clock thread: each timer is fired at its time, or at any time where time is a choice.
    fn keep_time(&self) {
        let (hub, place) = (&self.inner.hub, self.inner.place);
        let parts = [Part::written(part::timers(place)), Part::read(part::link(place))];
        let mut shared = hub.lock(&parts, || "looks for timers".into());
        loop {
            let member = &mut shared.members[place];
            if member.closed {
                return;
            }
            let waits = S::TIMELESS && member.link == Link::Down && member.fired_while_down >= MOST_WHILE_DOWN;
            let running = |timer: &&mut Timer| !timer.fired;
            let due = member.timers.iter().filter(running).map(|timer| timer.due).min().filter(|_| !waits);
            let Some(due) = due else {
                shared = S::wait(hub.clock(place), shared);
                continue;
            };
            let now = S::now();
            if S::TIMELESS || due > now {
                shared = S::wait_timeout(hub.clock(place), shared, due.saturating_sub(now)).0;
            }
            let now = S::now();
            let member = &mut shared.members[place];
            let is_ripe = |timer: &Timer| !timer.fired && (S::TIMELESS || timer.due <= now);
            let ripe: Vec<u64> =
                member.timers.numbered().filter(|(_, timer)| is_ripe(timer)).map(|(number, _)| number).collect();
            if ripe.is_empty() || member.closed {
                continue;
            }
            let which = ripe[S::choose_of(ripe.len(), |which| format!("timer {} is up first", ripe[which]))];
            let waker = member.timers.get(which).and_then(|timer| {
                timer.fired = true;
                timer.waker.take()
            });
            member.fired_while_down += usize::from(member.link == Link::Down);
            drop(shared);
            if let Some(waker) = waker {
                waker.wake();
            }
            shared = hub.lock(&parts, || "looks for timers".into());
        }
    }
}
