//! EX-11, google/guava#3700: computeIfAbsent refreshes the time of writing of an entry that is there.
//!
//! *Mechanism:* an entry is written at 0 and lives for 10. At 6, 12, 18 somebody asks for it by computeIfAbsent: the value is as it was, the deadline
//! moves each time, and the entry never expires. *Smallest configuration:* 1 client, 1 key, the clock. *Source:*
//! <https://github.com/google/guava/issues/3700>. *Violated:* the deadline changes only when a value is written. *Repair:* no new time where
//! nothing was computed.
//!
//! The table gives a new version for each value that is written, and none for a new life; lives are counted from the first writing.

use std::time::Duration;

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P22";

fn until(second: u64) -> Expiration {
    Expiration::After(Duration::from_secs(second))
}

/// computeIfAbsent at that second.
async fn compute_if_absent(ctx: &Context, second: u64, refreshes: bool) -> Ended {
    let dht = ctx.dht();
    match dht.get("entry").await? {
        Some(_) if refreshes => drop(dht.touch("entry", until(second + 10)).await?),
        Some(_) => {}
        None => drop(dht.put("entry", "computed".into(), until(second + 10)).await?),
    }
    Ok(())
}

async fn client(ctx: Context, refreshes: bool) -> Ended {
    let written = ctx.dht().put("entry", "computed".into(), until(10)).await?;
    assert!(written, "nothing is there at first");
    for second in [6, 12] {
        ctx.work("six seconds go by").await;
        compute_if_absent(&ctx, second, refreshes).await?;
    }
    ctx.mark("asked twice");
    Ok(())
}

/// The first value is the one of version 1.
fn deadline_changes_with_the_value() -> Property {
    Property::always("the deadline changes only when a value is written", "google/guava#3700", |view| {
        let Some(entry) = hash_table(view).item("entry").filter(|entry| entry.version == 1) else { return Ok(()) };
        see::kept(entry.until == until(10), || format!("the entry was written at 0 and lives{}", entry.until))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, refreshes| {
        scenario(name)
            .about(
                "A cache gives entries ten seconds. Whoever asks in time for an entry that is there makes it live on.",
            )
            .source("https://github.com/google/guava/issues/3700")
            .stores(Dht::seed(1).into())
            .client("client", move |ctx| client(ctx, refreshes))
            .key_expiries(1)
            .properties([
                deadline_changes_with_the_value(),
                no_program_fails(),
                somebody_is(&["asked twice"], "the entry is asked for twice"),
                Property::sometimes("the entry is computed again", |view| {
                    hash_table(view).item("entry").is_some_and(|entry| entry.version > 1)
                }),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-11 a read refreshes the time of writing", true)
            .breaks("the deadline changes only when a value is written")
            .fixed_by("EX-11 a read refreshes the time of writing, repaired"),
        world("EX-11 a read refreshes the time of writing, repaired", false),
    ]
}
