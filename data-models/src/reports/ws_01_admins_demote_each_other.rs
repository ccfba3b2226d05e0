//! WS-01, influxdata/chronograf#2665: the only two administrators leave no administrator.
//!
//! *Mechanism:* A reads that B is an administrator and makes A a user; B reads that A is one and makes B a user. *Smallest
//! configuration:* 2 clients, two records. *Source:* <https://github.com/influxdata/chronograf/issues/2665>,
//! <https://github.com/influxdata/chronograf/issues/2638>. *Violated:* there is an administrator. *Repair:* a transaction over both
//! records, or one record that holds the set. *Trap:* a transaction at snapshot isolation: the two write different records, so neither is
//! in the other's way (write skew). Only a serialisable one helps.

use overtake_recipes::store::documents::{Change, and, eq, set};
use overtake_recipes::store::{Isolation, doc};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P6";

#[derive(Clone, Copy, Debug)]
enum Way {
    TwoCalls,
    Transaction(Isolation),
    OneRecord,
}

async fn within(
    ctx: &Context,
    isolation: Isolation,
    me: &'static str,
    other: &'static str,
) -> Result<bool, StoreError> {
    let transaction = Transaction::begin(ctx, isolation).await?;
    if transaction.read("users", other).await?.text("role") != "admin" {
        transaction.abort().await?;
        return Ok(false);
    }
    transaction.change("users", by_id(me), vec![set("role", "user")]).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn step_down(ctx: Context, way: Way, me: &'static str, other: &'static str) -> Ended {
    let done = match way {
        Way::TwoCalls => {
            read(&ctx, "users", other).await?.text("role") == "admin"
                && change(&ctx, "users", by_id(me), vec![set("role", "user")]).await?
        }
        Way::Transaction(isolation) => match within(&ctx, isolation, me, other).await {
            Err(StoreError::WriteConflict) => false,
            result => result?,
        },
        Way::OneRecord => {
            // A list matches if one of its elements does.
            let both = and([by_id("admins"), eq("names", me), eq("names", other)]);
            change(&ctx, "users", both, vec![Change::Pull("names".into(), me.into())]).await?
        }
    };
    ctx.mark(if done { "stepped down" } else { "stays" });
    Ok(())
}

fn somebody_administers() -> Property {
    Property::always("there is an administrator", "influxdata/chronograf#2665", |view| {
        let users = see::all(view, "users");
        let admin = users.iter().any(|user| user.text("role") == "admin");
        let named =
            users.iter().filter_map(|user| user.at("names").and_then(Value::as_list)).any(|names| !names.is_empty());
        see::kept(admin || named, || "nobody is an administrator any more".into())
    })
}

/// The faulty program, the trap, and the repaired programs.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        let admin = |name: &str| doc([("_id", name.into()), ("role", "admin".into())]);
        let store = match way {
            Way::OneRecord => {
                Documents::new().with("users", doc([("_id", "admins".into()), ("names", vec!["A", "B"].into())]))
            }
            _ => Documents::new().with("users", admin("A")).with("users", admin("B")),
        };
        scenario(name)
            .about("Each of two administrators sees that there is another, and steps down.")
            .source("https://github.com/influxdata/chronograf/issues/2665")
            .stores(documents(store))
            .client("A", move |ctx| step_down(ctx, way, "A", "B"))
            .client("B", move |ctx| step_down(ctx, way, "B", "A"))
            .properties([
                somebody_administers(),
                no_program_fails(),
                somebody_is(&["stepped down"], "somebody steps down"),
                somebody_is(&["stays"], "somebody stays"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("WS-01 admins demote each other", Way::TwoCalls)
            .breaks("there is an administrator")
            .fixed_by("WS-01 admins demote each other, repaired"),
        world("WS-01 admins demote each other, trap: a snapshot", Way::Transaction(Isolation::Snapshot))
            .breaks("there is an administrator")
            .fixed_by("WS-01 admins demote each other, repaired"),
        world("WS-01 admins demote each other, repaired", Way::Transaction(Isolation::Serialisable)),
        world("WS-01 admins demote each other, repaired by one record", Way::OneRecord),
    ]
}
