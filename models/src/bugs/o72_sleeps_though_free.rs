//! O72, hashicorp/consul#2767: a waiter sleeps for a fixed time although the lock is free.
//!
//! *Mechanism:* the try fails; before the waiter reads why, the holder unlocks. The waiter reads that nobody has the
//! lock, takes this for the delay after a lost session, and sleeps; others may take the free lock again and again.
//! *Smallest configuration:* 2 clients, a release between two calls. *Source:*
//! <https://github.com/hashicorp/consul/issues/2767>. *Violated:* a free lock and a waiter coexist only briefly.
//! *Repair:* try again at once when the lock is free, and wait only for its release.
//!
//! Translated from Consul: the key is an ephemeral node. There is no clock here; "briefly" is taken for "while a
//! message to the waiter is under way".

use std::time::Duration;

use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const KEY: &str = "/keys/job";

async fn hold(ctx: Context, sleeps: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("try", &[]);
        match zk.create(KEY, b"", CreateMode::Ephemeral).await {
            Ok(_) => break,
            Err(ZkError::NodeExists) => {}
            Err(error) => return Err(error),
        }
        match zk.watch_data(KEY).await {
            Ok((_, _, mut watch)) => {
                ctx.mark("waits");
                watch.next().await;
                ctx.unmark("waits");
            }
            Err(ZkError::NoNode) if sleeps => {
                ctx.mark("waits");
                ctx.sleep(Duration::from_secs(5)).await;
                ctx.unmark("waits");
            }
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    zk.delete(KEY, None).await
}

fn free_lock_and_waiter_only_briefly() -> Property {
    let key = Text::new(KEY);
    Property::always("a free lock and a waiter coexist only briefly", "hashicorp/consul#2767", move |view| {
        if view.zookeeper().node(key).is_some() {
            return Ok(());
        }
        let idle = view.clients().find(|c| c.is_marked("waits") && c.incoming().is_empty());
        match idle {
            None => Ok(()),
            Some(c) => Err(format!("the lock is free, and {} waits though nothing is on its way to it", c.name())),
        }
    })
    .where_marked(&["waits"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A try fails because the lock is held. When the waiter looks again the lock is free; it takes that for a \
                 delay imposed by the server and sleeps.",
            )
            .source("https://github.com/hashicorp/consul/issues/2767")
            .node("/keys")
            .properties([
                free_lock_and_waiter_only_briefly(),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["waits"], "somebody waits"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O72 sleeps though the lock is free")
            .clients(2, |ctx| hold(ctx, true))
            .breaks("a free lock and a waiter coexist only briefly")
            .fixed_by("O72 sleeps though the lock is free, repaired"),
        world("O72 sleeps though the lock is free, repaired").clients(2, |ctx| hold(ctx, false)),
    ]
}
