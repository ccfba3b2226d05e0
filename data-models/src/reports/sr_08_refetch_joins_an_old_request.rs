//! SR-08, TanStack/query#471: a refetch is joined to a request that was sent before the write.
//!
//! *Mechanism:* a read is on its way (the server has 1). The client writes 2, which is acknowledged, and asks for a refetch. That is joined to
//! the read on its way, whose answer 1 is shown as its result. *Smallest configuration:* 1 client, one key, a late answer. *Source:*
//! <https://github.com/TanStack/query/issues/471>. *Violated:* a read that is asked for after an acknowledged write does not return what
//! was before it. *Repair:* the read on its way is given up, and a fresh one is sent.

use overtake_sim::program::Context;

use super::cache::{load, store, store_two};
use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P9";

async fn page(ctx: Context, fresh: bool) -> Ended {
    let first = ctx.spawn_task({
        let ctx = ctx.clone();
        async move { load(&ctx).await }
    });
    store_two(&ctx).await?;
    let refetched = if fresh { load(&ctx).await? } else { first.await? };
    ctx.mark(if refetched == 2 { "shows what it wrote" } else { "shows what was before its write" });
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, fresh| {
        scenario(name)
            .about(
                "A page asks for fresh data after its write and is given the answer to a read that was sent before it.",
            )
            .source("https://github.com/TanStack/query/issues/471")
            .stores(documents(store()))
            .client("page", move |ctx| page(ctx, fresh))
            .properties([
                see::at_most(
                    0,
                    &["shows what was before its write"],
                    "a read after a write sees it",
                    "TanStack/query#471",
                ),
                no_program_fails(),
                somebody_is(&["shows what it wrote"], "somebody sees what it wrote"),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-08 refetch joins an old request", false)
            .breaks("a read after a write sees it")
            .fixed_by("SR-08 refetch joins an old request, repaired"),
        world("SR-08 refetch joins an old request, repaired", true),
    ]
}
