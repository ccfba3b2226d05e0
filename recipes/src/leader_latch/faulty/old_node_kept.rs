//! After a suspension the candidate queues again and leaves its old node.

use crate::leader_latch::{Latch, Listener};
use crate::lock::{LockError, Queue};
use crate::{CreateMode, Environment, ZooKeeper};

/// *Wrong:* the lost connection is taken for a lost session, in which the node would have gone by itself. The session goes
/// on, the old node stays the lowest, and everybody, its maker included, waits behind it for ever.
///
/// *Seen:* Z132: an ephemeral node outlives the connection; Netflix/curator#3 is of this kind.
///
/// *Cure:* keep the node as long as the session lives.
#[derive(Clone)]
pub struct OldNodeKept<E: Environment>(Queue<E>);

impl<E: Environment> Latch<E> for OldNodeKept<E> {
    in_queue!();

    async fn run(&self, listener: &impl Listener) -> Result<(), LockError> {
        let env = self.0.env();
        loop {
            let candidate = self.0.join_as("latch-", CreateMode::EphemeralSequential).await?;
            loop {
                let mut connection = env.zookeeper().session_events();
                let names = candidate.list("faulty: list").await?;
                match candidate.position(&names) {
                    Some(0) => {
                        Self::lead(&candidate, &mut connection, listener).await?;
                        break;
                    }
                    Some(at) => {
                        if let Some(mut watch) = candidate.watch(&names[at - 1]).await? {
                            candidate.wait(&names[at - 1], &mut watch).await?;
                        }
                    }
                    None => break,
                }
            }
            candidate.forget();
        }
    }
}
