//! The departure of the nearest writer is taken for the reader's turn.

use crate::Environment;
use crate::lock::{Acquired, Contender, LockError, Queue};
use crate::read_write::{Access, ReadWrite};

/// *Wrong:* a reader reads as soon as the writer it watches is gone, without a second look. That writer may have been
/// waiting itself, and have gone with its session, while an earlier writer still writes.
///
/// *Seen:* the slip of <https://github.com/Netflix/curator/issues/115> (O01), on the read side.
///
/// *Cure:* list again after every wake-up.
#[derive(Clone)]
pub struct ReaderWakesAsOwner<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for ReaderWakesAsOwner<E> {
    in_queue!();

    async fn turn(contender: Contender<E>, access: Access) -> Result<Option<Acquired>, LockError> {
        loop {
            let names = contender.list("faulty: list").await?;
            let Some(at) = contender.position(&names) else {
                contender.forget();
                return Ok(None);
            };
            let Some(awaited) = Self::awaited(access, &names[..at]) else {
                return contender.granted().map(Some);
            };
            if let Some(mut watch) = contender.watch(awaited).await? {
                contender.wait(awaited, &mut watch).await?;
                if access == Access::Read {
                    return contender.granted().map(Some);
                }
            }
        }
    }
}
