//! Nobody takes `ready` away.

use crate::Environment;
use crate::double_barrier::DoubleBarrier;
use crate::lock::guard::{Guard, Target};
use crate::lock::{LockError, Queue};

/// *Wrong:* the last one deletes its own node only. In the next round the first one finds `ready` and enters alone.
///
/// *Seen:* the official text never deletes it, <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_doubleBarriers>.
///
/// *Cure:* the last one deletes both in one step.
#[derive(Clone)]
pub struct ReadyLeftBehind<E: Environment>(Queue<E>, usize);

impl<E: Environment> DoubleBarrier<E> for ReadyLeftBehind<E> {
    in_queue!();

    async fn clear(&self, own: Option<&str>) -> Result<(), LockError> {
        match own {
            Some(path) => {
                let guard = Guard::new(self.0.env(), Target::Path(path.to_owned()));
                Ok(guard.finish("faulty: clear").await?)
            }
            None => Ok(()),
        }
    }
}
