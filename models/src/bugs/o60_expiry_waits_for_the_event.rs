//! O60, KAFKA-8532: the expiry handler waits for the controller's event, the event for a live session.
//!
//! *Mechanism:* on expiry the handler queues an event and waits until the single event thread has come to it before
//! it opens another session. The event thread is inside another event, which waits for a live session. Neither
//! moves. *Smallest configuration:* 1 client, 2 threads, 1 expiry. *Source:*
//! <https://github.com/apache/kafka/pull/7988>. *Violated:* the opening of a session does not depend on work that
//! needs the session: nobody waits for what cannot come. *Repair:* open the session first.
//!
//! The two threads are two tasks of one client.

use futures_util::future::{Either, select};
use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// Waits for a change of the connection to that state. What reports the changes of a session ends with it.
async fn next_state(ctx: &Context, state: SessionState) {
    loop {
        let mut events = ctx.zookeeper().session_events();
        loop {
            match events.next().await {
                WatchedEvent::Session(now) if now == state => return,
                WatchedEvent::Session(SessionState::Expired) => break,
                _ => {}
            }
        }
    }
}

/// An event of the controller: a write, sent until it is answered in a live session.
async fn event(ctx: Context) {
    let zk = ctx.zookeeper();
    loop {
        match zk.create("/state", b"", CreateMode::Persistent).await {
            Err(ZkError::ConnectionLoss | ZkError::SessionExpired) => next_state(&ctx, SessionState::Connected).await,
            _ => return ctx.mark("event handled"),
        }
    }
}

async fn control(ctx: Context, session_first: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let expired = Box::pin(next_state(&ctx, SessionState::Expired));
    let current = ctx.spawn_task(event(ctx.clone()));
    if let Either::Right((_, current)) = select(current, expired).await {
        ctx.mark("expired");
        if session_first {
            zk.connect().await?;
        }
        // The handler's own event comes after the current one.
        current.await;
        if !session_first {
            zk.connect().await?;
        }
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A session expires while the event thread waits for a live one. The expiry handler waits for the event \
                 thread before it opens another session.",
            )
            .source("https://github.com/apache/kafka/pull/7988")
            .expiries(1)
            .properties([
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_is(&["event handled"], "the event is handled"),
                somebody_is(&["expired"], "the handler hears of an expiry"),
            ])
    };
    vec![
        world("O60 expiry waits for the event")
            .clients(1, |ctx| control(ctx, false))
            .breaks("no wait without a wake-up")
            .fixed_by("O60 expiry waits for the event, repaired"),
        world("O60 expiry waits for the event, repaired").clients(1, |ctx| control(ctx, true)),
    ]
}
