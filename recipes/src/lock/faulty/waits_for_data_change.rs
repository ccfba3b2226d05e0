//! The waiter waits for a change of the predecessor's data.

use super::contend;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};
use crate::{Environment, EventKind};

/// *Wrong:* "when data changes, check again": nobody ever writes that node. It is deleted, the
/// watch is used up, and the waiter waits on.
///
/// *Seen:* slip 13 of the recipe's text, in the comment of its native code.
///
/// *Cure:* wait for the deletion, or take any event as a reason to list again.
#[derive(Clone)]
pub struct WaitsForDataChange<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for WaitsForDataChange<E> {
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
                let predecessor = &names[at - 1];
                if let Some(mut watch) = contender.watch(predecessor).await? {
                    while contender.wait(predecessor, &mut watch).await? != EventKind::DataChanged {}
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
