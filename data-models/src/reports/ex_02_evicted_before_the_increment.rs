//! EX-02, jsocol/django-ratelimit#78: the counter is evicted between the add and the increment.
//!
//! *Mechanism:* the add answers that the counter is there. It is evicted. The increment finds nothing, and the request fails.
//! *Smallest configuration:* 1 client, 1 key, one eviction. *Source:* <https://github.com/jsocol/django-ratelimit/pull/81>,
//! <https://github.com/jsocol/django-ratelimit/pull/78>. *Violated:* a limiter never fails. *Repair:* when the counter is missing,
//! add it again.

use std::time::Duration;

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P20";

const WINDOW: Expiration = Expiration::After(Duration::from_secs(60));

/// Counts a request: how many there were, `None` when the counter went away.
async fn count(ctx: &Context, again: bool) -> Result<Option<i64>, StoreError> {
    let dht = ctx.dht();
    loop {
        ctx.checkpoint("count", &[]);
        if dht.put("counter", 1.into(), WINDOW).await? {
            return Ok(Some(1));
        }
        let counted = dht.increment("counter", 1).await?;
        if counted.is_some() || !again {
            return Ok(counted);
        }
    }
}

async fn request(ctx: Context, again: bool) -> Ended {
    match count(&ctx, again).await? {
        Some(_) => ctx.mark("counted"),
        None => ctx.mark("fails with an error of the server"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, again| {
        scenario(name)
            .about("A rate limiter adds its counter if it is missing, and counts up if it is not. In between the counter is evicted.")
            .source("https://github.com/jsocol/django-ratelimit/pull/78")
            .stores(Dht::memcached(1).with_expiring("counter", 5).into())
            .client("client", move |ctx| request(ctx, again))
            .evictions(1)
            .properties([
                see::at_most(
                    0,
                    &["fails with an error of the server"],
                    "the limiter never fails",
                    "jsocol/django-ratelimit#78",
                ),
                no_program_fails(),
                somebody_is(&["counted"], "a request is counted"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-02 evicted before the increment", false)
            .breaks("the limiter never fails")
            .fixed_by("EX-02 evicted before the increment, repaired"),
        world("EX-02 evicted before the increment, repaired", true),
    ]
}
