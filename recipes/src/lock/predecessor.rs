//! The lock whose waiters watch the node immediately before their own: no herd.

use super::{Acquired, Contender, Lock, LockError, Queue};
use crate::Environment;

/// Create an ephemeral sequential node + watch the deletion event of the node immediately before
/// your own. One release wakes one waiter.
#[derive(Clone)]
pub struct PredecessorLock<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for PredecessorLock<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Queue::new(env, parent))
    }

    fn queue(&self) -> &Queue<E> {
        &self.0
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        acquire(&self.0).await
    }
}

pub(super) async fn acquire<E: Environment>(queue: &Queue<E>) -> Result<Acquired, LockError> {
    loop {
        let contender = queue.join().await?;
        if let Some(lock) = turn(contender).await? {
            return Ok(lock);
        }
        // Somebody deleted the own node: start anew, at the end of the queue.
    }
}

/// Waits for the contender's turn. `None`: its node is gone, though the session is not.
pub(super) async fn turn<E: Environment>(contender: Contender<E>) -> Result<Option<Acquired>, LockError> {
    loop {
        let names = contender.list("predecessor: list").await?;
        match contender.position(&names) {
            Some(0) => return contender.granted().map(Some),
            Some(at) => {
                let predecessor = &names[at - 1];
                if let Some(mut watch) = contender.watch(predecessor).await? {
                    contender.wait(predecessor, &mut watch).await?;
                }
                // Released, or given up while others still hold, or gone before it could be
                // watched: in each case only the list tells whose turn it is.
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
