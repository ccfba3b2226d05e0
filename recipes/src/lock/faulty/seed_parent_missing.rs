//! A missing parent goes unnoticed.

use crate::lock::{Acquired, Contender, Lock, LockError, Queue, predecessor};
use crate::{CreateMode, Environment, ZkError};

/// *Wrong:* nobody creates the parent. The create answers `NoNode`, the callback handles only
/// success, and the business code runs without a lock.
///
/// *Seen:* slip 3 of the recipe's text, in its native code.
///
/// *Cure:* look at every answer; create the parent where it is missing.
#[derive(Clone)]
pub struct SeedParentMissing<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for SeedParentMissing<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        loop {
            let mut contender = Contender::new(&self.0, "lock-");
            match contender.create(CreateMode::EphemeralSequential).await {
                Ok(()) => {}
                Err(ZkError::NoNode) => {
                    let path = contender.path();
                    contender.forget();
                    return Ok(Acquired { path });
                }
                Err(error) => return Err(error.into()),
            }
            if let Some(lock) = predecessor::turn(contender).await? {
                return Ok(lock);
            }
        }
    }
}
