//! The children are taken in the order in which they are listed.

use super::contend;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};
use crate::retry::retry;
use crate::{Environment, ZooKeeper};

/// *Wrong:* the list of children has no order, yet its first name counts as the lowest. Whoever
/// the server happens to list first is granted, also beside a holder; neighbours in the list wait
/// for each other.
///
/// *Seen:* slip 21 of the recipe's text.
///
/// *Cure:* sort by the number behind the name.
#[derive(Clone)]
pub struct NoResortUnsortedChildren<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for NoResortUnsortedChildren<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        contend(&self.0, turn).await
    }
}

async fn turn<E: Environment>(contender: Contender<E>) -> Result<Option<Acquired>, LockError> {
    loop {
        let queue = contender.queue();
        let (zk, key) = (queue.env().zookeeper(), [contender.name(), contender.session()]);
        let list = || zk.children(queue.parent());
        let names = retry(queue.env(), "faulty: list", &key, list).await?;
        match contender.position(&names) {
            Some(0) => return contender.granted().map(Some),
            Some(at) => {
                let predecessor = &names[at - 1];
                if let Some(mut watch) = contender.watch(predecessor).await? {
                    contender.wait(predecessor, &mut watch).await?;
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
