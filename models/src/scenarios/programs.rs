//! What the clients of the lock scenarios do.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::lock::{Acquired, Lock, LockError};
use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZooKeeper};
use overtake_sim::program::Context;

/// The node under which the scenarios lock.
pub const LOCK: &str = "/lock";

/// Completes when the client is told that its session is over.
pub async fn session_lost(ctx: &Context) {
    let mut session = ctx.zookeeper().session_events();
    while session.next().await != WatchedEvent::Session(SessionState::Expired) {}
}

/// Works inside the critical section until the work is done or the client learns that its session is over.
pub async fn section(ctx: &Context) {
    let work = std::pin::pin!(ctx.work("work"));
    let lost = std::pin::pin!(session_lost(ctx));
    match select(work, lost).await {
        Either::Left(_) | Either::Right(_) => {}
    }
}

/// Acquires the lock, works, releases it; `rounds` times. A client whose session is over gives up.
pub async fn rounds<L: Lock<Context>>(ctx: Context, rounds: usize) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    for _ in 0..rounds {
        ctx.mark("wants");
        let granted = match lock.acquire().await {
            Ok(granted) => granted,
            Err(LockError::SessionLost) => {
                ctx.unmark("wants");
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        ctx.unmark("wants");
        ctx.mark_with("holds", &granted.path);
        section(&ctx).await;
        ctx.unmark("holds");
        match lock.release(granted).await {
            Ok(()) | Err(LockError::SessionLost) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Acquires the lock, works, releases it.
pub async fn once<L: Lock<Context>>(ctx: Context) -> Result<(), LockError> {
    rounds::<L>(ctx, 1).await
}

/// Tries once, waits for nobody.
pub async fn try_once<L: Lock<Context>>(ctx: Context) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = lock.try_acquire().await;
    enter_or_give_up(&ctx, &lock, granted).await
}

/// Waits for the lock until a time-out, which may come at any moment.
pub async fn timed<L: Lock<Context>>(ctx: Context) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = lock.acquire_timeout(PATIENCE).await;
    enter_or_give_up(&ctx, &lock, granted).await
}

/// Waits for the lock and may be interrupted at any await.
pub async fn interruptible<L: Lock<Context>>(ctx: Context) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = ctx.cancellable(lock.acquire()).await.transpose();
    enter_or_give_up(&ctx, &lock, granted).await
}

/// How long a call with a time-out waits. In the untimed search a time-out may come at any moment.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Works and releases when the lock was granted, marks `gave up` when it was not.
async fn enter_or_give_up<L: Lock<Context>>(
    ctx: &Context,
    lock: &L,
    granted: Result<Option<Acquired>, LockError>,
) -> Result<(), LockError> {
    ctx.unmark("wants");
    match granted {
        Ok(Some(granted)) => {
            ctx.mark_with("holds", &granted.path);
            section(ctx).await;
            ctx.unmark("holds");
            match lock.release(granted).await {
                Ok(()) | Err(LockError::SessionLost) => Ok(()),
                Err(error) => Err(error),
            }
        }
        Ok(None) => {
            ctx.mark("gave up");
            Ok(())
        }
        Err(LockError::SessionLost) => Ok(()),
        Err(error) => Err(error),
    }
}
