//! A create that is cut short leaves its node.

use super::contend_as;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};
use crate::{CreateMode, Environment, ZkError};

/// *Wrong:* the clean-up is set up when the create is answered. An attempt that is dropped
/// (interrupted) between the request and its reply leaves a node that nobody knows.
///
/// *Seen:* <https://github.com/apache/curator/issues/600> (O38, CURATOR-79).
///
/// *Cure:* set up the search-and-delete before the request is sent.
#[derive(Clone)]
pub struct NodeLeftAfterCancellation<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for NodeLeftAfterCancellation<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        contend_as(&self.0, join).await
    }
}

async fn join<E: Environment>(queue: &Queue<E>) -> Result<Contender<E>, LockError> {
    let mut contender = Contender::new(queue, "lock-");
    // Armed again by `create`, once the node is known.
    contender.guard.disarm();
    loop {
        match contender.create(CreateMode::EphemeralSequential).await {
            Ok(()) => return Ok(contender),
            Err(ZkError::NoNode) => contender.create_parent().await?,
            Err(error) => return Err(error.into()),
        }
    }
}
