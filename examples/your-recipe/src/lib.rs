//! Two locks of one's own and two programs of threads, and the scenarios that check them with Overtake.

pub mod home_made;
pub mod repaired;
pub mod threads;

use overtake::recipes::ZkError;
use overtake::{Context, Scenario, property, scenario};

async fn with_home_made(ctx: Context) -> Result<(), ZkError> {
    home_made::acquire(&ctx).await?;
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    home_made::release(&ctx).await
}

async fn with_repaired(ctx: Context) -> Result<(), ZkError> {
    repaired::acquire(&ctx).await?;
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    repaired::release(&ctx).await
}

/// Three clients with the home-made lock; the connection of one of them may break once.
pub fn home_made() -> Scenario {
    bounded(scenario("home-made lock").clients(3, with_home_made))
}

/// Three clients with the repaired lock, under the same fault.
pub fn repaired() -> Scenario {
    bounded(scenario("repaired lock").clients(3, with_repaired))
}

fn bounded(scenario: Scenario) -> Scenario {
    scenario.node("/lock").disconnects(1).properties([
        property::at_most_one_live_holder(),
        property::no_wait_without_wake_up(),
        property::somebody_holds(),
        property::everybody_is_done(),
    ])
}
