//! The queue, right and spoilt.

use overtake_recipes::lock::LockError;
use overtake_recipes::names::join;
use overtake_recipes::retry::retry;
use overtake_recipes::work_queue::faulty::*;
use overtake_recipes::work_queue::{ReceiptQueue, WorkQueue};
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const QUEUE: &str = "/queue";
const ITEMS: &str = "/queue/items";
const RECEIPTS: &str = "/queue/receipts";
const CLAIMS: &str = "/queue/claims";
const HANDLED: &str = "/handled";

/// A client whose session is over gives up.
fn or_give_up(result: Result<(), LockError>) -> Result<(), LockError> {
    match result {
        Err(LockError::SessionLost) => Ok(()),
        other => other,
    }
}

/// Puts an item of its own, and closes its session.
async fn producer<Q: WorkQueue<Context>>(ctx: Context) -> Result<(), LockError> {
    let item = ctx.unique_id();
    let put = async {
        ctx.keeping(&[&item], Q::new(ctx.clone(), QUEUE).put(&item)).await?;
        ctx.mark_with("put", &item);
        // The reply of a close may be lost with the connection; nothing depends on it.
        let _ = ctx.zookeeper().close().await;
        Ok(())
    };
    or_give_up(put.await)
}

/// Takes an item.
async fn taker<Q: WorkQueue<Context>>(ctx: Context) -> Result<(), LockError> {
    ctx.mark("wants");
    let taken = Q::new(ctx.clone(), QUEUE).take().await;
    ctx.unmark("wants");
    or_give_up(taken.map(|item| ctx.mark_with("took", &item)))
}

/// Processes an item: what it does with it is a node, which outlives the consumer and is there once.
async fn processor<Q: WorkQueue<Context>>(ctx: Context) -> Result<(), LockError> {
    ctx.mark("wants");
    let handle = async |item: &str| {
        ctx.unmark("wants");
        let (zk, path) = (ctx.zookeeper(), join(HANDLED, item));
        match retry(&ctx, "handle", &[item], || zk.create(&path, b"", CreateMode::Persistent)).await {
            Ok(_) | Err(ZkError::NodeExists) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    let over = Q::new(ctx.clone(), QUEUE).process(handle).await;
    ctx.unmark("wants");
    or_give_up(over)
}

fn queue(name: &str) -> Scenario {
    scenario(name)
        .source("https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_Queues")
        .node(QUEUE)
        .node(ITEMS)
        .node(RECEIPTS)
        .node(CLAIMS)
        .node(HANDLED)
        .properties([no_item_is_lost(ITEMS, HANDLED), no_item_beside_an_idle_consumer(ITEMS), no_program_fails()])
        .property(Property::sometimes("an item is handled", |view| {
            let handled = !view.zookeeper().children(Text::new(HANDLED)).is_empty();
            handled || view.clients().any(|c| c.is_marked("took"))
        }))
}

/// As many consumers as producers; each deletes an item before it hands it out.
fn taken<Q: WorkQueue<Context> + 'static>(name: &str, producers: usize, takers: usize) -> Scenario {
    queue(name)
        .about("Producers put an item each and go; consumers delete the first item, and handle what they have deleted.")
        .clients(producers, producer::<Q>)
        .clients(takers, taker::<Q>)
        .property(no_item_is_taken_twice())
}

/// Consumers claim an item, handle it, and delete it.
fn processed<Q: WorkQueue<Context> + 'static>(name: &str, producers: usize, processors: usize) -> Scenario {
    queue(name)
        .about("Producers put an item each and go; consumers claim the first free item, handle it, and delete it.")
        .clients(producers, producer::<Q>)
        .spared()
        .clients(processors, processor::<Q>)
}

fn nothing_is_left() -> Vec<Property> {
    vec![
        no_wait_without_wake_up(),
        no_orphan_node(ITEMS),
        no_orphan_node(RECEIPTS),
        no_orphan_node(CLAIMS),
        everybody_is_done(),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    let lost = |view: &overtake_sim::world::View<'_>| view.clients().any(|c| c.is_crashed());
    vec![
        taken::<ReceiptQueue<_>>("queue, taken", 2, 2).properties(nothing_is_left()).property(no_orphan_watch()),
        taken::<ReceiptQueue<_>>("queue, taken, 1 disconnect", 1, 2).disconnects(1),
        taken::<ReceiptQueue<_>>("queue, taken, 1 expiry", 2, 1).expiries(1).property(everybody_is_done()),
        processed::<ReceiptQueue<_>>("queue, processed", 2, 2)
            .properties(nothing_is_left())
            .property(no_orphan_watch()),
        processed::<ReceiptQueue<_>>("queue, processed, 1 crash", 1, 2)
            .crashes(1)
            .property(Property::sometimes("a consumer dies", lost)),
        processed::<ReceiptQueue<_>>("queue, processed, 1 expiry", 1, 2).expiries(1),
        processed::<ReceiptQueue<_>>("queue, processed, 1 disconnect", 1, 1)
            .disconnects(1)
            .properties(nothing_is_left()),
        taken::<EphemeralItems<_>>("ephemeral items", 2, 2)
            .properties(nothing_is_left())
            .property(no_orphan_watch())
            .about("The producer goes, and its item goes with its session before anybody has taken it.")
            .breaks("no item is lost")
            .fixed_by("queue, taken"),
        taken::<AnswerIgnored<_>>("delete's answer ignored", 2, 2)
            .properties(nothing_is_left())
            .property(no_orphan_watch())
            .about("Two consumers read the first item; both delete it, and both handle it.")
            .breaks("no item is taken twice")
            .fixed_by("queue, taken"),
        taken::<BlindPut<_>>("item put again blindly", 1, 2)
            .disconnects(1)
            .about("The reply to the create is lost; it is sent again, and the item is there twice.")
            .breaks("no item is taken twice")
            .fixed_by("queue, taken, 1 disconnect"),
        taken::<BlindTake<_>>("item taken again blindly", 1, 2)
            .disconnects(1)
            .about("The reply to the delete is lost; sent again it answers that the item is gone.")
            .breaks("no item is lost")
            .fixed_by("queue, taken, 1 disconnect"),
        processed::<PersistentClaim<_>>("persistent claim", 1, 2)
            .crashes(1)
            .property(Property::sometimes("a consumer dies", lost))
            .about("A consumer dies after it has claimed an item, and the claim stays.")
            .breaks("no item beside an idle consumer")
            .fixed_by("queue, processed, 1 crash"),
    ]
}
