//! The search for the predecessor begins at number 0.

use super::contend;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};
use crate::names::suffix;
use crate::{Environment, ZkError};

/// *Wrong:* "the largest number below mine" is sought from 0 upwards with a strict comparison, so
/// a holder with number 0 is not found. The waiter asks for the child with the empty name, hears
/// that it is gone, and tries again, at full speed until the holder leaves. Only on a fresh
/// parent.
///
/// *Seen:* <https://github.com/samuel/go-zookeeper/pull/145> (O35).
///
/// *Cure:* begin below every number that the server can give.
#[derive(Clone)]
pub struct HotSpinFromZero<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for HotSpinFromZero<E> {
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
                let own = suffix(&names[at]);
                let (mut highest, mut predecessor) = (Some(0), "");
                for name in &names {
                    if suffix(name) < own && suffix(name) > highest {
                        (highest, predecessor) = (suffix(name), name);
                    }
                }
                match contender.watch(predecessor).await {
                    Ok(Some(mut watch)) => {
                        contender.wait(predecessor, &mut watch).await?;
                    }
                    // A client that checks paths refuses the empty name before the server does.
                    Ok(None) | Err(LockError::Zk(ZkError::BadArguments)) => {}
                    Err(error) => return Err(error),
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
