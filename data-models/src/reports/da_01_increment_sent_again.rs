//! DA-01, redis/redis-py#261: a library sends an increment again after a timeout, and it is applied twice.
//!
//! *Mechanism:* the client sends the increment; no answer comes in time; its library sends it again on its own; the server executes both.
//! *Smallest configuration:* 1 client, one key, one timeout. *Source:* <https://github.com/redis/redis-py/issues/261>,
//! <https://github.com/redis/jedis/issues/3187>, <https://github.com/redis/redis-rb/issues/668>. *Violated:* a call takes effect at most
//! once. *Repair:* what may not be done twice is not sent again (the caller is told that the outcome is unknown), or the call has an id by
//! which the server knows it again.
//!
//! Translated from Redis: the counter is a document, since the document store knows calls by an id.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Op, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P14";

#[derive(Clone, Copy, Debug)]
enum Way {
    SendsAgain,
    TellsTheCaller,
    SendsAgainWithId,
}

/// The library's increment.
async fn increment(ctx: &Context, way: Way) -> Ended {
    let op = || Op::UpdateOne(by_id("x"), vec![inc("value", 1)], false);
    let store = ctx.documents();
    loop {
        let sent = match way {
            Way::SendsAgain | Way::TellsTheCaller => store.run("counters", op()).await,
            Way::SendsAgainWithId => store.retryable(1, "counters", op()).await,
        };
        match sent {
            Err(StoreError::Unknown) if !matches!(way, Way::TellsTheCaller) => ctx.mark("sends again"),
            ended => return ended.map(drop),
        }
    }
}

async fn client(ctx: Context, way: Way) -> Ended {
    match increment(&ctx, way).await {
        Ok(()) => ctx.mark("incremented"),
        Err(StoreError::Unknown) => ctx.mark("does not know"),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn at_most_one_effect() -> Property {
    Property::always("a call takes effect at most once", "redis/redis-py#261", |view| {
        let value = see::one(view, "counters", "x").int("value");
        see::kept(value <= 1, || format!("one call, and the counter is at {value}"))
    })
}

fn told_is_done() -> Property {
    Property::always("what is acknowledged is done", "redis/redis-py#261", |view| {
        let value = see::one(view, "counters", "x").int("value");
        see::kept(value >= see::marked(view, "incremented"), || {
            "the call is acknowledged, and the counter is at 0".into()
        })
    })
}

/// The faulty program and the repaired ones.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("A library that has waited long enough sends an increment again. Both arrive.")
            .source("https://github.com/redis/redis-py/issues/261")
            .stores(documents(Documents::new().with("counters", doc([("_id", "x".into()), ("value", 0.into())]))))
            .client("client", move |ctx| client(ctx, way))
            .timeouts(1)
            .properties([
                at_most_one_effect(),
                told_is_done(),
                no_program_fails(),
                somebody_is(&["incremented"], "somebody increments"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("DA-01 increment sent again", Way::SendsAgain)
            .breaks("a call takes effect at most once")
            .fixed_by("DA-01 increment sent again, repaired"),
        world("DA-01 increment sent again, repaired", Way::TellsTheCaller)
            .property(somebody_is(&["does not know"], "somebody does not know")),
        world("DA-01 increment sent again, repaired by an id", Way::SendsAgainWithId)
            .property(Property::sometimes("it is sent again, and there is an answer", |view| {
                view.clients().any(|client| client.is_marked("sends again") && client.is_marked("incremented"))
            })),
    ]
}
