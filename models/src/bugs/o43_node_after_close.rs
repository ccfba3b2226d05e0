//! O43: a latch makes a node after it was closed.
//!
//! The handler of a watch sees that the latch is open. Another task closes it and deletes the node. The handler lists,
//! does not find the node, and makes a new one: the closed latch will lead one day, and nobody runs it.
//!
//! Smallest: 2 clients with two tasks each, no faults. Source: <https://github.com/apache/curator/issues/524>.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::who_left_owns_nothing;
use super::report::Report;
use super::steps::{enqueue, line, place, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

#[derive(Clone)]
struct Latch {
    ctx: Context,
    own: Rc<RefCell<Option<String>>>,
    closed: Rc<Cell<bool>>,
}

impl Latch {
    async fn reset<const CHECKS: bool>(&self) -> Result<(), ZkError> {
        if CHECKS && self.closed.get() {
            return Ok(());
        }
        let own = enqueue(&self.ctx, "/latch/n-").await?;
        if CHECKS && self.closed.get() {
            return self.ctx.zookeeper().delete(&own, None).await;
        }
        *self.own.borrow_mut() = Some(own);
        Ok(())
    }

    /// Looks after each change of the node before the own one, for as long as the latch is open.
    async fn handle<const CHECKS: bool>(&self) -> Result<(), ZkError> {
        while !self.closed.get() {
            let line = line(&self.ctx, "/latch").await?;
            let at = self.own.borrow().as_ref().and_then(|own| place(&line, own));
            match at {
                Some(0) => break,
                Some(at) => wait_for(&self.ctx, &line[at - 1]).await?,
                None => self.reset::<CHECKS>().await?,
            }
        }
        Ok(())
    }

    async fn close(&self) -> Result<(), ZkError> {
        self.closed.set(true);
        let own = self.own.borrow_mut().take();
        match own {
            Some(own) => self.ctx.zookeeper().delete(&own, None).await,
            None => Ok(()),
        }
    }
}

async fn candidate<const CHECKS: bool>(ctx: Context) -> Result<(), ZkError> {
    let (own, closed) = Default::default();
    let latch = Latch { ctx: ctx.clone(), own, closed };
    latch.reset::<CHECKS>().await?;
    let handler = latch.clone();
    ctx.spawn(async move {
        let _ = handler.handle::<CHECKS>().await;
    });
    ctx.work("until the application closes the latch").await;
    latch.close().await?;
    ctx.mark("left");
    Ok(())
}

/// The faulty latch and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O43 node after close",
        source: "https://github.com/apache/curator/issues/524",
        about: "Two latches that are closed at some time. A handler that was under way does not find the node, which close \
                has deleted, and makes another. Repaired: it looks again whether the latch is open, before and after.",
        violates: "who left owns no node",
    }
    .pair(
        |s| s.clients(2, candidate::<false>),
        |s| s.clients(2, candidate::<true>),
        |s| {
            s.node("/latch").properties([
                who_left_owns_nothing("/latch"),
                no_program_fails(),
                somebody_is(&["left"], "a latch is closed"),
                everybody_is_done(),
            ])
        },
    )
}
