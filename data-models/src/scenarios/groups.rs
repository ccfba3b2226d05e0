//! A group that several clients change: by compare-and-set, and by what looks like it.

use overtake_data_recipes::group::{GroupError, add, faulty, publish, retract};
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Value};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use crate::property::*;

const GROUP: &str = "news";
const SOURCE: &str = "semantics §6.6; the posts on distributed hash tables";
const ADDED: &str = "what was added is in the group once";

/// How a key is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Right,
    PlainSet,
    AbsenceForgotten,
    BlindRetry,
    FoundWrittenBack,
    ItemsForKeys,
    Unbounded,
}

async fn add_so(ctx: &Context, way: Way, key: &str, rounds: u32) -> Result<(), GroupError> {
    match way {
        Way::Right => add(ctx, GROUP, key, rounds).await?,
        Way::PlainSet => faulty::plain_set::add(ctx, GROUP, key).await?,
        Way::AbsenceForgotten => faulty::absence_forgotten::add(ctx, GROUP, key).await?,
        Way::BlindRetry => faulty::blind_retry::add(ctx, GROUP, key).await?,
        Way::FoundWrittenBack => faulty::found_written_back::add(ctx, GROUP, key).await?,
        Way::ItemsForKeys => faulty::items_for_keys::add(ctx, GROUP, key).await?,
        Way::Unbounded => faulty::unbounded::add_until_done(ctx, GROUP, key).await?,
    }
    ctx.mark_with("added", key);
    Ok(())
}

/// Adds a key of its own.
async fn adds(ctx: Context, way: Way, rounds: u32) -> Result<(), GroupError> {
    let key = ctx.unique_id();
    add_so(&ctx, way, &key, rounds).await
}

/// Adds that key; a group that cannot be reached, or is too large, is no defect of the program.
async fn adds_if_it_can(ctx: Context, way: Way, key: &'static str) -> Result<(), GroupError> {
    match add_so(&ctx, way, key, 2).await {
        Err(GroupError::TooManyRounds) => ctx.mark("gave up"),
        Err(GroupError::Store(StoreError::Unavailable | StoreError::TooLarge)) => ctx.mark("refused"),
        outcome => return outcome,
    }
    Ok(())
}

/// Looks whether there is a group.
async fn finds_a_group(ctx: Context) -> Result<(), StoreError> {
    if ctx.dht().get(GROUP).await?.is_none() {
        ctx.mark("found none");
    }
    Ok(())
}

/// Writes the group for ever, as it is.
async fn writes_for_ever(ctx: Context) -> Result<(), StoreError> {
    let dht = ctx.dht();
    loop {
        ctx.checkpoint("busy", &[]);
        if let Some(group) = dht.get(GROUP).await? {
            dht.update(GROUP, group.data, group.version).await?;
        }
    }
}

/// Publishes an item of its own.
async fn publishes(ctx: Context, item_first: bool) -> Result<(), GroupError> {
    let (key, item) = ("item-2", "amazing revelations".into());
    match item_first {
        true => publish(&ctx, GROUP, key, item, 2).await?,
        false => faulty::key_before_item::publish(&ctx, GROUP, key, item, 2).await?,
    }
    ctx.mark_with("added", key);
    Ok(())
}

async fn retracts(ctx: Context) -> Result<(), GroupError> {
    retract(&ctx, GROUP, "item-1", 2).await?;
    ctx.mark("retracted");
    Ok(())
}

fn keys(keys: &[&str]) -> Value {
    keys.to_vec().into()
}

fn somebody_adds() -> Property {
    somebody_is(&["added"], "somebody adds a key")
}

/// So many clients add a key each to a group that is there.
fn adders(name: &str, clients: usize, way: Way) -> Scenario {
    scenario(name)
        .source(SOURCE)
        .clients(clients, move |ctx| adds(ctx, way, clients as u32))
        .stores(Dht::seed(1).with(GROUP, keys(&[])).into())
        .properties([what_was_added_is_there_once(GROUP), no_program_fails(), somebody_adds(), everybody_is_done()])
}

fn lost_updates() -> Vec<Scenario> {
    let absent = |name: &str, way| {
        scenario(name)
            .about("Nobody has made the group yet: there is nothing that UPDATE could compare, and two clients may want to make it.")
            .source("semantics §6.6, slip 4 (M54)")
            .clients(2, move |ctx| adds(ctx, way, 2))
            .client("reader", finds_a_group)
            .stores(Dht::seed(1).into())
            .properties([
                what_was_added_is_there_once(GROUP),
                no_program_fails(),
                everybody_ends(),
                somebody_is(&["found none"], "somebody finds no group"),
            ])
    };
    let unanswered = |name: &str, way| {
        let rounds = 4;
        scenario(name)
            .about("A call is lost, or arrives late, or was done and its answer is lost, or arrives twice. Whoever gets no answer reads \
                    again, and finds its key there if it was added.")
            .source("semantics §6.4, M51")
            .clients(2, move |ctx| adds(ctx, way, rounds))
            .stores(Dht::seed(1).with(GROUP, keys(&[])).into())
            .timeouts(1)
            .duplicates(1)
            .properties([what_was_added_is_there_once(GROUP), no_program_fails(), somebody_adds(), everybody_is_done()])
    };
    let busy = |name: &str, way| {
        let done = || {
            Property::eventually("whoever adds comes to an end", "semantics §6.6, slip 9", |view| {
                view.client(0).is_over()
            })
        };
        scenario(name)
            .about("Somebody else writes the group all the time. Compare-and-set lets somebody win in every round, but not \
                    everybody in the end.")
            .source("semantics §6.6, slip 9")
            .client("adder", move |ctx| adds_if_it_can(ctx, way, "item-1"))
            .client("busy", writes_for_ever)
            .stores(Dht::seed(1).versions(overtake_sim::stores::dht::Versions::Below(3)).with(GROUP, keys(&[])).into())
            .properties([done(), no_program_fails(), somebody_adds()])
    };
    vec![
        adders("group by compare-and-set", 3, Way::Right)
            .about("Three clients read a group, add a key each, and write it back if it has not changed since; else they start again."),
        adders("group by compare-and-set, counted", 2, Way::Right)
            .about("Two clients add a key each: two calls for a client that nobody overtakes, and two more for a second round. One of the two \
                    goes round again at most.")
            .source("M55")
            .stores(Dht::seed(1).counting_calls().with(GROUP, keys(&[])).into())
            .properties([
                Property::always("two clients need one more round at most", SOURCE, |view| {
                    let calls: usize = view.clients().map(|c| hash_table(view).calls(c.slot())).sum();
                    if calls <= 6 { Ok(()) } else { Err(format!("{calls} calls were made")) }
                }),
                Property::sometimes("somebody goes round again", |view| {
                    view.everybody_is_done() && view.clients().any(|c| hash_table(view).calls(c.slot()) == 4)
                }),
            ]),
        adders("group by plain SET", 3, Way::PlainSet)
            .about("Three clients read a group, add a key each, and write it back. The last one wins, and the others' keys are gone.")
            .breaks(ADDED)
            .fixed_by("group by compare-and-set"),
        absent("group absent at first", Way::Right),
        absent("group absent, and no case for that", Way::AbsenceForgotten)
            .breaks("everybody ends")
            .fixed_by("group absent at first"),
        unanswered("group, answers are lost", Way::Right),
        unanswered("group, blind retry after a lost answer", Way::BlindRetry)
            .breaks(ADDED)
            .fixed_by("group, answers are lost"),
        busy("group with a busy writer", Way::Right)
            .property(somebody_is(&["gave up"], "somebody gives up")),
        busy("group with a busy writer, no bound", Way::Unbounded)
            .breaks("whoever adds comes to an end")
            .fixed_by("group with a busy writer"),
    ]
}

fn items_and_keys() -> Vec<Scenario> {
    let publishing = |name: &str, item_first| {
        scenario(name)
            .about("One client publishes an item, another takes one back. Either may die at any moment. A key must not lead nowhere; an \
                    item that nobody finds does no harm.")
            .source("semantics §6.6, slip 5")
            .client("publisher", move |ctx| publishes(ctx, item_first))
            .client("editor", retracts)
            .stores(Dht::seed(1).with("item-1", "astounding occurrences").with(GROUP, keys(&["item-1"])).into())
            .properties([no_key_without_item(GROUP), no_program_fails(), somebody_adds(), everybody_is_done()])
    };
    let written_back = |name: &str, way| {
        scenario(name)
            .about("The item of a key is on a node that is lost for a while. A client that adds another key must not take the first for \
                    deleted.")
            .source("semantics §6.6, slip 2 (M56)")
            .client("adder", move |ctx| adds_if_it_can(ctx, way, "item-2"))
            .stores(
                Dht::seed(2)
                    .placed(GROUP, 0)
                    .placed("item-1", 1)
                    .placed("item-2", 0)
                    .with("item-1", "astounding occurrences")
                    .with("item-2", "amazing revelations")
                    .with(GROUP, keys(&["item-1"]))
                    .into(),
            )
            .node_losses(1)
            .node_returns(1)
            .properties([nothing_leaves(GROUP, &["item-1"]), no_program_fails(), somebody_adds(), everybody_is_done()])
    };
    let for_keys = |name: &str, way| {
        scenario(name)
            .about("What is read to be changed must be keys: a group that holds data leads nowhere.")
            .source("semantics §6.6, slip 3")
            .client("adder", move |ctx| adds_if_it_can(ctx, way, "item-2"))
            .stores(
                Dht::seed(1)
                    .with("item-1", "astounding occurrences")
                    .with("item-2", "amazing revelations")
                    .with(GROUP, keys(&["item-1"]))
                    .into(),
            )
            .properties([no_key_without_item(GROUP), no_program_fails(), somebody_adds(), everybody_is_done()])
    };
    let large = |name: &str, way| {
        scenario(name)
            .about("The group has grown to the size that the table takes. A SET that is too large removes the old value; an UPDATE that \
                    is too large leaves it.")
            .source("semantics §6.1, §6.6, slip 7 (M38, M39)")
            .client("adder", move |ctx| adds_if_it_can(ctx, way, "item-3"))
            .stores(Dht::seed(1).largest_list(2).with(GROUP, keys(&["item-1", "item-2"])).into())
            .properties([
                nothing_leaves(GROUP, &["item-1", "item-2"]),
                no_program_fails(),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        publishing("group, item before key", true).crashes(1),
        publishing("group, key before item", false)
            .crashes(1)
            .breaks("no key of a group without an item")
            .fixed_by("group, item before key"),
        publishing("group, nobody dies", true).property(no_item_in_no_group("item-", &[GROUP])),
        publishing("group, a publisher dies", true)
            .crashes(1)
            .property(no_item_in_no_group("item-", &[GROUP]))
            .breaks("no item in no group")
            .kept_within_bounds_of("group, nobody dies"),
        written_back("group with a node lost", Way::Right),
        written_back("group, what was found is written back", Way::FoundWrittenBack)
            .breaks("no key leaves the group")
            .fixed_by("group with a node lost"),
        for_keys("group of keys", Way::Right),
        for_keys("group, items written where keys belong", Way::ItemsForKeys)
            .breaks("no key of a group without an item")
            .fixed_by("group of keys"),
        large("group as large as can be", Way::Right),
        large("group as large as can be, by plain SET", Way::PlainSet)
            .breaks("no key leaves the group")
            .fixed_by("group as large as can be"),
    ]
}

/// What no program can help: the table forgets.
fn forgotten() -> Vec<Scenario> {
    let kept = "a group that is kept";
    let world = |name: &str, table: Dht| {
        scenario(name)
            .source("semantics §6.4, §6.5, §6.6, slip 8")
            .clients(2, |ctx| adds(ctx, Way::Right, 4))
            .stores(table.into())
            .properties([somebody_adds(), everybody_is_done()])
    };
    let forgets = |name: &str, table| {
        world(name, table)
            .property(nothing_leaves(GROUP, &["item-1"]))
            .breaks("no key leaves the group")
            .kept_within_bounds_of(kept)
    };
    let two_nodes = || Dht::seed(2).placed("", 0).with(GROUP, keys(&["item-1"]));
    vec![
        world(kept, Dht::seed(1).with(GROUP, keys(&["item-1"])))
            .about("Two clients add a key each to a group that neither expires nor is evicted, on a node that stays.")
            .properties([what_was_added_is_there_once(GROUP), nothing_leaves(GROUP, &["item-1"])]),
        forgets("a group that expires", Dht::seed(1).with_expiring(GROUP, keys(&["item-1"])))
            .about("UPDATE keeps the expiration, so the group expires some time with all its keys, while the items live on.")
            .key_expiries(1),
        forgets("a group that is evicted", Dht::seed(1).with(GROUP, keys(&["item-1"])))
            .about("The group is evicted, the next client makes it anew: all keys but its own are gone.")
            .evictions(1),
        forgets("a group on a node that starts again", Dht::seed(1).with(GROUP, keys(&["item-1"])))
            .about("The node of the group starts again, empty.")
            .node_restarts(1),
        world("a group while rings differ", two_nodes().rehashing())
            .about("The node of the group is lost, and comes back with what it had. Clients hash again, each when it hears of it: a key \
                    that was added to the group at the other node is in no group any more.")
            .node_losses(1)
            .node_returns(1)
            .property(what_was_added_is_there_once(GROUP))
            .breaks(ADDED)
            .kept_within_bounds_of(kept),
    ]
}

/// The group by compare-and-set as other checkers model it: a step for each call and one to modify the list. With `compares` off, its
/// twin by plain SET.
pub fn peer_group(clients: usize, compares: bool) -> Scenario {
    let everything = Property::at_rest("every key is in the group", "peers, model B", |view| {
        match (keys_of(view, GROUP).len(), view.clients().count()) {
            (n, clients) if n == clients => Ok(()),
            (n, clients) => Err(format!("{n} keys of {clients} are in the group")),
        }
    });
    scenario("peer group")
        .about("The group by compare-and-set with calls as single steps, as other checkers model it.")
        .clients(clients, move |ctx| peer(ctx, compares))
        .stores(Dht::seed(1).with(GROUP, keys(&[])).into())
        .calls_are_steps()
        .properties([everything, everybody_is_done()])
}

async fn peer(ctx: Context, compares: bool) -> Result<(), StoreError> {
    let (dht, me) = (ctx.dht(), ctx.unique_id());
    loop {
        ctx.checkpoint("get", &[&me]);
        let Some(group) = dht.get(GROUP).await? else { return Err(StoreError::BadRequest) };
        let mut list = group.data.strings();
        ctx.work("modify").await;
        list.push(me.clone());
        if !compares {
            return dht.set(GROUP, list.into(), Expiration::Never).await;
        }
        if dht.update(GROUP, list.into(), group.version).await? == overtake_recipes::store::Updated::Stored {
            return Ok(());
        }
    }
}

/// Both by name, for any number of clients.
fn peers() -> Vec<Scenario> {
    let right = "group by compare-and-set, calls as steps";
    vec![
        peer_group(3, true).called(right).source("semantics §6.6"),
        peer_group(3, false)
            .called("group by plain SET, calls as steps")
            .about("Each client reads the group, adds its key, and writes the group whatever it is by then: a key is lost.")
            .source("semantics §6.6")
            .breaks("every key is in the group")
            .fixed_by(right),
    ]
}

/// Groups that several clients change.
pub fn scenarios() -> Vec<Scenario> {
    [lost_updates(), items_and_keys(), forgotten(), peers()].concat()
}
