//! O49, python-zk/kazoo#366: a locking queue leaves the lock nodes of items that are consumed already.
//!
//! *Mechanism:* two consumers see one item. One locks it, consumes it, and deletes item and lock. Now the other
//! creates its own lock node for the item, which succeeds, reads the item, which is gone, and gives up; its lock node
//! stays. *Smallest configuration:* 2 consumers, 1 item, no faults. *Source:*
//! <https://github.com/python-zk/kazoo/issues/366>. *Violated:* a lock node exists only while its item exists or is
//! being checked. *Repair:* delete the own lock node when the item is gone.

use overtake_recipes::names::join;
use overtake_recipes::{CreateMode, Environment, Op, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const ENTRIES: &str = "/queue/entries";
const TAKEN: &str = "/queue/taken";

async fn consume(ctx: Context, tidy: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    for item in zk.children(ENTRIES).await? {
        let (entry, taken) = (join(ENTRIES, &item), join(TAKEN, &item));
        match zk.create(&taken, b"", CreateMode::Ephemeral).await {
            Ok(_) => {}
            Err(ZkError::NodeExists) => continue,
            Err(error) => return Err(error),
        }
        match zk.get_data(&entry).await {
            Ok(_) => {
                ctx.mark("consumes");
                ctx.work("consume").await;
                ctx.unmark("consumes");
                let delete = |path| Op::Delete { path, version: None };
                zk.multi(vec![delete(entry), delete(taken)]).await?;
            }
            Err(ZkError::NoNode) => {
                ctx.mark("too late");
                if tidy {
                    zk.delete(&taken, None).await?;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn locks_have_items() -> Property {
    Property::at_rest("a lock node exists only while its item exists", "python-zk/kazoo#366", |view| {
        for lock in view.zookeeper().children(Text::new(TAKEN)) {
            let item = Text::new(&join(ENTRIES, &lock.leaf().to_string()));
            if view.zookeeper().node(item).is_none() {
                return Err(format!("{} is there, {} is not", lock.short(), item.short()));
            }
        }
        Ok(())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "Two consumers see one item. One consumes it and deletes item and lock; the other then locks the item \
                 that is gone, notices, and leaves its lock node behind.",
            )
            .source("https://github.com/python-zk/kazoo/issues/366")
            .node("/queue")
            .node(ENTRIES)
            .node(TAKEN)
            .node("/queue/entries/job")
            .properties([
                locks_have_items(),
                no_program_fails(),
                somebody_is(&["consumes"], "an item is consumed"),
                somebody_is(&["too late"], "a consumer comes too late"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O49 taken nodes stay")
            .clients(2, |ctx| consume(ctx, false))
            .breaks("a lock node exists only while its item exists")
            .fixed_by("O49 taken nodes stay, repaired"),
        world("O49 taken nodes stay, repaired").clients(2, |ctx| consume(ctx, true)),
    ]
}
