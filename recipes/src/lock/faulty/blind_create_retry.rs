//! The create is sent again without a look.

use super::contend_as;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};
use crate::names::leaf;
use crate::retry::{PAUSE, is_loss};
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// *Wrong:* after a lost connection the sequential create is sent again at once. If the first one
/// had been applied there are two nodes: a ghost that nobody deletes while the session lives, and
/// its maker waits behind it.
///
/// *Seen:* <https://github.com/Netflix/curator/issues/3>; the same in mozilla-services/zktools#2,
/// accumulo#637 and otter#1926 (O36); slips 12 and 22 of the recipe's text.
///
/// *Cure:* put an id into the name, and look for it before creating again.
#[derive(Clone)]
pub struct BlindCreateRetry<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for BlindCreateRetry<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        contend_as(&self.0, join).await
    }
}

async fn join<E: Environment>(queue: &Queue<E>) -> Result<Contender<E>, LockError> {
    let (env, zk) = (queue.env(), queue.env().zookeeper());
    let mut contender = Contender::new(queue, "lock-");
    let path = contender.path();
    loop {
        env.checkpoint("faulty: create", &[&path, contender.session()]);
        match zk.create(&path, b"", CreateMode::EphemeralSequential).await {
            Ok(path) => {
                contender.adopt(leaf(&path));
                return Ok(contender);
            }
            Err(error) if is_loss(error) => env.sleep(PAUSE).await,
            Err(ZkError::NoNode) => contender.create_parent().await?,
            Err(error) => return Err(error.into()),
        }
    }
}
