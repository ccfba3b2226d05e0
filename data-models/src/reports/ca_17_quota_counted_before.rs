//! CA-17, loonfs/loonfs#801: creates that run at the same time exceed a quota.
//!
//! *Mechanism:* one slot is left; both count, both find it free, both create a record. *Smallest configuration:* 2 clients, one counter
//! over the records. *Source:* <https://github.com/loonfs/loonfs/pull/801>. *Violated:* live records are within the quota after every
//! acknowledged create. *Repair:* publish first, count again, and withdraw the own record when there are too many. *Trap:* with that,
//! both may withdraw and nobody gets the slot: it is safe and makes no progress.
//!
//! *Disputed:* the repair does not keep the report's property. The first create is acknowledged, the second has published its record and has
//! not withdrawn it yet: one live record too many. What is proved is that *acknowledged* records are within the quota, and live ones at rest.
//!
//! Translated: records are documents, which the store lists in the order of their making. Only under that assumption, that ranks follow the
//! order of commit, may one withdraw whose own record is not among the first, and somebody gets the slot. With numbers that are
//! given before the commit (own analysis) the later number may be listed first, and both stay.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::{Returning, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, Filter, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P6";

/// One is taken from the start.
const QUOTA: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Way {
    CountsBefore,
    CountsAgain,
    /// By the order of commit.
    LooksAtItsRank,
    /// By numbers that are given before the commit.
    LooksAtItsNumber,
}

async fn create(ctx: Context, way: Way) -> Ended {
    let (me, store) = (ctx.unique_id(), ctx.documents());
    let counts_before = matches!(way, Way::CountsBefore);
    if counts_before && store.find("records", Filter::All).await?.len() >= QUOTA {
        ctx.mark("refused");
        return Ok(());
    }
    let number = match way {
        Way::LooksAtItsNumber => {
            let next = vec![inc("next", 1)];
            store
                .find_and_modify("numbers", by_id("records"), next, Returning::After)
                .await?
                .unwrap_or_default()
                .int("next")
        }
        _ => 0,
    };
    store.insert("records", doc([("_id", (&me).into()), ("number", number.into())])).await?;
    if !counts_before {
        let records = store.find("records", Filter::All).await?;
        let too_many = match way {
            Way::LooksAtItsRank => records.iter().take_while(|record| record.text("_id") != me).count() >= QUOTA,
            Way::LooksAtItsNumber => records.iter().filter(|record| record.int("number") < number).count() >= QUOTA,
            _ => records.len() > QUOTA,
        };
        if too_many {
            store.delete_one("records", by_id(&me)).await?;
            ctx.mark("refused");
            return Ok(());
        }
    }
    ctx.mark("created");
    Ok(())
}

fn created_within_the_quota() -> Property {
    Property::always("acknowledged records are within the quota", "loonfs/loonfs#801", |view| {
        let records = see::marked(view, "created") as usize + 1;
        see::kept(records <= QUOTA, || format!("{records} records were acknowledged, {QUOTA} may be"))
    })
}

fn no_record_too_many() -> Property {
    Property::at_rest("records are within the quota", "loonfs/loonfs#801", |view| {
        let records = see::all(view, "records").len();
        see::kept(records <= QUOTA, || format!("there are {records} records, {QUOTA} may be"))
    })
}

fn the_slot_is_taken() -> Property {
    Property::at_rest("the free slot is taken", "loonfs/loonfs#801 (own analysis)", |view| {
        see::kept(see::marked(view, "created") > 0, || {
            "a slot is free, two have asked for it, and both are refused".into()
        })
    })
}

/// The faulty program, the repaired one, its trap, and two ways of taking the first to come, one of them faulty.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/loonfs/loonfs/pull/801")
            .stores(documents(
                Documents::new()
                    .with("records", doc([("_id", "old".into()), ("number", 0.into())]))
                    .with("numbers", doc([("_id", "records".into()), ("next", 0.into())])),
            ))
            .clients(2, move |ctx| create(ctx, way))
            .properties([
                created_within_the_quota(),
                no_program_fails(),
                somebody_is(&["created"], "somebody creates a record"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    let both = "Two creates publish their records, count again, and both withdraw.";
    vec![
        world("CA-17 quota counted before", "Two creates count one free slot, and both take it.", Way::CountsBefore)
            .breaks("acknowledged records are within the quota")
            .fixed_by("CA-17 quota counted before, repaired"),
        world("CA-17 quota counted before, repaired", both, Way::CountsAgain).property(no_record_too_many()),
        world("CA-17 quota counted before, trap: both withdraw", both, Way::CountsAgain)
            .properties([no_record_too_many(), the_slot_is_taken()])
            .breaks("the free slot is taken")
            .fixed_by("CA-17 quota counted before, ranks in the order of commit"),
        world(
            "CA-17 quota counted before, numbers given before the commit",
            "Two creates take numbers and publish their records; the one with the later number does so first, and sees nobody before it but the old.",
            Way::LooksAtItsNumber,
        )
        .breaks("acknowledged records are within the quota")
        .fixed_by("CA-17 quota counted before, ranks in the order of commit"),
        world(
            "CA-17 quota counted before, ranks in the order of commit",
            "Two creates publish their records, which are listed as they were committed; the one whose record is not among the first withdraws.",
            Way::LooksAtItsRank,
        )
        .properties([no_record_too_many(), the_slot_is_taken()]),
    ]
}
