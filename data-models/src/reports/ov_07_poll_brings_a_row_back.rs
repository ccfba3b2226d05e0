//! OV-07, decocms/studio#6641: a poll that is on its way brings back a row that was marked as read.
//!
//! *Mechanism:* a poll is on its way; in its answer the row is unread. The row is marked as read, and leaves the list at once. The poll
//! answers, and the row is there again, until the refetch after the change. *Smallest configuration:* 1 page, one key. *Source:*
//! <https://github.com/decocms/studio/pull/6641>. *Violated:* after an optimistic change nothing is displayed that contains the row as it
//! was, before the server answers the change. *Repair:* the read on its way is cancelled before the optimistic change.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::abortable;
use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{eq, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P10";

/// Shows what is unread.
async fn fetch(ctx: &Context, changing: &Cell<bool>) -> Result<(), StoreError> {
    let unread = ctx.documents().find("rows", eq("unread", true)).await?;
    display(ctx, !unread.is_empty(), changing.get());
    Ok(())
}

fn display(ctx: &Context, row: bool, changing: bool) {
    ctx.mark_with("displays", if row { "the row" } else { "nothing" });
    if row && changing {
        ctx.mark("shows the row again");
    }
}

async fn page(ctx: Context, cancels: bool) -> Ended {
    let changing = Rc::new(Cell::new(false));
    let (own, is_changing) = (ctx.clone(), changing.clone());
    let (poll, cancel) = abortable(async move { fetch(&own, &is_changing).await });
    ctx.spawn_task(poll);
    ctx.work("reading").await;
    if cancels {
        cancel.abort();
    }
    changing.set(true);
    display(&ctx, false, true);
    change(&ctx, "rows", by_id("row"), vec![set("unread", false)]).await?;
    changing.set(false);
    fetch(&ctx, &changing).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, cancels| {
        let row = doc([("_id", "row".into()), ("unread", true.into())]);
        scenario(name)
            .about("A list of unread rows is polled. A row is marked as read, and leaves the list before the server has answered.")
            .source("https://github.com/decocms/studio/pull/6641")
            .stores(documents(Documents::new().with("rows", row)))
            .client("page", move |ctx| page(ctx, cancels))
            .properties([
                see::at_most(0, &["shows the row again"], "a changed row does not come back", "decocms/studio#6641"),
                no_program_fails(),
                Property::sometimes("the row is displayed before the change", |view| {
                    view.client(0).mark("displays").flatten().is_some_and(|text| text.full() == "the row")
                }),
                everybody_is_done(),
            ])
    };
    vec![
        world("OV-07 poll brings a row back", false)
            .breaks("a changed row does not come back")
            .fixed_by("OV-07 poll brings a row back, repaired"),
        world("OV-07 poll brings a row back, repaired", true),
    ]
}
