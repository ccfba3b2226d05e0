//! What the clients of the lock matrix do. Where a client stands is told by marks, since faults follow them: `wants`
//! from the call to the grant, `holds` during the section, `releases` during the release.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::lock::{Acquired, Lock, LockError, fencing_token};
use overtake_recipes::{Environment, FencedResource, Token, ZooKeeper};
use overtake_sim::program::Context;

use super::programs::{LOCK, section, session_lost};

/// How a lock is made in a world.
pub type Make<L> = fn(Context, &str) -> L;

/// How long the impatient wait. In the untimed search a time-out may come at any moment.
const PATIENCE: Duration = Duration::from_secs(10);

/// Acquires the lock, works, releases it.
pub async fn once<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let lock = make(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = lock.acquire().await.map(Some);
    go_on(&ctx, &lock, granted).await
}

/// Waits until a time-out.
pub async fn timed<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let lock = make(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = lock.acquire_timeout(PATIENCE).await;
    go_on(&ctx, &lock, granted).await
}

/// Waits and may be interrupted at any await.
pub async fn interruptible<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let lock = make(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = ctx.cancellable(lock.acquire()).await.transpose();
    go_on(&ctx, &lock, granted).await
}

/// Acquires the lock and, inside, acquires it once more, as a re-entrant holder may. When its session ends in between,
/// it goes on in a new one, as Curator's library does by itself.
pub async fn reenter<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let lock = make(ctx.clone(), LOCK);
    ctx.mark("wants");
    let first = match lock.acquire().await {
        Err(LockError::SessionLost) => return Ok(()),
        first => first?,
    };
    ctx.unmark("wants");
    ctx.mark_with("holds", &first.path);
    let (work, lost) = (std::pin::pin!(ctx.work("outer work")), std::pin::pin!(session_lost(&ctx)));
    let lost = matches!(select(work, lost).await, Either::Right(_));
    if lost {
        ctx.unmark("holds");
        ctx.zookeeper().connect().await?;
    }
    let again = lock.acquire().await?;
    ctx.mark_with("holds", &again.path);
    section(&ctx).await;
    ctx.unmark("holds");
    ctx.mark("releases");
    for held in [again, first] {
        match lock.release(held).await {
            Ok(()) | Err(LockError::SessionLost) => {}
            // The grant of the former session is not counted any more.
            Err(LockError::NotHeld) if lost => {}
            Err(error) => return Err(error),
        }
    }
    ctx.unmark("releases");
    Ok(())
}

/// The section and the release of what was granted.
async fn go_on<L: Lock<Context>>(
    ctx: &Context,
    lock: &L,
    granted: Result<Option<Acquired>, LockError>,
) -> Result<(), LockError> {
    ctx.unmark("wants");
    let granted = match granted {
        Ok(Some(granted)) => granted,
        Ok(None) => {
            ctx.mark("gave up");
            return Ok(());
        }
        // The caller is told, and that is all that a lock can do.
        Err(LockError::SessionLost) => return Ok(()),
        Err(error) => return Err(error),
    };
    ctx.mark_with("holds", &granted.path);
    section(ctx).await;
    ctx.unmark("holds");
    ctx.mark("releases");
    if lock.release(granted).await.is_err() {
        // The caller is told; whether the node is left is another matter.
        ctx.mark("release threw");
    }
    ctx.unmark("releases");
    Ok(())
}

/// As [`once`], for a client that takes failure for an answer: it marks `gave up` and goes away.
pub async fn fallible<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let lock = make(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = match lock.acquire().await {
        Err(LockError::Zk(_)) => Ok(None),
        granted => granted.map(Some),
    };
    go_on(&ctx, &lock, granted).await
}

/// Holds by one object and acquires by another on the same path.
pub async fn two_objects<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let (one, two) = (make(ctx.clone(), LOCK), make(ctx.clone(), LOCK));
    let first = one.acquire().await?;
    ctx.mark_with("holds", &first.path);
    let second = two.acquire().await?;
    ctx.mark_with("holds too", &second.path);
    two.release(second).await?;
    one.release(first).await
}

/// The same with a time-out for the second object.
pub async fn two_objects_timed<L: Lock<Context>>(ctx: Context, make: Make<L>) -> Result<(), LockError> {
    let (one, two) = (make(ctx.clone(), LOCK), make(ctx.clone(), LOCK));
    let first = one.acquire().await?;
    ctx.mark_with("holds", &first.path);
    match two.acquire_timeout(PATIENCE).await? {
        Some(second) => {
            ctx.mark_with("holds too", &second.path);
            ctx.work("work").await;
            ctx.unmark("holds too");
            two.release(second).await?;
        }
        None => ctx.mark("refused"),
    }
    ctx.unmark("holds");
    one.release(first).await
}

/// As [`once`], with one write to the resource for work, under a token made from the lock node's czxid. A client whose
/// session is over when it asks for the czxid gives up.
pub async fn writes<L: Lock<Context>>(ctx: Context, make: Make<L>, token: fn(i64) -> Token) -> Result<(), LockError> {
    let lock = make(ctx.clone(), LOCK);
    ctx.mark("wants");
    let granted = lock.acquire().await;
    ctx.unmark("wants");
    let granted = match granted {
        Ok(granted) => granted,
        Err(LockError::SessionLost) => return Ok(()),
        Err(error) => return Err(error),
    };
    ctx.mark_with("holds", &granted.path);
    let written = match fencing_token(&ctx, &granted).await {
        Ok(czxid) => Some(ctx.resource().write(&granted.path, token(czxid)).await),
        Err(_) => None,
    };
    match written {
        Some(Ok(())) => ctx.mark("wrote"),
        Some(Err(_)) => ctx.mark("refused"),
        None => {}
    }
    ctx.unmark("holds");
    if lock.release(granted).await.is_err() {
        ctx.mark("release threw");
    }
    Ok(())
}
