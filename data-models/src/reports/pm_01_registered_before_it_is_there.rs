//! PM-01, laravel/framework#61328: entries that are written while their tag is flushed are never flushed again.
//!
//! *Mechanism:* a writer adds the entry's key to the set of the tag. A flusher reads the set, deletes the entry (there is none yet) and takes the
//! key out of the set. The writer stores the entry: it is there, and no set names it. *Smallest configuration:* 2 clients, the set and one
//! entry. *Source:* <https://github.com/laravel/framework/issues/61328>, <https://github.com/laravel/framework/pull/61385>. *Violated:*
//! every live entry with a tag is in the set of the tag. *Repair:* store the entry first, and register it afterwards. *Trap (from the
//! catalogue):* the writer dies between the two. *Trap (ours):* the key was in the set before: the flusher takes out what it has read. What
//! helps against both is one record for set and entries.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Updated, doc};
use overtake_recipes::{Environment, StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_data_recipes::group;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

const SET: &str = "tag";
const ENTRY: &str = "entry";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    RegisterFirst,
    StoreFirst,
    OneRecord,
}

async fn change_set(ctx: &Context, adds: bool) -> Ended {
    let changed = match adds {
        true => group::add(ctx, SET, ENTRY, 4).await,
        false => group::remove(ctx, SET, ENTRY, 4).await,
    };
    changed.map_err(|_| StoreError::WriteConflict)
}

/// Stores set and entries together.
async fn change_record(ctx: &Context, entries: Value) -> Ended {
    let dht = ctx.dht();
    loop {
        ctx.checkpoint("record", &[]);
        let changed = match dht.get(SET).await? {
            Some(record) => dht.update(SET, entries.clone(), record.version).await? == Updated::Stored,
            None => dht.put(SET, entries.clone(), Expiration::Never).await?,
        };
        if changed {
            return Ok(());
        }
    }
}

async fn writer(ctx: Context, way: Way) -> Ended {
    match way {
        Way::RegisterFirst => {
            change_set(&ctx, true).await?;
            put(&ctx, ENTRY, "new").await?;
        }
        Way::StoreFirst => {
            put(&ctx, ENTRY, "new").await?;
            change_set(&ctx, true).await?;
        }
        Way::OneRecord => change_record(&ctx, doc([(ENTRY, "new".into())])).await?,
    }
    ctx.mark("written");
    Ok(())
}

async fn flusher(ctx: Context, way: Way) -> Ended {
    if way == Way::OneRecord {
        change_record(&ctx, doc([])).await?;
    } else {
        let set = group::keys(&ctx.dht(), SET).await?;
        if set.is_some_and(|(keys, _)| keys.iter().any(|key| key == ENTRY)) {
            ctx.dht().del(ENTRY).await?;
            change_set(&ctx, false).await?;
        }
    }
    ctx.mark("flushed");
    Ok(())
}

fn every_entry_is_registered() -> Property {
    Property::at_rest("every entry is in the set of its tag", "laravel/framework#61328", |view| {
        let orphan = hash_table(view).item(ENTRY).is_some() && !keys_of(view, SET).iter().any(|key| key == ENTRY);
        see::kept(!orphan, || "the entry is there, and the set of its tag does not name it".into())
    })
}

/// The faulty program, the traps, and what is right.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way, table: Dht| {
        scenario(name)
            .about(about)
            .source("https://github.com/laravel/framework/issues/61328")
            .stores(table.into())
            .client("writer", move |ctx| writer(ctx, way))
            .client("flusher", move |ctx| flusher(ctx, way))
            .properties([
                every_entry_is_registered(),
                no_program_fails(),
                somebody_is(&["written"], "the entry is written"),
                somebody_is(&["flushed"], "the tag is flushed"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let empty = || Dht::seed(1);
    let registered = || Dht::seed(1).with(ENTRY, "old").with(SET, vec![ENTRY]);
    vec![
        world(
            "PM-01 registered before it is there",
            "A writer registers an entry under its tag and then stores it. In between the tag is flushed.",
            Way::RegisterFirst,
            empty(),
        )
        .breaks("every entry is in the set of its tag")
        .fixed_by("PM-01 registered before it is there, repaired"),
        world(
            "PM-01 registered before it is there, repaired",
            "The entry is stored first, and registered afterwards.",
            Way::StoreFirst,
            empty(),
        ),
        world(
            "PM-01 registered before it is there, trap: the writer dies",
            "The entry is stored first, and its writer dies before it has registered it.",
            Way::StoreFirst,
            empty(),
        )
        .crashes(1)
        .breaks("every entry is in the set of its tag")
        .fixed_by("PM-01 registered before it is there, one record"),
        world(
            "PM-01 registered before it is there, trap: registered long since",
            "The entry was registered under its tag before. The flusher has read that, and takes it out when the new entry is stored.",
            Way::StoreFirst,
            registered(),
        )
        .crashes(1)
        .breaks("every entry is in the set of its tag")
        .fixed_by("PM-01 registered before it is there, one record"),
        world(
            "PM-01 registered before it is there, one record",
            "The set of the tag and the entries under it are one record.",
            Way::OneRecord,
            Dht::seed(1).with(SET, doc([(ENTRY, "old".into())])),
        )
        .crashes(1),
    ]
}
