//! O47, HBASE-16144: the lock node is persistent and outlives a holder that crashes.
//!
//! *Mechanism:* the lock of a table is a persistent node. The holder dies; the node stays; nobody else can take
//! over the work. *Smallest configuration:* 2 clients, 1 crash. *Source:*
//! <https://issues.apache.org/jira/browse/HBASE-16144>. *Violated:* a crash of the holder frees the lock.
//! *Repair:* an ephemeral node.

use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const TABLE: &str = "/tables/t";

async fn alter_table(ctx: Context, mode: CreateMode) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("lock the table", &[]);
        match zk.create(TABLE, b"", mode).await {
            Ok(_) => break,
            Err(ZkError::NodeExists) => {
                let (there, mut watch) = zk.watch_exists(TABLE).await?;
                if there.is_some() {
                    watch.next().await;
                }
            }
            Err(error) => return Err(error),
        }
    }
    ctx.mark("holds");
    ctx.work("alter the table").await;
    ctx.unmark("holds");
    zk.delete(TABLE, None).await
}

fn crash_frees_the_lock() -> Property {
    let table = Text::new(TABLE);
    Property::at_rest("a crash of the holder frees the lock", "HBASE-16144", move |view| {
        match view.zookeeper().node(table) {
            None => Ok(()),
            Some(_) => Err(format!("nobody works any more, and {} is there", table.short())),
        }
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A procedure locks its table by a persistent node. The process dies while it holds the lock; the \
                 node stays, and the table is locked for ever.",
            )
            .source("https://issues.apache.org/jira/browse/HBASE-16144")
            .node("/tables")
            .crashes(1)
            .properties([crash_frees_the_lock(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O47 persistent lock node")
            .clients(2, |ctx| alter_table(ctx, CreateMode::Persistent))
            .breaks("a crash of the holder frees the lock")
            .fixed_by("O47 persistent lock node, repaired"),
        world("O47 persistent lock node, repaired").clients(2, |ctx| alter_table(ctx, CreateMode::Ephemeral)),
    ]
}
