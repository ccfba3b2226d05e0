//! A waiter whose time is up leaves its node in the queue.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use super::contend;
use crate::Environment;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue, predecessor};

/// *Wrong:* when the time is up the waiter goes and its node stays. Once it is the lowest, the
/// lock is granted to nobody.
///
/// *Seen:* <https://github.com/zk-ruby/zk/issues/49> and 51, the same in aiozk (O46).
///
/// *Cure:* delete the node on the way out.
#[derive(Clone)]
pub struct NodeLeftAfterTimeout<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for NodeLeftAfterTimeout<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        predecessor::acquire(&self.0).await
    }

    async fn acquire_timeout(&self, wait: Duration) -> Result<Option<Acquired>, LockError> {
        let acquire = pin!(contend(&self.0, turn));
        let timer = pin!(self.0.env().sleep(wait));
        match select(acquire, timer).await {
            Either::Left((granted, _)) => granted.map(Some),
            Either::Right(((), _)) => Ok(None),
        }
    }
}

async fn turn<E: Environment>(mut contender: Contender<E>) -> Result<Option<Acquired>, LockError> {
    contender.guard.disarm();
    predecessor::turn(contender).await
}
