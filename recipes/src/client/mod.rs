//! The layer that client libraries put over the bare connection: retries that may straddle a session, a new session
//! when the old one is over, connection states told to listeners, protected creates and guaranteed deletes.
//!
//! Curator's framework is the model (`CuratorFrameworkImpl`, `RetryLoop`, `CreateBuilderImpl`); kazoo's client does
//! the same with other numbers. All of it is configurable, since the holes of the recipes above lie in the choices.

mod clean_up;
mod policy;
mod protected;
mod states;

use std::future::Future;
use std::time::Duration;

use futures_util::FutureExt;

pub use clean_up::{CleanUp, Remains};
pub use policy::{Attempt, RetryPolicy};
pub use states::{ConnectionState, ConnectionStates, States, listen};

use crate::retry::{PAUSE, is_loss};
use crate::{Environment, ZkError, ZooKeeper};

/// How a [`Client`] behaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// When a call is made again.
    pub policy: RetryPolicy,
    /// Whether a `sync` goes before the search for the node of an unanswered create. Without it the server that the
    /// client is connected to now may not know yet of a create that the leader has accepted (§4.3, Z138, Z139).
    /// Neither Curator nor kazoo nor the Rust client does it.
    pub syncs_before_search: bool,
}

/// `ExponentialBackoffRetry(1000, 3)`, no sync: Curator's own examples.
impl Default for Options {
    fn default() -> Self {
        Self { policy: RetryPolicy::exponential(Duration::from_secs(1), 3), syncs_before_search: false }
    }
}

/// A connection that is kept up: calls are made again by a policy, in a new session if need be.
#[derive(Clone, Debug)]
pub struct Client<E> {
    env: E,
    options: Options,
}

impl<E: Environment> Client<E> {
    /// A client with the options. Sends nothing.
    pub fn new(env: E, options: Options) -> Self {
        Self { env, options }
    }

    /// The surroundings.
    pub fn env(&self) -> &E {
        &self.env
    }

    /// The bare connection.
    pub fn zookeeper(&self) -> E::ZooKeeper {
        self.env.zookeeper()
    }

    /// How it behaves.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The current session in hexadecimal, for checkpoints.
    pub fn session(&self) -> String {
        format!("{:x}", self.zookeeper().session_id())
    }

    /// Makes a call, and makes it again as the policy says; after the end of the session in a new one. The call may
    /// be applied more than once. `place` and `key` are the checkpoint before each try: the key is all that the caller
    /// and the call still need, except for the session, which the client knows.
    ///
    /// # Errors
    /// The last error, when it is none to be retried or when the policy has had enough.
    pub async fn call<T, F: Future<Output = Result<T, ZkError>>>(
        &self,
        place: &'static str,
        key: &[&str],
        mut request: impl FnMut() -> F,
    ) -> Result<T, ZkError> {
        let mut tries = self.tries();
        loop {
            tries.checkpoint(place, key);
            match request().await {
                Err(error) if tries.again(error, place, key).await => {}
                answer => return answer,
            }
        }
    }

    /// The bookkeeping of a call that is made by hand.
    pub fn tries(&self) -> Tries<E> {
        let limit = self.options.policy.limit();
        let limit = limit.map(|limit| -> std::pin::Pin<Box<dyn Future<Output = ()>>> {
            let env = self.env.clone();
            Box::pin(async move { env.sleep(limit).await })
        });
        Tries { client: self.clone(), attempt: Attempt::default(), limit }
    }

    /// Opens a new session after the last one is over, as often as it takes. To be called from one task only: two
    /// that do it would open two.
    pub async fn open_anew(&self, place: &'static str, key: &[&str]) -> Result<(), ZkError> {
        let zk = self.zookeeper();
        loop {
            self.env.checkpoint(place, key);
            match zk.connect().await {
                Err(error) if is_loss(error) => self.env.sleep(PAUSE).await,
                answer => return answer,
            }
        }
    }
}

/// How often a call was tried, and since when.
pub struct Tries<E: Environment> {
    client: Client<E>,
    attempt: Attempt,
    /// Runs since the first try, where the policy looks at time.
    limit: Option<std::pin::Pin<Box<dyn Future<Output = ()>>>>,
}

impl<E: Environment> Tries<E> {
    /// The checkpoint before a try.
    pub fn checkpoint(&self, place: &'static str, key: &[&str]) {
        let memory = self.memory();
        let mut key = key.to_vec();
        key.push(&memory);
        self.client.env.checkpoint(place, &key);
    }

    /// As much of it as later tries depend on, for checkpoints inside a try.
    pub fn memory(&self) -> String {
        self.client.options.policy.memory(&self.attempt)
    }

    /// After a failed try: pauses, opens a new session if the old one is over, and answers `true` when the call is to
    /// be made again.
    pub async fn again(&mut self, error: ZkError, place: &'static str, key: &[&str]) -> bool {
        self.client.options.policy.retries(error) && self.pause(error, place, key).await
    }

    /// As [`again`](Self::again), for an error that the policy itself would not retry (a lock that begins anew).
    pub async fn anew(&mut self, place: &'static str, key: &[&str]) -> bool {
        self.pause(ZkError::ConnectionLoss, place, key).await
    }

    async fn pause(&mut self, error: ZkError, place: &'static str, key: &[&str]) -> bool {
        let env = self.client.env.clone();
        if let Some(limit) = &mut self.limit
            && limit.now_or_never().is_some()
        {
            // The timer is the clock: more than that it is over does not matter to any policy.
            self.attempt.elapsed = self.client.options.policy.limit().unwrap_or_default();
            self.limit = None;
        }
        let Some(pause) = self.client.options.policy.pause(&self.attempt, |below| env.jitter(below)) else {
            return false;
        };
        env.sleep(pause).await;
        self.attempt.count = self.attempt.count.saturating_add(1);
        self.attempt.paused = pause;
        if error == ZkError::SessionExpired {
            let memory = self.memory();
            let mut key = key.to_vec();
            key.push(&memory);
            return self.client.open_anew(place, &key).await.is_ok();
        }
        true
    }
}
