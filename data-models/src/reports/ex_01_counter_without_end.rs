//! EX-01, Tabcorp/redis-rate-limiter#1: a counter expires just before it is counted up, and comes back without an end.
//!
//! *Mechanism:* the counter is made with a time to live if it is missing: it is not. It expires. The increment makes it again, without a time
//! to live: it is never reset. *Smallest configuration:* 1 client, 1 key, the clock ticks between two calls. *Source:*
//! <https://github.com/Tabcorp/redis-rate-limiter/issues/1>. *Violated:* every counter has a time to live. *Repair:* make it with a
//! time to live in the step that makes it.
//!
//! Translated from Redis: there INCR makes a missing counter; here the table never does, and the client that is told so makes it.

use std::time::Duration;

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P20";

const WINDOW: Expiration = Expiration::After(Duration::from_secs(60));

/// INCR, which makes a missing counter, with that life.
async fn increment(ctx: &Context, life: Expiration) -> Ended {
    let dht = ctx.dht();
    while dht.increment("counter", 1).await?.is_none() && !dht.put("counter", 1.into(), life).await? {}
    Ok(())
}

async fn request(ctx: Context, together: bool) -> Ended {
    if !together {
        ctx.dht().put("counter", 0.into(), WINDOW).await?;
    }
    increment(&ctx, if together { WINDOW } else { Expiration::Never }).await?;
    ctx.mark("counted");
    Ok(())
}

fn every_counter_ends() -> Property {
    Property::always("every counter has a time to live", "Tabcorp/redis-rate-limiter#1", |view| {
        let endless = hash_table(view).item("counter").is_some_and(|counter| counter.until == Expiration::Never);
        see::kept(!endless, || "the counter has no time to live, and is never reset".into())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, together| {
        scenario(name)
            .about("A rate limiter makes sure that its counter is there, with a time to live, and then counts up. Between the two it expires.")
            .source("https://github.com/Tabcorp/redis-rate-limiter/issues/1")
            .stores(Dht::seed(1).with_expiring("counter", 5).into())
            .client("client", move |ctx| request(ctx, together))
            .key_expiries(1)
            .properties([
                every_counter_ends(),
                no_program_fails(),
                somebody_is(&["counted"], "a request is counted"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-01 counter without end", false)
            .breaks("every counter has a time to live")
            .fixed_by("EX-01 counter without end, repaired"),
        world("EX-01 counter without end, repaired", true),
    ]
}
