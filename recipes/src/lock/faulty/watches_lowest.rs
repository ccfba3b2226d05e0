//! All waiters watch the first node instead of the nearest.

use super::contend;
use crate::Environment;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};

/// *Wrong:* every waiter watches the lowest node, so each release wakes all of them, and all but
/// one wait again: the herd that the recipe was to prevent. Exclusion is not harmed.
///
/// *Seen:* <https://github.com/python-zk/kazoo/commit/7dd4c4c> (O33).
///
/// *Cure:* watch the node immediately before the own.
#[derive(Clone)]
pub struct WatchesLowest<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for WatchesLowest<E> {
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
            Some(_) => {
                let lowest = &names[0];
                if let Some(mut watch) = contender.watch(lowest).await? {
                    contender.wait(lowest, &mut watch).await?;
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
