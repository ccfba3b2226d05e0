//! A predecessor that is gone before it is watched is waited for.

use super::{contend, watch_exists};
use crate::Environment;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};

/// *Wrong:* `exists` answers that the predecessor is gone and sets a watch for its creation,
/// which never comes; nobody lists again. Nobody holds the lock, and nobody gets it.
///
/// *Seen:* <https://github.com/shayhatsor/zookeeper/issues/26> (O18, ZooKeeper's own
/// `WriteLock`); slip 19 of the recipe's text.
///
/// *Cure:* list again when the predecessor is gone.
#[derive(Clone)]
pub struct PredecessorGoneIgnored<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for PredecessorGoneIgnored<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        contend(&self.0, turn).await
    }
}

async fn turn<E: Environment>(contender: Contender<E>) -> Result<Option<Acquired>, LockError> {
    loop {
        let names = contender.list("faulty: list").await?;
        match contender.position(&names) {
            Some(0) => return contender.granted().map(Some),
            Some(at) => {
                let (_, mut watch) = watch_exists(&contender, &names[at - 1]).await?;
                contender.wait(&names[at - 1], &mut watch).await?;
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
