//! What the clients of the lock scenarios do.

use futures_util::future::{Either, select};
use overtake_recipes::lock::{Lock, LockError};
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
async fn section(ctx: &Context) {
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
