//! O10: the connection fails before the leader's task is known to the one who would cancel it.
//!
//! The election takes the lock, records which task leads, then leads. The listener cancels the recorded task when the
//! connection fails. As long as nothing is recorded it cancels nothing, and the leader starts, and leads on, although
//! its leadership is lost.
//!
//! Smallest: 1 client with two tasks, 1 expiry. Source: <https://github.com/apache/curator/issues/575>.

use std::cell::Cell;
use std::rc::Rc;
use std::task::Poll;

use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::{Context, SimWatch};

use super::properties::a_lost_lock_is_told;
use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, turn};
use crate::property::*;
use crate::scenario::Scenario;

/// What the election and its listener share.
#[derive(Default)]
struct Election {
    recorded: Cell<bool>,
    cancelled: Cell<bool>,
}

impl Election {
    /// Cancels the leader when the connection fails, if it knows it.
    async fn listen(&self, mut events: SimWatch) {
        while events.next().await != WatchedEvent::Session(SessionState::Disconnected) {}
        if self.recorded.get() {
            self.cancelled.set(true);
        }
    }

    async fn lead<const RECORDS_FIRST: bool>(&self, ctx: &Context) -> Result<(), ZkError> {
        if RECORDS_FIRST {
            self.recorded.set(true);
        }
        let own = enqueue(ctx, "/leader/n-").await?;
        turn(ctx, "/leader", &own).await?;
        ctx.work("the election's thread is scheduled").await;
        self.recorded.set(true);
        // Leads for life, or until it is cancelled.
        ctx.mark_with("holds", &own);
        let cancelled = |_: &mut std::task::Context<'_>| match self.cancelled.get() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        };
        std::future::poll_fn(cancelled).await;
        ctx.unmark("holds");
        Ok(())
    }
}

async fn selector<const RECORDS_FIRST: bool>(ctx: Context) -> Result<(), ZkError> {
    let election = Rc::new(Election::default());
    let (told, events) = (election.clone(), ctx.zookeeper().session_events());
    ctx.spawn(async move { told.listen(events).await });
    give_up_if_lost(election.lead::<RECORDS_FIRST>(&ctx).await)
}

/// The faulty selector and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O10 task recorded too late",
        source: "https://github.com/apache/curator/issues/575",
        about: "A leader that is to be cancelled when its connection fails. Between the grant and the record of who leads \
                there is nobody to cancel. Repaired: the task is recorded when it is submitted.",
        violates: "a lost lock is told",
    }
    .pair(
        |s| s.clients(1, selector::<false>),
        |s| s.clients(1, selector::<true>),
        |s| {
            s.node("/leader").expiries(1).properties([
                a_lost_lock_is_told(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
