//! O03: a latch resets itself after an outage, and a late look sets its flag between the two halves of the reset.
//!
//! On reconnecting, a latch says "I do not lead", deletes its node and creates another. Between the first and the
//! second of these a look that was under way finds the old node first and says "I lead". The look after the reset
//! finds the new node behind others, and that branch does not touch the flag.
//!
//! Smallest: 2 clients, a short outage each, two tasks in each client.
//! Source: <https://github.com/apache/curator/issues/1169>.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, line, place, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

#[derive(Clone)]
struct Latch {
    ctx: Context,
    own: Rc<RefCell<String>>,
    leads: Rc<Cell<bool>>,
}

impl Latch {
    fn tell(&self) {
        match self.leads.get() {
            true => self.ctx.mark_with("holds", &self.own.borrow()),
            false => self.ctx.unmark("holds"),
        }
    }

    async fn enlist<const CLEARS: bool>(&self) -> Result<(), ZkError> {
        *self.own.borrow_mut() = enqueue(&self.ctx, "/latch/n-").await?;
        let latch = self.clone();
        self.ctx.spawn(async move {
            // A look that the connection fails is made again after the reset.
            let _ = latch.look::<CLEARS>().await;
        });
        Ok(())
    }

    async fn look<const CLEARS: bool>(&self) -> Result<(), ZkError> {
        loop {
            let line = line(&self.ctx, "/latch").await?;
            let Some(at) = place(&line, &self.own.borrow()) else {
                return Ok(());
            };
            if at == 0 || CLEARS {
                self.leads.set(at == 0);
            }
            self.tell();
            if at == 0 {
                return Ok(());
            }
            wait_for(&self.ctx, &line[at - 1]).await?;
        }
    }

    async fn reset<const CLEARS: bool>(&self) -> Result<(), ZkError> {
        self.leads.set(false);
        self.tell();
        self.ctx.work("the listener's thread is scheduled").await;
        let old = self.own.borrow().clone();
        self.ctx.zookeeper().delete(&old, None).await?;
        self.enlist::<CLEARS>().await
    }
}

async fn candidate<const CLEARS: bool>(ctx: Context) {
    let (own, leads) = Default::default();
    let latch = Latch { ctx, own, leads };
    let mut events = latch.ctx.zookeeper().session_events();
    let _ = latch.enlist::<CLEARS>().await;
    loop {
        if let WatchedEvent::Session(SessionState::Connected) = events.next().await {
            // Broken off by another outage, it is made again after that.
            let _ = latch.reset::<CLEARS>().await;
        }
    }
}

/// The faulty latch and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O03 flag survives a reset",
        source: "https://github.com/apache/curator/issues/1169",
        about: "Two latches reset themselves when they are connected again: flag down, node away, new node. A look in \
                between puts the flag up again, and the look after it leaves it there although the new node is not \
                the first. Repaired: every look writes the flag.",
        violates: "grants in order of creation",
    }
    .pair(
        |s| s.clients(2, candidate::<false>),
        |s| s.clients(2, candidate::<true>),
        |s| {
            let properties = [grants_in_order_of_creation(), somebody_holds()];
            s.node("/latch").disconnects(2).properties(properties)
        },
    )
}
