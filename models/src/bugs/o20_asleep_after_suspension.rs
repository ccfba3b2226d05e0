//! O20: a waiter sleeps through a short break of its connection, and its watch does not survive it.
//!
//! The library does not register watches again on reconnecting. Session and node survive the break, the watch does
//! not; the holder releases, nobody is told, and the waiter sleeps at the head of the queue.
//!
//! Smallest: 2 clients, 1 break of the waiter's connection. Source: <https://github.com/python-zk/kazoo/pull/170>.

use overtake_recipes::lock::{Contender, Queue};
use overtake_recipes::{CreateMode, LockError, PredecessorLock, SessionState, Watch, WatchedEvent};
use overtake_sim::program::{Context, SimWatch};

use super::report::Report;
use crate::property::*;
use crate::scenario::Scenario;
use crate::scenarios::programs::{LOCK, once};

/// Waits until it is worth to look again.
async fn wake<const ON_RECONNECT: bool>(watch: &mut SimWatch) {
    loop {
        match watch.next().await {
            WatchedEvent::Node { .. } => return,
            WatchedEvent::Session(SessionState::Connected) if ON_RECONNECT => return,
            WatchedEvent::Session(_) => {}
        }
    }
}

async fn turn<const ON_RECONNECT: bool>(contender: &Contender<Context>) -> Result<(), LockError> {
    loop {
        let names = contender.list("waiter: list").await?;
        let at = contender.position(&names).expect("it is there");
        if at == 0 {
            return Ok(());
        }
        if let Some(mut watch) = contender.watch(&names[at - 1]).await? {
            wake::<ON_RECONNECT>(&mut watch).await;
        }
    }
}

async fn waiter<const ON_RECONNECT: bool>(ctx: Context) -> Result<(), LockError> {
    let queue = Queue::new(ctx.clone(), LOCK);
    let mode = CreateMode::EphemeralSequential;
    let contender = queue.join_as("lock-", mode).await?;
    turn::<ON_RECONNECT>(&contender).await?;
    ctx.mark_with("holds", &contender.path());
    ctx.work("work").await;
    ctx.unmark("holds");
    contender.leave("waiter: leave").await
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let holder = |s: Scenario| s.client("holder", once::<PredecessorLock<_>>).spared();
    Report {
        name: "O20 asleep after suspension",
        source: "https://github.com/python-zk/kazoo/pull/170",
        about: "A holder, and a waiter whose library does not register its watches again after a break of the connection. \
                Repaired: the waiter looks again when it is connected again.",
        violates: "no wait without a wake-up",
    }
    .pair(
        |s| holder(s).client("waiter", waiter::<false>).without_set_watches(),
        |s| holder(s).client("waiter", waiter::<true>).without_set_watches(),
        |s| {
            s.node(LOCK).disconnects(1).properties([
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
