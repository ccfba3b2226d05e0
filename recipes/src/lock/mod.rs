//! The lock with ephemeral sequential nodes.
//!
//! The recipe, in the words of its text:
//!
//! 1. The client connects to ZooKeeper and creates an **ephemeral, sequential** child node under
//!    `/lock`. *Ephemeral*, so that a crash does not make the lock impossible to release; *sequential*,
//!    because the smallest node acquires the lock.
//! 2. The client gets the child-node list under `/lock` and determines whether the child node it
//!    created has the smallest sequence number. If so, it has acquired the lock. Otherwise it watches
//!    for child-node changes under `/lock` ([`ParentLock`]) or, to prevent the herd effect, for the
//!    deletion of the child node immediately before its own ([`PredecessorLock`]). After a
//!    notification it repeats this step.
//! 3. Execute the business code.
//! 4. Delete the corresponding child node to release the lock.
//!
//! What the text leaves out is in [`contender`] and [`guard`]: the lost reply of a create, and leaving without a trace.
//! No lock on ZooKeeper keeps a paused client out of its section by itself: the resource has to
//! compare [`fencing_token`]s.
//!
//! ```
//! use overtake_recipes::{Environment, Lock, LockError, PredecessorLock};
//!
//! async fn work<E: Environment>(env: E) -> Result<(), LockError> {
//!     let lock = PredecessorLock::new(env, "/lock");
//!     let held = lock.acquire().await?;
//!     println!("the business code, under {}", held.path);
//!     lock.release(held).await
//! }
//! ```
#[macro_use]
mod calls;
pub mod connection;
pub mod contender;
pub mod curator;
mod error;
pub mod faulty;
pub mod guard;
pub mod kazoo;
pub mod parent;
pub mod predecessor;
pub mod queue;
pub mod rust_client;
pub mod search;
pub mod turn;
pub mod write_lock;

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use calls::Patience;
pub use contender::Contender;
pub use curator::{CheckedCuratorMutex, CuratorMutex, Unowned};
pub use error::LockError;
pub use kazoo::{CheckedKazooLock, KazooLock};
pub use parent::ParentLock;
pub use predecessor::PredecessorLock;
pub use queue::Queue;
pub use rust_client::{RustClientLock, SyncedRustClientLock};
pub use write_lock::WriteLock;

use crate::retry::retry;
use crate::{Environment, ZooKeeper};
use guard::{Guard, Target};

/// A granted lock. Plain data: it has to be given back with [`Lock::release`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Acquired {
    /// The full path of the granted node.
    pub path: String,
}

/// A lock, right or spoilt. What is provided here is right; a spoilt lock overrides what it spoils.
// The futures stay on one thread, as `Environment::spawn` has it, so no `Send` bound is lost.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait Lock<E: Environment>: Sized {
    /// A lock on the children of `parent`. Sends nothing.
    fn new(env: E, parent: &str) -> Self;

    /// The queue of contenders.
    fn queue(&self) -> &Queue<E>;

    /// Waits until the lock is granted. Dropping the future leaves the queue.
    async fn acquire(&self) -> Result<Acquired, LockError>;

    /// Takes one look. When the lock is not to be had, the own node is gone before `None` comes.
    async fn try_acquire(&self) -> Result<Option<Acquired>, LockError> {
        let contender = self.queue().join().await?;
        let names = contender.list("lock: try").await?;
        if contender.position(&names) == Some(0) {
            return contender.granted().map(Some);
        }
        contender.leave("lock: give up").await?;
        Ok(None)
    }

    /// As [`acquire`](Self::acquire), for so long at most. After `None` no grant can come any more;
    /// the node is taken away in the background.
    async fn acquire_timeout(&self, wait: Duration) -> Result<Option<Acquired>, LockError> {
        let acquire = pin!(self.acquire());
        let timer = pin!(self.queue().env().sleep(wait));
        match select(acquire, timer).await {
            Either::Left((granted, _)) => granted.map(Some),
            Either::Right(((), _)) => Ok(None),
        }
    }

    /// Deletes the node, over and over until it is gone; in the background if the future is dropped.
    /// `SessionLost` says that the node went, or will go, with the session: perhaps during the section.
    async fn release(&self, lock: Acquired) -> Result<(), LockError> {
        let guard = Guard::new(self.queue().env(), Target::Path(lock.path));
        Ok(guard.finish("lock: release").await?)
    }
}

/// A number that grows from holder to holder: the transaction that created the node. The sequence
/// number will not do, since it starts again with the parent.
pub async fn fencing_token<E: Environment>(env: &E, lock: &Acquired) -> Result<i64, LockError> {
    let zk = env.zookeeper();
    let path = &lock.path;
    let stat = retry(env, "lock: token", &[path], || zk.exists(path)).await?;
    stat.map(|stat| stat.czxid).ok_or(LockError::SessionLost)
}
