//! The event thread waits for an event that only it can deliver.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

use super::contend;
use crate::lock::turn::WatchOf;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};
use crate::{Environment, Watch};

/// *Wrong:* the comment in the callback is filled in inside the callback: it watches the
/// predecessor and waits there until a latch is counted down. The callback runs on the event
/// thread, and the watcher that counts down would run on the same thread, after the callback.
/// Whoever has to wait waits for ever.
///
/// *Seen:* slip 14 of the recipe's text; §2.2: one thread runs all callbacks of a handle.
///
/// *Cure:* never wait in a callback; list again from the watcher, or wait on another task.
#[derive(Clone)]
pub struct SeedWaitInsideCallback<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for SeedWaitInsideCallback<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        contend(&self.0, event_thread).await
    }
}

/// The event thread: serves the create's callback, then the watch's events, one after the other.
async fn event_thread<E: Environment>(contender: Contender<E>) -> Result<Option<Acquired>, LockError> {
    let latch = Cell::new(false);
    loop {
        let mut watch = match callback(&contender, &latch).await? {
            Outcome::Lowest => return contender.granted().map(Some),
            Outcome::Missing => {
                contender.forget();
                return Ok(None);
            }
            Outcome::Behind(watch) => watch,
        };
        // The watcher. Not reached before the callback returns.
        let _ = watch.next().await;
        latch.set(true);
    }
}

enum Outcome<W> {
    Lowest,
    Missing,
    Behind(W),
}

async fn callback<E: Environment>(
    contender: &Contender<E>,
    latch: &Cell<bool>,
) -> Result<Outcome<WatchOf<E>>, LockError> {
    loop {
        let names = contender.list("faulty: list").await?;
        let predecessor = match contender.position(&names) {
            Some(0) => return Ok(Outcome::Lowest),
            Some(at) => &names[at - 1],
            None => return Ok(Outcome::Missing),
        };
        if let Some(watch) = contender.watch(predecessor).await? {
            let env = contender.queue().env();
            env.checkpoint("faulty: latch", &[contender.name(), predecessor, contender.session()]);
            await_latch(latch).await;
            return Ok(Outcome::Behind(watch));
        }
    }
}

/// Waits on the thread that it is called on. No waker is kept: that thread alone could use it.
async fn await_latch(latch: &Cell<bool>) {
    let open = |_: &mut std::task::Context<'_>| match latch.get() {
        true => Poll::Ready(()),
        false => Poll::Pending,
    };
    poll_fn(open).await;
}
