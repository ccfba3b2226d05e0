//! The read-write lock: the *shared locks* of the official recipes.
//!
//! To read:
//!
//! 1. Create an ephemeral, sequential node `read-` under the lock.
//! 2. List the children. When no node whose name holds `write-` has a lower number, the lock is granted.
//! 3. Otherwise watch the **nearest lower** node whose name holds `write-`; after its event repeat step 2.
//!
//! To write, the same with `write-`, granted when there is no lower node **of any kind**, and the nearest lower of any
//! kind is watched. Giving back is deleting the node.
//!
//! Readers do not wait for readers, and one departure wakes only those whom it concerns: the next writer, or the readers
//! between two writers. What the text leaves out (lost replies, leaving without a trace) is that of the
//! [lock](crate::lock).
mod access;
pub mod faulty;

use std::pin::pin;
use std::time::Duration;

pub use access::Access;
use futures_util::future::{Either, select};

use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, Contender, LockError, Queue};
use crate::names::leaf;
use crate::{CreateMode, Environment};

/// A read-write lock, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait ReadWrite<E: Environment>: Sized {
    /// A lock on the children of `parent`. Sends nothing.
    fn new(env: E, parent: &str) -> Self;

    /// The queue of readers and writers.
    fn queue(&self) -> &Queue<E>;

    /// The node to wait for among those before the own one; `None` when it is the own turn.
    fn awaited(access: Access, before: &[String]) -> Option<&String> {
        match access {
            Access::Read => before.iter().rfind(|name| Access::Write.is_of(name)),
            Access::Write => before.last(),
        }
    }

    /// Waits until the lock is granted. Dropping the future leaves the queue.
    async fn acquire(&self, access: Access) -> Result<Acquired, LockError> {
        loop {
            let contender = self.queue().join_as(access.label(), CreateMode::EphemeralSequential).await?;
            if let Some(lock) = Self::turn(contender, access).await? {
                return Ok(lock);
            }
            // Somebody deleted the own node: start anew, at the end of the queue.
        }
    }

    /// Waits for the contender's turn. `None`: its node is gone, though the session is not.
    async fn turn(contender: Contender<E>, access: Access) -> Result<Option<Acquired>, LockError> {
        loop {
            let names = contender.list("read-write: list").await?;
            let Some(at) = contender.position(&names) else {
                contender.forget();
                return Ok(None);
            };
            let Some(awaited) = Self::awaited(access, &names[..at]) else {
                return contender.granted().map(Some);
            };
            if let Some(mut watch) = contender.watch(awaited).await? {
                contender.wait(awaited, &mut watch).await?;
            }
        }
    }

    /// As [`acquire`](Self::acquire), for so long at most. Whoever asks to write while it reads waits for itself, so an
    /// upgrade ends with `None`.
    async fn acquire_timeout(&self, access: Access, wait: Duration) -> Result<Option<Acquired>, LockError> {
        let acquire = pin!(self.acquire(access));
        let timer = pin!(self.queue().env().sleep(wait));
        match select(acquire, timer).await {
            Either::Left((granted, _)) => granted.map(Some),
            Either::Right(((), _)) => Ok(None),
        }
    }

    /// From writing to reading without a gap: makes a read node with the *number of the write node*, so that it keeps
    /// the place in the queue. The write lock is still to be released.
    async fn downgrade(&self, write: &Acquired) -> Result<Acquired, LockError> {
        let name = leaf(&write.path);
        let label = format!("read-{}", &name[name.len() - 10..]);
        let join = self.queue().join_as(&label, CreateMode::Ephemeral);
        self.queue().env().keeping(&[&write.path], join).await?.granted()
    }

    /// Deletes the node, over and over until it is gone; in the background if the future is dropped.
    async fn release(&self, lock: Acquired) -> Result<(), LockError> {
        let guard = Guard::new(self.queue().env(), Target::Path(lock.path));
        Ok(guard.finish("read-write: release").await?)
    }
}

/// The recipe.
#[derive(Clone)]
pub struct ReadWriteLock<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for ReadWriteLock<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Queue::new(env, parent))
    }

    fn queue(&self) -> &Queue<E> {
        &self.0
    }
}
