//! The leader latch: candidates for as long as they like, one of whom leads.
//!
//! The recipe, as Curator's `LeaderLatch` has it:
//!
//! 1. Create an ephemeral, sequential node.
//! 2. List the children. The lowest one leads; every other watches the node before its own and repeats this step after
//!    its event.
//! 3. Whoever leads gives leadership up **as soon as the connection is suspended**: the session may end while nobody can
//!    tell. Connected again in the same session, repeat step 2.
//! 4. With the session goes the candidacy.
//!
//! Giving up on suspension keeps leaders apart only if the old one really stops before the server gives its session away;
//! a paused process does not. A candidacy lives in one session, so its node is never one of a former session (O07).
pub mod faulty;

use crate::lock::turn::WatchOf;
use crate::lock::{Contender, LockError, Queue};
use crate::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZooKeeper};

/// Who is told of leadership.
pub trait Listener {
    /// The candidate leads from now on, by the node of that path.
    fn is_leader(&self, node: &str);
    /// The candidate does not lead any more.
    fn not_leader(&self);
}

/// A latch, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait Latch<E: Environment>: Sized {
    /// A latch on the children of `parent`. Sends nothing.
    fn new(env: E, parent: &str) -> Self;

    /// The queue of candidates.
    fn queue(&self) -> &Queue<E>;

    /// Is a candidate until the session is over. Dropping the future ends leadership and takes the node away.
    ///
    /// # Errors
    /// [`LockError::SessionLost`] in the end; anything else that the recipe cannot go on with.
    async fn run(&self, listener: &impl Listener) -> Result<(), LockError> {
        let (env, label) = (self.queue().env(), "latch-");
        loop {
            let candidate = self.queue().join_as(label, CreateMode::EphemeralSequential).await?;
            loop {
                // Before the list, so that no loss of the connection goes unseen after it.
                let mut connection = env.zookeeper().session_events();
                let names = candidate.list("latch: list").await?;
                match candidate.position(&names) {
                    Some(0) => Self::lead(&candidate, &mut connection, listener).await?,
                    Some(at) => {
                        if let Some(mut watch) = candidate.watch(&names[at - 1]).await? {
                            candidate.wait(&names[at - 1], &mut watch).await?;
                        }
                    }
                    None => break candidate.forget(),
                }
            }
        }
    }

    /// Leads until the connection is suspended.
    async fn lead(
        candidate: &Contender<E>,
        connection: &mut WatchOf<E>,
        listener: &impl Listener,
    ) -> Result<(), LockError> {
        let _leading = Leading::begin(candidate, listener);
        loop {
            candidate.queue().env().checkpoint("latch: lead", &[candidate.name(), candidate.session()]);
            match connection.next().await {
                WatchedEvent::Session(SessionState::Disconnected) => return Ok(()),
                WatchedEvent::Session(SessionState::Expired) => return Err(LockError::SessionLost),
                _ => {}
            }
        }
    }
}

/// Leadership from the word to the listener that it is there to the word that it is gone, on every way out.
struct Leading<'a, L: Listener>(&'a L);

impl<'a, L: Listener> Leading<'a, L> {
    fn begin<E: Environment>(candidate: &Contender<E>, listener: &'a L) -> Self {
        listener.is_leader(&candidate.path());
        Self(listener)
    }
}

impl<L: Listener> Drop for Leading<'_, L> {
    fn drop(&mut self) {
        self.0.not_leader();
    }
}

/// The recipe.
#[derive(Clone)]
pub struct LeaderLatch<E: Environment>(Queue<E>);

impl<E: Environment> Latch<E> for LeaderLatch<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Queue::new(env, parent))
    }

    fn queue(&self) -> &Queue<E> {
        &self.0
    }
}
