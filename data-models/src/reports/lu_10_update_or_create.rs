//! LU-10, django/django#10252 (ticket 29499): update-or-create saves columns that it was not asked to.
//!
//! *Mechanism:* the row is not there, so there is nothing to lock. Another inserts it and then changes another column. The insert of the
//! first fails on the unique key, so it fetches the row, without a lock, and saves all columns of its copy. *Smallest configuration:* 2
//! clients, 1 row, a unique index. *Source:* <https://github.com/django/django/pull/10252>. *Violated:* columns that the call does
//! not name keep the last acknowledged value. *Repair:* lock the row on the path "created by another" as well.
//!
//! Translated: an error ends a transaction here, so what follows the failed insert is a transaction of its own, as after a savepoint.

use overtake_recipes::store::documents::set;
use overtake_recipes::store::{DataEnvironment, Documents as _, Isolation, doc};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

const BREAKS: &str = "other columns keep their values";

/// Saves all columns of the copy.
async fn save(transaction: Transaction<'_>, row: &Value) -> Ended {
    let (name, rank) = (set("name", "ann"), set("rank", row.int("rank")));
    transaction.change("rows", by_id("row"), vec![name, rank]).await?;
    transaction.commit().await
}

async fn update_or_create(ctx: Context, locks: bool) -> Ended {
    let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    let row = transaction.lock("rows", "row").await?;
    if row.at("_id").is_some() {
        return save(transaction, &row).await;
    }
    let new = doc([("_id", "row".into()), ("name", "ann".into()), ("rank", 0.into())]);
    match transaction.insert("rows", new).await {
        Ok(()) => return transaction.commit().await,
        Err(StoreError::DuplicateKey) => {}
        Err(error) => return Err(error),
    }
    let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    let row = match locks {
        true => transaction.lock("rows", "row").await?,
        false => transaction.read("rows", "row").await?,
    };
    ctx.mark("fetched");
    save(transaction, &row).await
}

/// Makes the row and then changes another of its columns.
async fn insert_then_rank(ctx: Context) -> Ended {
    let new = doc([("_id", "row".into()), ("name", "ben".into()), ("rank", 0.into())]);
    match ctx.documents().insert("rows", new).await {
        Ok(_) | Err(StoreError::DuplicateKey) => {}
        Err(error) => return Err(error),
    }
    if change(&ctx, "rows", by_id("row"), vec![set("rank", 5)]).await? {
        ctx.mark("ranked");
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, locks| {
        scenario(name)
            .about("One calls update-or-create for the name of a row that another makes at the same time, and then gives a rank.")
            .source("https://github.com/django/django/pull/10252")
            .stores(documents(Documents::new()))
            .client("names", move |ctx| update_or_create(ctx, locks))
            .client("ranks", insert_then_rank)
            .properties([
                Property::at_rest(BREAKS, "django/django#10252", |view| {
                    let rank = see::one(view, "rows", "row").int("rank");
                    see::kept(see::marked(view, "ranked") == 0 || rank == 5, || {
                        format!("rank 5 was acknowledged, nobody has changed it since, and it is {rank}")
                    })
                }),
                somebody_is(&["fetched"], "the row was made by another"),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-10 update or create", false).breaks(BREAKS).fixed_by("LU-10 update or create, repaired"),
        world("LU-10 update or create, repaired", true),
    ]
}
