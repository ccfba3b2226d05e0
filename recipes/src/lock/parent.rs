//! The lock whose waiters watch the parent's children: right, with a herd.

use super::{Acquired, Lock, LockError, Queue};
use crate::names::contenders;
use crate::retry::retry;
use crate::{Environment, ZkError, ZooKeeper};

/// Otherwise, it watches for child-node changes under `/lock`. Each arrival and each departure wakes
/// every waiter (the herd effect), and the list that shows the grant leaves its watch behind until
/// the next change.
#[derive(Clone)]
pub struct ParentLock<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for ParentLock<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Queue::new(env, parent))
    }

    fn queue(&self) -> &Queue<E> {
        &self.0
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let (env, parent) = (self.0.env(), self.0.parent());
        let zk = env.zookeeper();
        'anew: loop {
            let contender = self.0.join().await?;
            loop {
                let key = [contender.name(), contender.session()];
                // List and watch in one request: between two of them a change would go unseen.
                let list = || zk.watch_children(parent);
                let (names, mut watch) = match retry(env, "parent: list", &key, list).await {
                    Ok((children, watch)) => (contenders(children), watch),
                    // Only an empty parent can go, so the own node is gone too.
                    Err(ZkError::NoNode) => {
                        contender.forget();
                        continue 'anew;
                    }
                    Err(error) => return Err(error.into()),
                };
                match contender.position(&names) {
                    Some(0) => return contender.granted(),
                    Some(_) => contender.wait(parent, &mut watch).await?,
                    None => {
                        contender.forget();
                        continue 'anew;
                    }
                };
            }
        }
    }
}
