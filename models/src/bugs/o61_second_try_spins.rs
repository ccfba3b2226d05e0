//! O61, python-zk/kazoo#315: the second non-blocking acquire of one lock object spins for ever.
//!
//! *Mechanism:* the object holds the lock; a non-blocking acquire is called again. The inner routine answers
//! "retry", because the lock is acquired already, and the retry helper repeats it without end. *Smallest
//! configuration:* 1 client. *Source:* <https://github.com/python-zk/kazoo/issues/315>. *Violated:* a try returns in
//! a bounded number of steps, so everybody ends. *Repair:* answer "no" at once.

use overtake_recipes::retry::PAUSE;
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/locks/job";

/// What one attempt gives.
enum Attempt {
    Done(bool),
    Retry,
}

async fn attempt(ctx: &Context, acquired: bool, answers: bool) -> Result<Attempt, ZkError> {
    if acquired {
        return Ok(match answers {
            true => Attempt::Done(false),
            false => Attempt::Retry,
        });
    }
    match ctx.zookeeper().create(LOCK, b"", CreateMode::Ephemeral).await {
        Ok(_) => Ok(Attempt::Done(true)),
        Err(ZkError::NodeExists) => Ok(Attempt::Done(false)),
        Err(error) => Err(error),
    }
}

/// The non-blocking acquire, with its retry helper.
async fn try_acquire(ctx: &Context, acquired: bool, answers: bool) -> Result<bool, ZkError> {
    loop {
        ctx.checkpoint("try", &[if acquired { "acquired" } else { "free" }]);
        match attempt(ctx, acquired, answers).await? {
            Attempt::Done(answer) => return Ok(answer),
            Attempt::Retry => ctx.sleep(PAUSE).await,
        }
    }
}

async fn try_twice(ctx: Context, answers: bool) -> Result<(), ZkError> {
    let mut acquired = false;
    for _ in 0..2 {
        if try_acquire(&ctx, acquired, answers).await? {
            acquired = true;
            ctx.mark("holds");
        }
    }
    if acquired {
        ctx.work("work").await;
        ctx.unmark("holds");
        ctx.zookeeper().delete(LOCK, None).await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about("A lock that is held is tried again by its holder; the call neither succeeds nor returns.")
            .source("https://github.com/python-zk/kazoo/issues/315")
            .node("/locks")
            .properties([everybody_ends(), no_program_fails(), somebody_holds()])
    };
    vec![
        world("O61 second try spins")
            .clients(1, |ctx| try_twice(ctx, false))
            .breaks("everybody ends")
            .fixed_by("O61 second try spins, repaired"),
        world("O61 second try spins, repaired").clients(1, |ctx| try_twice(ctx, true)),
    ]
}
