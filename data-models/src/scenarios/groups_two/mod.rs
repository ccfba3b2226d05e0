//! Two groups that must change together: the torn update, its cures, and what each cure is worth under which fault.

mod costs;
mod forgets;
mod twins;

pub(crate) use costs::costs;
use overtake_data_recipes::lease::LIFE;
use overtake_data_recipes::two_groups::intent::Slot;
use overtake_data_recipes::two_groups::{Pair, faulty, intent, locked, one_record, redo};
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::Expiration;
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;
use overtake_sim::world::View;

use crate::property::*;

/// Groups that stay.
const PAIR: Pair<'static> = Pair { first: "news", second: "sports", life: Expiration::Never };
/// Groups that expire some time.
const PASSING: Pair<'static> = Pair { life: LIFE, ..PAIR };
const BOTH: &str = "both";
/// An intent record that stays until it is deleted.
const SLOT: Slot<'static> = Slot { key: "intent", life: Expiration::Never };
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
    /// An intent record that expires.
    PassingIntent,
    IntentNumberIgnored,
    IntentUnversioned,
    IntentPlainDelete,
    IntentDeletedEarly,
    IntentRecordReadFirst,
    RedoUnversioned,
    RedoNumbersAlone,
    RedoOrderAlone,
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
            Way::PassingIntent => "intent record that expires",
            Way::IntentNumberIgnored => "intent record, its number ignored",
            Way::IntentUnversioned => "intent record, groups by SET",
            Way::IntentPlainDelete => "intent record by plain DEL",
            Way::IntentDeletedEarly => "intent record, deleted early",
            Way::IntentRecordReadFirst => "intent record, read before the groups",
            Way::RedoUnversioned => "redo by SET",
            Way::RedoNumbersAlone => "redo, numbers alone compared",
            Way::RedoOrderAlone => "redo, nothing compared",
        }
    }
}

async fn adds(ctx: Context, way: Way, pair: Pair<'static>) -> Result<(), String> {
    let me = ctx.unique_id();
    let passing = Slot { life: LIFE, ..SLOT };
    let done = match way {
        Way::Plain => {
            let added = faulty::plain::add_to_both(&ctx, pair, &me, 3).await;
            added.map_err(|error| error.to_string())?;
            Ok(())
        }
        Way::OneRecord => one_record::add(&ctx, BOTH, &me, pair.life).await,
        Way::Redo | Way::RedoNumbersAlone | Way::RedoOrderAlone => redo::add(&ctx, pair, &me).await,
        Way::RedoUnversioned => faulty::redo_unversioned::add(&ctx, pair, &me).await,
        Way::Intent | Way::IntentRecordReadFirst => intent::add(&ctx, pair, SLOT, &me).await,
        Way::PassingIntent => intent::add(&ctx, pair, passing, &me).await,
        Way::IntentNumberIgnored => faulty::intent_number_ignored::add(&ctx, pair, SLOT, &me).await,
        Way::IntentUnversioned => faulty::intent_unversioned::add(&ctx, pair, SLOT, &me).await,
        Way::IntentPlainDelete => faulty::intent_plain_delete::add(&ctx, pair, SLOT, &me).await,
        Way::IntentDeletedEarly => faulty::intent_deleted_early::add(&ctx, pair, SLOT, &me).await,
        Way::Locked => locked::add(&ctx, pair, &me, &me).await,
        Way::Unfenced => faulty::unfenced::add(&ctx, pair, &me, &me).await,
        Way::OwnOrder => faulty::own_order::add(&ctx, pair, &me, &me).await,
    };
    done.map_err(|error| error.to_string())?;
    ctx.mark_with("added", &me);
    Ok(())
}

async fn reads_both(ctx: Context, way: Way, pair: Pair<'static>) -> Result<(), StoreError> {
    let (first, second) = match way {
        Way::Plain => faulty::plain::read(&ctx, pair).await?,
        Way::OneRecord => one_record::read(&ctx, BOTH).await?,
        Way::Redo | Way::RedoUnversioned => redo::read(&ctx, pair).await?,
        Way::RedoNumbersAlone => faulty::redo_numbers_alone::read(&ctx, pair).await?,
        Way::RedoOrderAlone => faulty::redo_order_alone::read(&ctx, pair).await?,
        Way::Intent
        | Way::PassingIntent
        | Way::IntentNumberIgnored
        | Way::IntentUnversioned
        | Way::IntentPlainDelete
        | Way::IntentDeletedEarly => intent::read(&ctx, pair, SLOT.key).await?,
        Way::IntentRecordReadFirst => faulty::intent_record_read_first::read(&ctx, pair, SLOT.key).await?,
        Way::Locked | Way::Unfenced | Way::OwnOrder => {
            let me = ctx.unique_id();
            locked::read(&ctx, pair, &me).await?
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

fn world(way: Way, what: &str) -> Scenario {
    scenario(format!("two groups, {}{what}", way.name())).source(SOURCE).stores(Dht::seed(1).into())
}

/// Two clients add a key each.
fn writers(way: Way, pair: Pair<'static>, what: &str) -> Scenario {
    world(way, what).clients(2, move |ctx| adds(ctx, way, pair)).properties([
        no_program_fails(),
        somebody_adds(),
        everybody_is_done(),
    ])
}

/// Somebody reads both groups while others may add.
fn reading(way: Way, pair: Pair<'static>, what: &str) -> Scenario {
    world(way, what).client("reader", move |ctx| reads_both(ctx, way, pair)).spared().properties([
        readers_see_groups_agree(),
        no_program_fails(),
        somebody_is(&["second"], "somebody reads both"),
        everybody_is_done(),
    ])
}

/// One client adds a key and may die; another reads.
fn writer_and_reader(way: Way, pair: Pair<'static>, what: &str) -> Scenario {
    reading(way, pair, what).client("writer", move |ctx| adds(ctx, way, pair))
}

/// Two clients add a key each and may die; a third reads.
fn writers_and_reader(way: Way, pair: Pair<'static>, what: &str) -> Scenario {
    reading(way, pair, what).clients(2, move |ctx| adds(ctx, way, pair))
}

/// Two clients add a key each and read both groups then. One of them may die.
fn writers_who_read(way: Way, what: &str) -> Scenario {
    world(way, what)
        .clients(2, move |ctx| async move {
            adds(ctx.clone(), way, PAIR).await?;
            ctx.checkpoint("reads", &[]);
            reads_both(ctx, way, PAIR).await.map_err(|error| error.to_string())
        })
        .properties([
            readers_see_groups_agree(),
            no_program_fails(),
            somebody_adds(),
            somebody_is(&["second"], "somebody reads both"),
            everybody_is_done(),
        ])
}

/// Leases must be able to expire where their holders die: nobody else gives them back.
fn leases_expire(way: Way, times: u8, scenario: Scenario) -> Scenario {
    if way == Way::Locked { scenario.key_expiries(times) } else { scenario }
}

const CURES: [Way; 4] = [Way::OneRecord, Way::Redo, Way::Intent, Way::Locked];

/// Nothing goes wrong, and still the groups are torn.
fn without_faults() -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = CURES
        .into_iter()
        .map(|way| {
            writers(way, PAIR, "")
                .about("Two clients add a key each to both groups. At the end both groups are the same list.")
                .properties([agree(), added_to_both()])
        })
        .collect();
    scenarios.push(
        writers(Way::Plain, PAIR, "")
            .about("Each group is changed by compare-and-set, the first and then the second. Two clients leave them in different orders, and \
                    no call has failed.")
            .property(agree())
            .breaks(AGREE)
            .fixed_by(format!("two groups, {}", Way::Redo.name())),
    );
    scenarios
}

/// A writer dies at any point; whoever reads then must not see the groups apart.
fn crashes() -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = CURES
        .into_iter()
        .map(|way| {
            let dies = writer_and_reader(way, PAIR, ", the writer dies")
                .about("The writer dies at any point, and a reader comes by at any moment: it sees both groups with the key or without.")
                .crashes(1);
            leases_expire(way, 2, dies)
        })
        .collect();
    scenarios.push(
        writer_and_reader(Way::Plain, PAIR, ", the writer dies")
            .about("The writer dies between the two groups, or the reader comes between.")
            .crashes(1)
            .breaks(SEEN)
            .fixed_by(format!("two groups, {}, the writer dies", Way::Intent.name())),
    );
    for way in CURES {
        let dies = writers_who_read(way, ", one of two writers dies")
            .about("One of two writers dies at any point. The other adds its key, and then reads: it finds what the dead one has begun.")
            .crashes(1)
            .property(added_to_both());
        scenarios.push(leases_expire(way, 1, dies));
        // With a reader of its own the intent record has several hundred thousand states.
        if way != Way::Intent {
            let dies = writers_and_reader(way, PAIR, ", one of two writers dies while a third client reads")
                .about("One of two writers dies at any point, and a reader comes by at any moment.")
                .crashes(1);
            scenarios.push(leases_expire(way, 1, dies));
        }
    }
    scenarios
}

/// Calls and answers are lost, late, or double.
fn lost_answers() -> Vec<Scenario> {
    let world = |way: Way| {
        let lost = writers(way, PAIR, ", answers are lost")
            .about("A call is lost, or late, or done and its answer lost.")
            .timeouts(1)
            .properties([agree(), added_to_both()]);
        leases_expire(way, 2, lost)
    };
    CURES.into_iter().map(world).collect()
}

/// Leases: what their order and their versions are for.
fn leases() -> Vec<Scenario> {
    let expire = |way| {
        writers(way, PAIR, ", leases expire")
            .about("Both leases expire while their holder writes, and another client is granted them.")
            .key_expiries(2)
            .property(agree())
    };
    // One client names the groups in the other order.
    let crossed = |way: Way| {
        let other = Pair { first: PAIR.second, second: PAIR.first, ..PAIR };
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

/// Two groups.
pub fn scenarios() -> Vec<Scenario> {
    let costs = costs().into_iter().flat_map(|(_, scenarios)| scenarios).collect();
    let own = [without_faults(), costs, crashes(), lost_answers(), leases()].concat();
    [own, forgets::scenarios(), twins::scenarios()].concat()
}
