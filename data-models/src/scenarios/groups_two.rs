//! Two groups that must change together: the torn update, its cures, and what each cure is worth under which fault.

use overtake_data_recipes::two_groups::{Pair, faulty, intent, locked, one_record, redo};
use overtake_models::{Scenario, scenario};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;
use overtake_sim::world::View;

use crate::property::*;

const PAIR: Pair<'_> = Pair { first: "news", second: "sports" };
const BOTH: &str = "both";
const SLOT: &str = "intent";
const SOURCE: &str = "the posts: two groups at once; semantics §6.6, slip 13";
const AGREE: &str = "the two groups agree";
const SEEN: &str = "no reader sees the groups disagree";

/// How the groups are changed and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plain,
    OneRecord,
    Redo,
    Intent,
    Locked,
    Unfenced,
    OwnOrder,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Plain => "compare-and-set on each",
            Way::OneRecord => "one record",
            Way::Redo => "redo from the first",
            Way::Intent => "intent record",
            Way::Locked => "ordered leases",
            Way::Unfenced => "ordered leases without fencing",
            Way::OwnOrder => "leases in an order of one's own",
        }
    }

    /// Calls of an add when nobody is in the way.
    fn calls(self) -> usize {
        match self {
            Way::OneRecord => 2,
            Way::Plain | Way::Redo => 4,
            Way::Intent => 8,
            Way::Locked | Way::Unfenced | Way::OwnOrder => 10,
        }
    }
}

async fn adds(ctx: Context, way: Way, pair: Pair<'static>) -> Result<(), String> {
    let me = ctx.unique_id();
    let added = match way {
        Way::Plain => faulty::plain::add_to_both(&ctx, pair, &me, 3).await.map_err(|error| error.to_string()),
        Way::OneRecord => one_record::add(&ctx, BOTH, &me).await.map_err(|error| error.to_string()),
        Way::Redo => redo::add(&ctx, pair, &me).await.map_err(|error| error.to_string()),
        Way::Intent => intent::add(&ctx, pair, SLOT, &me).await.map_err(|error| error.to_string()),
        Way::Locked => locked::add(&ctx, pair, &me, &me).await.map_err(|error| error.to_string()),
        Way::Unfenced => faulty::unfenced::add(&ctx, pair, &me, &me).await.map_err(|error| error.to_string()),
        Way::OwnOrder => faulty::own_order::add(&ctx, pair, &me, &me).await.map_err(|error| error.to_string()),
    };
    added?;
    ctx.mark_with("added", &me);
    Ok(())
}

async fn reads_both(ctx: Context, way: Way) -> Result<(), StoreError> {
    let (first, second) = match way {
        Way::Plain => faulty::plain::read(&ctx, PAIR).await?,
        Way::OneRecord => one_record::read(&ctx, BOTH).await?,
        Way::Redo => redo::read(&ctx, PAIR).await?,
        Way::Intent => intent::read(&ctx, PAIR, SLOT).await?,
        Way::Locked | Way::Unfenced | Way::OwnOrder => {
            let me = ctx.unique_id();
            locked::read(&ctx, PAIR, &me).await?
        }
    };
    ctx.mark_with("first", &first.join(","));
    ctx.mark_with("second", &second.join(","));
    Ok(())
}

/// The keys of both groups, wherever the way keeps them.
fn both(view: &View<'_>) -> (Vec<String>, Vec<String>) {
    let table = hash_table(view);
    let list = |key: &str, field: &str| {
        let value = table.value(key);
        value.map_or(Vec::new(), |value| value.at(field).map_or_else(|| value.strings(), |list| list.strings()))
    };
    match table.item(BOTH) {
        Some(_) => (list(BOTH, "first"), list(BOTH, "second")),
        None => (list(PAIR.first, "keys"), list(PAIR.second, "keys")),
    }
}

fn agree() -> Property {
    groups_agree(both)
}

fn added_to_both() -> Property {
    Property::at_rest("what was added is in both groups once", SOURCE, |view| {
        let (first, second) = both(view);
        for client in view.clients() {
            let Some(key) = client.mark("added").flatten() else { continue };
            for keys in [&first, &second] {
                let times = keys.iter().filter(|k| **k == key.full()).count();
                if times != 1 {
                    return Err(format!(
                        "{} has added {}, and it is {times} times in a group",
                        client.name(),
                        key.short()
                    ));
                }
            }
        }
        Ok(())
    })
}

fn somebody_adds() -> Property {
    somebody_is(&["added"], "somebody adds a key to both")
}

/// Two clients add a key each.
fn writers(way: Way, what: &str) -> Scenario {
    scenario(format!("two groups, {}{what}", way.name()))
        .source(SOURCE)
        .clients(2, move |ctx| adds(ctx, way, PAIR))
        .stores(Dht::seed(1).into())
        .properties([no_program_fails(), somebody_adds(), everybody_is_done()])
}

/// One client adds a key and may die; another reads.
fn writer_and_reader(way: Way, what: &str) -> Scenario {
    scenario(format!("two groups, {}{what}", way.name()))
        .source(SOURCE)
        .client("writer", move |ctx| adds(ctx, way, PAIR))
        .client("reader", move |ctx| reads_both(ctx, way))
        .spared()
        .stores(Dht::seed(1).into())
        .properties([
            readers_see_groups_agree(),
            no_program_fails(),
            somebody_is(&["second"], "somebody reads both"),
            everybody_is_done(),
        ])
}

const CURES: [Way; 4] = [Way::OneRecord, Way::Redo, Way::Intent, Way::Locked];

/// Nothing goes wrong, and still the groups are torn.
fn without_faults() -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = CURES
        .into_iter()
        .map(|way| {
            writers(way, "")
                .about("Two clients add a key each to both groups. At the end both groups are the same list.")
                .properties([agree(), added_to_both()])
        })
        .collect();
    scenarios.push(
        writers(Way::Plain, "")
            .about("Each group is changed by compare-and-set, the first and then the second. Two clients leave them in different orders, and \
                    no call has failed.")
            .property(agree())
            .breaks(AGREE)
            .fixed_by(format!("two groups, {}", Way::Redo.name())),
    );
    scenarios.extend(CURES.into_iter().chain([Way::Plain]).map(|way| {
        let calls = way.calls();
        scenario(format!("two groups, {}, its cost", way.name()))
            .about("One client alone adds a key to both groups: what that costs in calls.")
            .source(SOURCE)
            .client("writer", move |ctx| adds(ctx, way, PAIR))
            .stores(Dht::seed(1).counting_calls().into())
            .properties([
                calls_are("an add costs what it should", move |_| calls),
                no_program_fails(),
                somebody_adds(),
                everybody_is_done(),
            ])
    }));
    scenarios
}

/// A writer dies at any point; whoever reads then must not see the groups apart.
fn crashes() -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = CURES
        .into_iter()
        .map(|way| {
            writer_and_reader(way, ", the writer dies")
                .about("The writer dies at any point, and a reader comes by at any moment: it sees both groups with the key or without.")
                .crashes(1)
                .key_expiries(2)
        })
        .collect();
    scenarios.push(
        writer_and_reader(Way::Plain, ", the writer dies")
            .about("The writer dies between the two groups, or the reader comes between.")
            .crashes(1)
            .key_expiries(2)
            .breaks(SEEN)
            .fixed_by(format!("two groups, {}, the writer dies", Way::Intent.name())),
    );
    scenarios
}

/// Calls and answers are lost, late, or double.
fn lost_answers() -> Vec<Scenario> {
    let world = |way: Way| {
        writers(way, ", answers are lost")
            .about("A call is lost, or late, or done and its answer lost.")
            .timeouts(1)
            .key_expiries(2)
            .properties([agree(), added_to_both()])
    };
    CURES.into_iter().map(world).collect()
}

/// Leases: what their order and their versions are for.
fn leases() -> Vec<Scenario> {
    let expire = |way| {
        writers(way, ", leases expire")
            .about("Both leases expire while their holder writes, and another client is granted them.")
            .key_expiries(2)
            .property(agree())
    };
    // One client names the groups in the other order.
    let crossed = |way: Way| {
        let other = Pair { first: PAIR.second, second: PAIR.first };
        scenario(format!("two groups, {}, named in two orders", way.name()))
            .about("Two clients name the two groups in different orders. No lease expires.")
            .source(SOURCE)
            .client("one", move |ctx| adds(ctx, way, PAIR))
            .client("other", move |ctx| adds(ctx, way, other))
            .stores(Dht::seed(1).into())
            .properties([everybody_ends(), no_program_fails(), somebody_adds()])
    };
    vec![
        expire(Way::Locked).property(added_to_both()),
        expire(Way::Unfenced).breaks(AGREE).fixed_by(format!("two groups, {}, leases expire", Way::Locked.name())),
        crossed(Way::Locked),
        crossed(Way::OwnOrder)
            .breaks("everybody ends")
            .fixed_by(format!("two groups, {}, named in two orders", Way::Locked.name())),
    ]
}

/// What each cure is worth when the table itself forgets.
fn the_table_forgets() -> Vec<Scenario> {
    let apart = || {
        let groups = Dht::seed(2).placed("news", 0).placed("sports", 1).placed("both", 0).placed("intent", 0);
        groups.placed("lease of news", 0).placed("lease of sports", 1)
    };
    let base = |way: Way| format!("two groups, {}", way.name());
    let mut scenarios = Vec::new();
    for way in CURES {
        let lost = writers(way, ", a node lost")
            .about(
                "A node is lost, and may come back with what it had. Clients keep the ring, and go on when it is back.",
            )
            .stores(apart().into())
            .node_losses(1)
            .node_returns(1)
            .properties([agree(), added_to_both()]);
        let evicted = writer_and_reader(way, ", an eviction")
            .about("One key is evicted: a group, a lease, the record. Whoever reads then sees both groups the same, and comes to an end.")
            .evictions(1)
            .property(everybody_ends());
        let forgotten = writers(way, ", an eviction, and what was added")
            .about("One key is evicted, and with it what was added. No way of writing helps against that.")
            .evictions(1)
            .property(added_to_both())
            .breaks("what was added is in both groups once")
            .kept_within_bounds_of(base(way));
        // Whoever has seen one group change and not the other goes round for ever when the intent is gone.
        let evicted = match way {
            Way::Intent => {
                evicted.breaks("everybody ends").fixed_by(format!("two groups, {}, an eviction", Way::Redo.name()))
            }
            _ => evicted,
        };
        let hashed = writers(way, ", keys hashed again")
            .about("A node is lost and comes back with what it had; clients hash its keys again, each when it hears of it. What was added at \
                    one node is not at the other.")
            .stores(apart().rehashing().into())
            .calls_are_steps()
            .node_losses(1)
            .node_returns(1)
            .property(added_to_both())
            .breaks("what was added is in both groups once")
            .kept_within_bounds_of(base(way));
        let read = writer_and_reader(way, ", keys hashed again, as readers see it")
            .about("The same with one writer: a reader sees what it sees of both groups, or goes round.")
            .stores(apart().rehashing().into())
            .calls_are_steps()
            .node_losses(1)
            .node_returns(1);
        scenarios.extend([lost, forgotten, evicted, hashed, read]);
    }
    scenarios
}

/// Two groups.
pub fn scenarios() -> Vec<Scenario> {
    [without_faults(), crashes(), lost_answers(), leases(), the_table_forgets()].concat()
}
