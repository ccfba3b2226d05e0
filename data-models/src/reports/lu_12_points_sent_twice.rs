//! LU-12, fushengqian/fuint#71: points are sent twice.
//!
//! *Mechanism:* the sender has 100 points. Several transfers read 100, each sets the sender to 0 and credits its own receiver with 100.
//! *Smallest configuration:* 2 clients, 3 keys. *Source:* <https://github.com/fushengqian/fuint/issues/71>. *Violated:* the sum of all
//! balances is constant. *Repair:* a decrement on condition that there is enough, in one statement; refuse when no row matched.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, inc, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

const BREAKS: &str = "the sum of all balances is constant";
const POINTS: i64 = 100;

async fn send(ctx: Context, to: &'static str, conditional: bool) -> Ended {
    let spent = if conditional {
        let enough = and([by_id("sender"), at_least("points", POINTS)]);
        change(&ctx, "accounts", enough, vec![inc("points", -POINTS)]).await?
    } else {
        let points = read(&ctx, "accounts", "sender").await?.int("points");
        points >= POINTS && change(&ctx, "accounts", by_id("sender"), vec![set("points", points - POINTS)]).await?
    };
    if !spent {
        ctx.mark("refused");
        return Ok(());
    }
    change(&ctx, "accounts", by_id(to), vec![inc("points", POINTS)]).await?;
    ctx.mark("sent");
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, conditional| {
        let account = |id: &'static str, points: i64| doc([("_id", id.into()), ("points", points.into())]);
        let store = Documents::new().with("accounts", account("sender", POINTS));
        scenario(name)
            .about("A sender with 100 points sends 100 to each of two receivers at the same time.")
            .source("https://github.com/fushengqian/fuint/issues/71")
            .stores(documents(store.with("accounts", account("ann", 0)).with("accounts", account("ben", 0))))
            .client("to ann", move |ctx| send(ctx, "ann", conditional))
            .client("to ben", move |ctx| send(ctx, "ben", conditional))
            .properties([
                Property::at_rest(BREAKS, "fushengqian/fuint#71", |view| {
                    let sum = see::sum(&see::all(view, "accounts"), "points");
                    see::kept(sum == POINTS, || format!("there were {POINTS} points, and there are {sum}"))
                }),
                somebody_is(&["sent"], "points are sent"),
                somebody_is(&["refused"], "a transfer is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-12 points sent twice", false).breaks(BREAKS).fixed_by("LU-12 points sent twice, repaired"),
        world("LU-12 points sent twice, repaired", true),
    ]
}
