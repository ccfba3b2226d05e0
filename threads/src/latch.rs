//! `LeaderLatch` (§5.5): the recipe runs in the background, the latch is what threads see of it.

use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::leader_latch::{Latch, LeaderLatch as Recipe, Listener};
use overtake_recipes::{Environment, LockError, ZooKeeper};

use crate::client::{Client, Env, Service};
use crate::error::Error;
use crate::sync::Threads;

/// Where a latch is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatchState {
    /// Not started.
    Latent,
    /// A candidate.
    Started,
    /// Closed.
    Closed,
}

type Told = Arc<dyn Fn(bool) + Send + Sync>;

struct Inside {
    state: LatchState,
    /// The node by which it leads.
    leads_by: Option<String>,
    /// The node by which it led last.
    led_by: Option<String>,
    listeners: Vec<Told>,
    closing: Option<Waker>,
}

struct Shared<S: Threads> {
    inside: S::Mutex<Inside>,
    changed: S::Condvar,
}

/// A candidate for as long as it likes, over sessions too: when one is over it begins anew in the next.
/// `R` is the recipe under it.
pub struct LeaderLatch<S: Threads, V: Service, R = Recipe<Env<S, V>>> {
    client: Client<S, V>,
    path: String,
    shared: Arc<Shared<S>>,
    recipe: PhantomData<fn() -> R>,
}

impl<S: Threads, V: Service> LeaderLatch<S, V> {
    /// A latch on the path. Sends nothing.
    pub fn new(client: &Client<S, V>, path: &str) -> Self {
        Self::over(client, path)
    }
}

impl<S: Threads, V: Service, R: Latch<Env<S, V>> + 'static> LeaderLatch<S, V, R> {
    /// A latch over another recipe.
    pub fn over(client: &Client<S, V>, path: &str) -> Self {
        let inside =
            Inside { state: LatchState::Latent, leads_by: None, led_by: None, listeners: Vec::new(), closing: None };
        let shared = Shared { inside: S::mutex("latch", inside), changed: S::condvar("latch") };
        Self { client: client.clone(), path: path.into(), shared: Arc::new(shared), recipe: PhantomData }
    }

    /// Calls the listener with `true` when the latch leads and with `false` when it does not any more, in the background.
    pub fn listen(&self, listener: impl Fn(bool) + Send + Sync + 'static) {
        S::lock(&self.shared.inside).listeners.push(Arc::new(listener));
    }

    /// Begins to be a candidate.
    ///
    /// # Errors
    /// When it was started before.
    pub fn start(&self) -> Result<(), Error> {
        let mut inside = S::lock(&self.shared.inside);
        if inside.state != LatchState::Latent {
            return Err(Error::State("Cannot be started more than once"));
        }
        inside.state = LatchState::Started;
        drop(inside);
        let (shared, path) = (self.shared.clone(), self.path.clone());
        self.client.in_background(move |env, tasks| tasks.push(candidate::<S, V, R>(env, path, shared)));
        Ok(())
    }

    /// Ceases to be a candidate; the node is taken away in the background.
    ///
    /// # Errors
    /// When it is not a candidate.
    pub fn close(&self) -> Result<(), Error> {
        let mut inside = S::lock(&self.shared.inside);
        if inside.state != LatchState::Started {
            return Err(Error::State("Already closed or has not been started"));
        }
        inside.state = LatchState::Closed;
        inside.leads_by = None;
        let waker = inside.closing.take();
        drop(inside);
        S::notify_all(&self.shared.changed);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    /// Where it is in its life.
    pub fn state(&self) -> LatchState {
        S::lock(&self.shared.inside).state
    }

    /// Whether it leads, as far as it knows.
    pub fn has_leadership(&self) -> bool {
        S::lock(&self.shared.inside).leads_by.is_some()
    }

    /// The node by which it leads, or led last: a token of that grant and of no other (CURATOR-537).
    pub fn last_path_as_leader(&self) -> Option<String> {
        S::lock(&self.shared.inside).led_by.clone()
    }

    /// Waits until it leads.
    ///
    /// # Errors
    /// When it is closed first.
    pub fn await_leadership(&self) -> Result<(), Error> {
        let mut inside = S::lock(&self.shared.inside);
        while inside.leads_by.is_none() {
            if inside.state == LatchState::Closed {
                return Err(Error::State("the latch is closed"));
            }
            inside = S::wait(&self.shared.changed, inside);
        }
        Ok(())
    }

    /// As [`await_leadership`](Self::await_leadership), for so long at most. `false`: the time was up, or it is closed.
    pub fn await_leadership_timeout(&self, time: Duration) -> bool {
        let until = S::now() + time;
        let mut inside = S::lock(&self.shared.inside);
        loop {
            if inside.leads_by.is_some() {
                return true;
            }
            let rest = until.saturating_sub(S::now());
            if inside.state == LatchState::Closed || (!S::TIMELESS && rest.is_zero()) {
                return false;
            }
            let over;
            (inside, over) = S::wait_timeout(&self.shared.changed, inside, rest);
            if over && S::TIMELESS {
                return inside.leads_by.is_some();
            }
        }
    }
}

/// What the recipe tells.
struct Tell<S: Threads>(Arc<Shared<S>>);

impl<S: Threads> Tell<S> {
    fn set(&self, leads_by: Option<String>) {
        let mut inside = S::lock(&self.0.inside);
        // A closed latch leads no more, whatever comes late.
        let leads_by = leads_by.filter(|_| inside.state == LatchState::Started);
        let leads = leads_by.is_some();
        let changes = inside.leads_by.is_some() != leads;
        inside.led_by = leads_by.clone().or(inside.led_by.take());
        inside.leads_by = leads_by;
        let listeners = inside.listeners.clone();
        drop(inside);
        S::notify_all(&self.0.changed);
        if changes {
            listeners.iter().for_each(|listener| listener(leads));
        }
    }
}

impl<S: Threads> Listener for Tell<S> {
    fn is_leader(&self, node: &str) {
        self.set(Some(node.into()));
    }

    fn not_leader(&self) {
        self.set(None);
    }
}

/// A candidate until the latch is closed.
async fn candidate<S: Threads, V: Service, R: Latch<Env<S, V>>>(env: Env<S, V>, path: String, shared: Arc<Shared<S>>) {
    let closed = std::future::poll_fn(|context| {
        let mut inside = S::lock(&shared.inside);
        if inside.state == LatchState::Closed {
            return Poll::Ready(());
        }
        inside.closing = Some(context.waker().clone());
        Poll::Pending
    });
    let tell = Tell(shared.clone());
    let runs = async {
        let latch = R::new(env.clone(), &path);
        // Whatever ends an attempt, the next one begins, until the latch is closed (O24).
        while let Err(ended) = latch.run(&tell).await {
            if env.client().is_closed() {
                break;
            }
            let again = ended != LockError::SessionLost || env.zookeeper().connect().await.is_err();
            if again {
                env.sleep(overtake_recipes::retry::PAUSE).await;
            }
        }
    };
    match select(std::pin::pin!(closed), std::pin::pin!(runs)).await {
        Either::Left(_) | Either::Right(_) => {}
    }
}
