//! RW-08, apache/cassandra-gocql-driver#995: several workers get an "if not exists" lock.
//!
//! *Mechanism:* the lock's row is inserted conditionally, with the timestamps of that path. It is released by a plain delete, with the
//! timestamp of the client's clock, which is ahead. A later conditional insert is applied, but its row is older than the tombstone and
//! stays invisible; so is the next one's. *Smallest configuration:* 3 clients, one row, two write paths with different clocks.
//! *Source:* <https://github.com/apache/cassandra-gocql-driver/issues/995>; the report shows logs and symptom, the mixed paths are told in
//! <https://github.com/linagora/james-project/pull/3135>. *Violated:* at most one holds. *Repair:* the delete is conditional as well.
//!
//! Translated from Cassandra: the row is a document with the timestamp of the last insert, that of the last delete, and the ballot, from which
//! the conditional path takes its timestamps. The row is there if the insert is the later. A conditional operation reads and writes
//! at one ballot; a plain delete merges its timestamp (the greater wins).

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{Change, and, eq, set};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P26";

/// What the clock of a client that is ahead says.
const AHEAD: i64 = 100;

fn is_there(row: &Value) -> bool {
    row.int("inserted") > row.int("deleted")
}

/// A conditional operation: if the row is there or not, as expected, the field gets the timestamp of the ballot.
async fn conditionally(ctx: &Context, field: &'static str, expects_row: bool) -> Result<bool, StoreError> {
    loop {
        let row = read(ctx, "locks", "lock").await?;
        if is_there(&row) != expects_row {
            return Ok(false);
        }
        let ballot = row.int("ballot") + 1;
        let same = and([by_id("lock"), eq("ballot", ballot - 1)]);
        if change(ctx, "locks", same, vec![set(field, ballot), set("ballot", ballot)]).await? {
            return Ok(true);
        }
    }
}

async fn worker(ctx: Context, one_clock: bool) -> Ended {
    if !conditionally(&ctx, "inserted", false).await? {
        ctx.mark("refused");
        return Ok(());
    }
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    match one_clock {
        true => conditionally(&ctx, "deleted", true).await.map(drop),
        false => {
            change(&ctx, "locks", by_id("lock"), vec![Change::Max("deleted".into(), AHEAD.into())]).await.map(drop)
        }
    }
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, one_clock| {
        let lock = [("_id", "lock".into()), ("inserted", 0.into()), ("deleted", 0.into()), ("ballot", 0.into())];
        scenario(name)
            .about("A lock's row is inserted by one clock and deleted by another, which is ahead: what is inserted afterwards is deleted already.")
            .source("https://github.com/apache/cassandra-gocql-driver/issues/995")
            .stores(documents(Documents::new().with("locks", doc(lock))))
            .clients(3, move |ctx| worker(ctx, one_clock))
            .properties([
                see::at_most(1, &["holds"], "at most one holds", "apache/cassandra-gocql-driver#995"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("RW-08 delete by another clock", false)
            .breaks("at most one holds")
            .fixed_by("RW-08 delete by another clock, repaired"),
        world("RW-08 delete by another clock, repaired", true),
    ]
}
