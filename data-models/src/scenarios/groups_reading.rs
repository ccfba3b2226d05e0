//! Reading a group: in its order, in as few calls as there are nodes, and past what was deleted; keys against copies.

use overtake_data_recipes::group::{
    GroupError, Member, denormalised, faulty, items, items_one_by_one, members_in_turn, retract,
};
use overtake_models::{Scenario, scenario};
use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use crate::property::*;

const GROUP: &str = "news";
const SOURCE: &str = "semantics §6.6; the posts on distributed hash tables";

/// How a group is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    InBatches,
    InTurn,
    OneByOne,
    InNodeOrder,
    Denormalised,
}

async fn reads_so(ctx: Context, way: Way) -> Result<(), StoreError> {
    let dht = ctx.dht();
    let items = match way {
        Way::InBatches => match items(&dht, GROUP).await {
            Err(StoreError::Unavailable) => {
                ctx.mark("no group");
                return Ok(());
            }
            items => items?,
        },
        Way::InTurn => {
            let found = members_in_turn(&dht, GROUP).await?.into_iter();
            found.filter_map(|(_, member)| if let Member::Item(item) = member { Some(item) } else { None }).collect()
        }
        Way::OneByOne => items_one_by_one(&dht, GROUP).await?,
        Way::InNodeOrder => faulty::node_order::items(&dht, GROUP).await?,
        Way::Denormalised => denormalised::items(&dht, GROUP).await?,
    };
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    ctx.mark_with("read", &items.join(","));
    Ok(())
}

async fn retracts(ctx: Context, key: &'static str) -> Result<(), GroupError> {
    retract(&ctx, GROUP, key, 2).await
}

fn keys(keys: &[&str]) -> Value {
    keys.to_vec().into()
}

fn somebody_reads() -> Property {
    somebody_is(&["read"], "somebody reads the group")
}

fn order_and_calls() -> Vec<Scenario> {
    // Four keys on three nodes, the group on a node that owns a key too.
    let table = || {
        Dht::seed(3)
            .counting_calls()
            .placed("news", 1)
            .placed("x", 2)
            .placed("y", 0)
            .placed("z", 1)
            .with("x1", "1")
            .with("y1", "2")
            .with("z1", "3")
            .with("x2", "4")
            .with(GROUP, keys(&["x1", "y1", "z1", "x2"]))
    };
    let reading = |name: &str, way, table: Dht| {
        scenario(name).source(SOURCE).client("reader", move |ctx| reads_so(ctx, way)).stores(table.into()).properties([
            no_program_fails(),
            somebody_reads(),
            everybody_is_done(),
        ])
    };
    let one = || Dht::seed(2).counting_calls().placed("", 0).with("x1", "1").with(GROUP, keys(&["x1"]));
    // The posts' own example, on ten nodes: M53.
    let twelve: Vec<String> = (1..=12).map(|n| format!("NewsItem#{n}")).collect();
    let ten = twelve.iter().fold(Dht::seed(10).counting_calls(), |table, key| table.with(key, 1));
    vec![
        reading("GetGroup in batches", Way::InBatches, table())
            .about("A call for the group, then one for each node that owns a key of it, all at once. What was found is put into the order \
                    of the group.")
            .properties([reads("1,2,3,4"), one_call_a_node(GROUP)]),
        reading("GetGroup in the order of the nodes", Way::InNodeOrder, table())
            .about("What the batches have found is appended batch by batch: the most recent item is not the first any more.")
            .property(reads("1,2,3,4"))
            .breaks("the group is read in its order")
            .fixed_by("GetGroup in batches"),
        reading("GetGroup one by one", Way::OneByOne, table())
            .about("A call for the group and one for each key: N + 1, whatever nodes they are on.")
            .property(one_call_a_node(GROUP))
            .breaks("calls are 1 + distinct owners")
            .fixed_by("GetGroup in batches"),
        reading("GetGroup of twelve on ten nodes", Way::InTurn, Dht::with(ten, GROUP, twelve))
            .about("Twelve keys on ten nodes, placed by hashing: one call for the group and one for each distinct owner, here one after the other.")
            .source("M53")
            .property(one_call_a_node(GROUP)),
        reading("GetGroup of four on three nodes, counted by the posts", Way::InBatches, table())
            .about("The posts say that N keys on M nodes take (N modulus M) + 1 calls at worst. For four keys on three nodes that is 2; it \
                    takes a call for each node that owns a key, and one for the group.")
            .property(calls_by_the_posts(GROUP))
            .breaks("calls are (N mod M) + 1")
            .kept_within_bounds_of("GetGroup of one on two nodes, counted by the posts"),
        reading("GetGroup of one on two nodes, counted by the posts", Way::InBatches, one())
            .about("Where the formula of the posts happens to be right: one key, one owner.")
            .properties([calls_by_the_posts(GROUP), one_call_a_node(GROUP)]),
        reading("GetGroup while an item is taken back", Way::InBatches, table())
            .about("The key leaves the group before the item is deleted. A reader that has seen the key may find nothing, and leaves it out; \
                    it writes nothing.")
            .client("editor", |ctx| retracts(ctx, "y1"))
            .properties([
                no_key_without_item(GROUP),
                Property::sometimes("the reader finds a key without an item", |view| {
                    let read = view.client(0).mark("read").flatten();
                    read.is_some_and(|read| read.full() == "1,3,4") && view.client(1).outcome().is_none()
                }),
            ]),
        reading("GetGroup with a node lost", Way::InBatches, table())
            .about("A node that does not answer counts as a miss: the rest of the group is read.")
            .node_losses(1)
            .properties([
                reads_part_of("1,2,3,4"),
                somebody_is(&["no group"], "the node of the group is lost"),
                Property::sometimes("a part is read", |view| {
                    view.client(0).mark("read").flatten().is_some_and(|read| read.full() == "1,3,4")
                }),
            ]),
    ]
}

const OLD: &str = "revelations";
const NEW: &str = "amazing revelations";
const BOTH: &[&str] = &["news", "sports"];

/// Changes an article that is in two groups, as a copy in each or by its key.
async fn edits(ctx: Context, groups: &'static [&'static str]) -> Result<(), StoreError> {
    match groups {
        [] => ctx.dht().set("article", NEW.into(), Expiration::Never).await?,
        groups => denormalised::change(&ctx, "article", &OLD.into(), &NEW.into(), groups).await?,
    }
    ctx.mark("changed");
    Ok(())
}

fn no_stale_copy() -> Property {
    Property::at_rest("no stale copy of an article", SOURCE, |view| {
        let changed = hash_table(view).value("article") == Some(NEW.into());
        match BOTH.iter().find(|group| changed && keys_of(view, group).iter().any(|copy| copy == OLD)) {
            None => Ok(()),
            Some(group) => Err(format!("the article was changed, and {group} holds the old one")),
        }
    })
}

fn copies() -> Vec<Scenario> {
    let world = |name: &str, groups: &'static [&'static str]| {
        let list = |own: &str| if groups.is_empty() { keys(&["article"]) } else { keys(&[OLD, own]) };
        scenario(name)
            .source(SOURCE)
            .client("editor", move |ctx| edits(ctx, groups))
            .stores(Dht::seed(1).with("article", OLD).with("news", list("rain")).with("sports", list("2:1")).into())
            .properties([
                no_stale_copy(),
                no_program_fails(),
                somebody_is(&["changed"], "the article is changed"),
                everybody_is_done(),
            ])
    };
    vec![
        world("denormalised groups, both named", BOTH)
            .about("Two groups hold a copy of the article each. Its writer knows both, changes the article and then the copies."),
        world("denormalised groups, one forgotten", &["news"])
            .about("The writer does not know that a second group holds a copy.")
            .breaks("no stale copy of an article")
            .fixed_by("denormalised groups, both named"),
        world("denormalised groups, the writer dies", BOTH)
            .about("The writer dies between the article and the copies. Nobody else knows that they are stale.")
            .crashes(1)
            .breaks("no stale copy of an article")
            .fixed_by("groups of keys, the writer dies"),
        world("groups of keys, the writer dies", &[])
            .about("Both groups hold the key of the article: to change it is one call.")
            .crashes(1),
    ]
}

/// How a group holds its items, and is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    KeysOneByOne,
    KeysInBatches,
    Copies,
}

/// What one client alone pays, by how a group is kept, to read its items and to change an article that is in two groups.
pub(crate) fn costs() -> Vec<(&'static str, [Scenario; 2])> {
    // As above: four keys on three nodes.
    let nodes = || Dht::seed(3).counting_calls().placed("news", 1).placed("x", 2).placed("y", 0).placed("z", 1);
    let world = |name: &str, calls: usize| {
        scenario(name).source(SOURCE).properties([
            calls_are("the calls are what they should be", move |_| calls),
            no_program_fails(),
            everybody_is_done(),
        ])
    };
    let read = |kept: Kept, name: &str, calls| {
        let table = match kept {
            Kept::Copies => nodes().with(GROUP, keys(&["1", "2", "3", "4"])),
            _ => {
                let items = nodes().with("x1", "1").with("y1", "2").with("z1", "3").with("x2", "4");
                items.with(GROUP, keys(&["x1", "y1", "z1", "x2"]))
            }
        };
        let way = match kept {
            Kept::KeysOneByOne => Way::OneByOne,
            Kept::KeysInBatches => Way::InBatches,
            Kept::Copies => Way::Denormalised,
        };
        world(name, calls)
            .about("One client alone reads a group of four items on three nodes: what that costs in calls.")
            .client("reader", move |ctx| reads_so(ctx, way))
            .stores(table.into())
            .properties([reads("1,2,3,4"), somebody_reads()])
    };
    let change = |kept: Kept, name: &str, calls| {
        let (groups, list): (_, fn(&str) -> Value) = match kept {
            Kept::Copies => (BOTH, |own| keys(&[OLD, own])),
            _ => (&[] as &[_], |_| keys(&["article"])),
        };
        let table = Dht::seed(1).counting_calls().with("article", OLD).with("news", list("rain"));
        world(name, calls)
            .about("One client alone changes an article that is in two groups: what that costs in calls.")
            .client("editor", move |ctx| edits(ctx, groups))
            .stores(table.with("sports", list("2:1")).into())
            .properties([no_stale_copy(), somebody_is(&["changed"], "the article is changed")])
    };
    let both = |name: &'static str, kept: Kept, calls: [usize; 2]| {
        let reads = read(kept, &format!("a group of {name}, what a read costs"), calls[0]);
        (name, [reads, change(kept, &format!("a group of {name}, what a change costs"), calls[1])])
    };
    vec![
        both("keys, read one by one", Kept::KeysOneByOne, [5, 1]),
        both("keys, read in batches by node", Kept::KeysInBatches, [4, 1]),
        both("copies", Kept::Copies, [1, 5]),
    ]
}

/// Reading groups, and what is read.
pub fn scenarios() -> Vec<Scenario> {
    let costs = costs().into_iter().flat_map(|(_, scenarios)| scenarios).collect();
    [order_and_calls(), copies(), costs].concat()
}
