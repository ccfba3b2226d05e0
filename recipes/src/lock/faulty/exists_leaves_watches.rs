//! Watches are left on nodes that never come back.

use super::{contend, watch_exists};
use crate::Environment;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};

/// *Wrong:* `exists` on a predecessor that is gone sets a watch for its creation. The recipe
/// rightly lists again, but the watch stays for the life of the session: one more with each such
/// race.
///
/// *Seen:* <https://github.com/python-zk/kazoo/commit/9b0a793>; the same in Curator (8a94985c)
/// and go-zookeeper (90bc964) (O74).
///
/// *Cure:* watch with `get_data`, which sets no watch on a missing node.
#[derive(Clone)]
pub struct ExistsLeavesWatches<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for ExistsLeavesWatches<E> {
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
                let (present, mut watch) = watch_exists(&contender, &names[at - 1]).await?;
                if present {
                    contender.wait(&names[at - 1], &mut watch).await?;
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
