//! O63, python-zk/kazoo#291: a lock that is half re-entrant.
//!
//! *Mechanism:* a second acquire of a held lock object says "acquired" again. The first release deletes the node, so
//! the outer section goes on unprotected. *Smallest configuration:* 1 client with nested use, and a rival. *Source:*
//! <https://github.com/python-zk/kazoo/issues/291>. *Violated:* as many acquires, as many releases: what holds rests
//! on a node. *Repair:* a plain lock, whose second acquire says "no".

use overtake_recipes::{Acquired, Lock, LockError, PredecessorLock};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};
use crate::scenarios::programs::{LOCK, once};

/// A lock object that remembers whether it is acquired.
struct Object {
    lock: PredecessorLock<Context>,
    held: Option<Acquired>,
    /// Whether an acquire of a held object says "acquired" again.
    again: bool,
}

impl Object {
    async fn acquire(&mut self) -> Result<bool, LockError> {
        if self.held.is_some() {
            return Ok(self.again);
        }
        self.held = Some(self.lock.acquire().await?);
        Ok(true)
    }

    async fn release(&mut self) -> Result<(), LockError> {
        match self.held.take() {
            Some(held) => self.lock.release(held).await,
            None => Ok(()),
        }
    }
}

async fn nested(ctx: Context, again: bool) -> Result<(), LockError> {
    let lock = PredecessorLock::new(ctx.clone(), LOCK);
    let mut object = Object { lock, held: None, again };
    object.acquire().await?;
    let path = object.held.as_ref().map_or("", |held| &held.path);
    ctx.mark_with("holds", path);
    if object.acquire().await? {
        ctx.work("inner section").await;
        object.release().await?;
    }
    ctx.work("outer section").await;
    ctx.unmark("holds");
    object.release().await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A holder acquires its lock object again, as it may, and releases it. The release deletes the node under \
                 the outer section.",
            )
            .source("https://github.com/python-zk/kazoo/issues/291")
            .node(LOCK)
            .client("rival", once::<PredecessorLock<_>>)
            .properties([
                grant_rests_on_own_live_node(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
    };
    vec![
        world("O63 half re-entrant lock")
            .client("nested", |ctx| nested(ctx, true))
            .breaks("grant rests on a live node of the own session")
            .fixed_by("O63 half re-entrant lock, repaired"),
        world("O63 half re-entrant lock, repaired").client("nested", |ctx| nested(ctx, false)),
    ]
}
