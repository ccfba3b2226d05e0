//! The end of the predecessor is taken for the own turn.

use super::contend;
use crate::Environment;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};

/// *Wrong:* the deletion of the predecessor's node counts as the grant. A waiter in the middle
/// that gives up, or whose session ends, lets the next one in beside the holder.
///
/// *Seen:* <https://github.com/Netflix/curator/issues/115> (O01); slip 20 of the recipe's text.
///
/// *Cure:* list again after every wake-up; only the lowest live node is granted.
#[derive(Clone)]
pub struct WakeUpTakenForMyTurn<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for WakeUpTakenForMyTurn<E> {
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
                if let Some(mut watch) = contender.watch(&names[at - 1]).await? {
                    contender.wait(&names[at - 1], &mut watch).await?;
                    return contender.granted().map(Some);
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
