//! The path of the node is thrown away.

use crate::Environment;
use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, Lock, LockError, Queue, predecessor};

/// *Wrong:* `unlock` deletes the path that was asked for (`/lock/1`), not the one that the server
/// answered (`/lock/1` and ten digits). It hears that there is no such node, takes that for done,
/// and never releases.
///
/// *Seen:* slip 4 of the recipe's text, in its native code.
///
/// *Cure:* keep the path that the create answers.
#[derive(Clone)]
pub struct SeedPathThrownAway<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for SeedPathThrownAway<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        predecessor::acquire(&self.0).await
    }

    async fn release(&self, _lock: Acquired) -> Result<(), LockError> {
        let guard = Guard::new(self.0.env(), Target::Path(self.0.path("1")));
        Ok(guard.finish("faulty: release").await?)
    }
}
