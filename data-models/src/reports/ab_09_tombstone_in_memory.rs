//! AB-09, elastic/elasticsearch#101178: a restart forgets that a document was deleted, and at which version.
//!
//! *Mechanism:* writes carry versions of their sender. The document is deleted at version 5; the node starts again, and its tombstone, which
//! was in memory only, is gone; a late message that indexes the document at version 4 is accepted. *Smallest configuration:* 1 node, one
//! document, messages that overtake each other, one restart. *Source:* <https://github.com/elastic/elasticsearch/issues/101178>,
//! <https://github.com/elastic/elasticsearch/issues/21095>. *Violated:* the highest version that was acknowledged wins. *Repair:*
//! tombstones are kept.
//!
//! Translated: a deleted document is one that says so (the tombstone). The node takes a write, in one step, if what it has is older.
//! Its restart is a client of its own that takes the tombstone away once, whenever it likes; in the repaired one it finds it kept. The two
//! messages are sent by two clients, so either may arrive first.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Change, and, eq, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P12";

/// The node takes what is newer than what it has. `_id` is unique, so it makes no second document beside a newer one.
async fn write(ctx: Context, version: i64, change: Change, acknowledged: &'static str) -> Ended {
    let older = and([by_id("d"), less("version", version)]);
    match ctx.documents().upsert_one("docs", older, vec![set("version", version), change]).await {
        Ok(_) => ctx.mark(acknowledged),
        Err(StoreError::DuplicateKey) => ctx.mark("refused"),
        Err(error) => return Err(error),
    }
    Ok(())
}

async fn restart(ctx: Context, keeps: bool) -> Ended {
    let tombstone = and([by_id("d"), eq("deleted", true)]);
    match keeps {
        true => ctx.documents().find_one("docs", tombstone).await.map(drop),
        false => ctx.documents().delete_one("docs", tombstone).await.map(drop),
    }
}

fn the_highest_version_wins() -> Property {
    Property::at_rest("the highest version wins", "elastic/elasticsearch#101178", |view| {
        let version = see::one(view, "docs", "d").int("version");
        let revived = see::marked(view, "deleted 5") > 0 && version == 4;
        see::kept(!revived, || {
            "the deletion at version 5 is acknowledged, and the document is there at version 4".into()
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, keeps| {
        let old = doc([("_id", "d".into()), ("version", 3.into()), ("deleted", false.into())]);
        scenario(name)
            .about("A node is told to delete a document at version 5 and to index it at version 4, in any order, and starts again in between.")
            .source("https://github.com/elastic/elasticsearch/issues/101178")
            .stores(documents(Documents::new().with("docs", old)))
            .client("deletes at 5", |ctx| write(ctx, 5, set("deleted", true), "deleted 5"))
            .client("indexes at 4", |ctx| write(ctx, 4, set("deleted", false), "indexed 4"))
            .client("restart", move |ctx| restart(ctx, keeps))
            .properties([
                the_highest_version_wins(),
                no_program_fails(),
                somebody_is(&["deleted 5"], "somebody deletes"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-09 tombstone in memory", false)
            .breaks("the highest version wins")
            .fixed_by("AB-09 tombstone in memory, repaired"),
        world("AB-09 tombstone in memory, repaired", true),
    ]
}
