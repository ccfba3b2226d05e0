//! PM-03, laravel/framework#61480: an entry whose life was prolonged is dropped from its group.
//!
//! *Mechanism:* an entry lives until 10, and its group says so. The entry is touched and lives until 100; the group still says 10. At 20 a
//! housekeeper drops from the group what is over. To flush the group does not reach the entry any more, which is readable. *Smallest
//! configuration:* 1 client and a housekeeper, 2 keys, the clock. *Source:* <https://github.com/laravel/framework/issues/61480>.
//! *Violated:* the deadline in the group is not before that of the entry. *Repair:* a touch changes both, the group first.
//!
//! Deadlines are fields. The clock is a key; it is 20 after the touch.

use overtake_recipes::Value;
use overtake_recipes::store::{DataEnvironment, Dht as _, Updated, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P22";

fn until(deadline: i64) -> Value {
    doc([("deadline", deadline.into())])
}

async fn toucher(ctx: Context, both: bool) -> Ended {
    if both {
        put(&ctx, "group", until(100)).await?;
    }
    put(&ctx, "entry", until(100)).await?;
    put(&ctx, "clock", 20).await
}

/// Drops from the group what is over.
async fn housekeeper(ctx: Context) -> Ended {
    let now = get(&ctx, "clock").await?.data.as_int().unwrap_or(0);
    let group = get(&ctx, "group").await?;
    if group.data.int("deadline") < now {
        if ctx.dht().update("group", doc([]), group.version).await? == Updated::Stored {
            ctx.mark("dropped it from the group");
        }
    } else {
        ctx.mark("left it in the group");
    }
    Ok(())
}

fn the_group_knows_the_entry() -> Property {
    Property::always("the group knows the entry as long as it lives", "laravel/framework#61480", |view| {
        let [entry, group] = ["entry", "group"].map(|key| see::data(view, key).int("deadline"));
        see::kept(group >= entry, || format!("the entry lives until {entry}, and until {group} in the group"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, both| {
        scenario(name)
            .about("A group keeps the deadlines of its entries. An entry gets a longer life; the group hears of that, or does not.")
            .source("https://github.com/laravel/framework/issues/61480")
            .stores(Dht::seed(1).with("clock", 0).with("entry", until(10)).with("group", until(10)).into())
            .client("toucher", move |ctx| toucher(ctx, both))
            .client("housekeeper", housekeeper)
            .properties([
                the_group_knows_the_entry(),
                no_program_fails(),
                somebody_is(&["left it in the group"], "the housekeeper finds a live entry"),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-03 touched entry forgotten", false)
            .breaks("the group knows the entry as long as it lives")
            .fixed_by("PM-03 touched entry forgotten, repaired"),
        world("PM-03 touched entry forgotten, repaired", true),
    ]
}
