//! EX-02, jsocol/django-ratelimit#78: the counter is evicted between the add and the increment.
//!
//! *Mechanism:* the add answers that the counter is there. It is evicted. The increment finds nothing, and the request fails.
//! *Smallest configuration:* 1 client, 1 key, one eviction. *Source:* <https://github.com/jsocol/django-ratelimit/pull/81>,
//! <https://github.com/jsocol/django-ratelimit/pull/78>. *Violated:* a limiter never fails, and never forgets more than an
//! eviction explains. *Repair:* when the counter is missing, add it again.
//!
//! One request alone can forget nothing, so the second half is looked at with two: an eviction explains that one of them is told that it is
//! the first. A repair of our own that *sets* the missing counter does not fail, and forgets a request.

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

/// What is done when the counter has gone away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    Fails,
    Sets,
    AddsAgain,
}

/// Counts a request: how many there were, `None` when the counter went away.
async fn count(ctx: &Context, missing: Missing) -> Result<Option<i64>, StoreError> {
    let dht = ctx.dht();
    loop {
        ctx.checkpoint("count", &[]);
        if dht.put("counter", 1.into(), WINDOW).await? {
            return Ok(Some(1));
        }
        let counted = dht.increment("counter", 1).await?;
        match missing {
            _ if counted.is_some() => return Ok(counted),
            Missing::Fails => return Ok(None),
            Missing::Sets => return dht.set("counter", 1.into(), WINDOW).await.map(|()| Some(1)),
            Missing::AddsAgain => {}
        }
    }
}

async fn request(ctx: Context, missing: Missing) -> Ended {
    match count(&ctx, missing).await? {
        Some(number) => ctx.mark_with("counted", &number.to_string()),
        None => ctx.mark("fails with an error of the server"),
    }
    Ok(())
}

/// The counter stands at 5 at first, and is evicted once: then counting begins at 1 again, for one request.
fn forgets_what_an_eviction_explains() -> Property {
    Property::always("an eviction explains what is forgotten", "jsocol/django-ratelimit#78", |view| {
        let firsts: Vec<String> = see::who(view, "counted")
            .filter(|client| see::shown(client, "counted").as_deref() == Some("1"))
            .map(|client| client.name().to_owned())
            .collect();
        see::kept(firsts.len() <= 1, || {
            format!("after one eviction {} are told to be the first: a request is forgotten", firsts.join(" and "))
        })
    })
}

/// The faulty program and the repaired one, for one request and for two.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, clients, missing| {
        scenario(name)
            .about("A rate limiter adds its counter if it is missing, and counts up if it is not. In between the counter is evicted.")
            .source("https://github.com/jsocol/django-ratelimit/pull/78")
            .stores(Dht::memcached(1).with_expiring("counter", 5).into())
            .clients(clients, move |ctx| request(ctx, missing))
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
        world("EX-02 evicted before the increment", 1, Missing::Fails)
            .breaks("the limiter never fails")
            .fixed_by("EX-02 evicted before the increment, repaired"),
        world("EX-02 evicted before the increment, repaired", 1, Missing::AddsAgain),
        world("EX-02 evicted before the increment, set by two", 2, Missing::Sets)
            .property(forgets_what_an_eviction_explains())
            .breaks("an eviction explains what is forgotten")
            .fixed_by("EX-02 evicted before the increment, added by two"),
        world("EX-02 evicted before the increment, added by two", 2, Missing::AddsAgain)
            .property(forgets_what_an_eviction_explains()),
    ]
}
