//! OV-06, macro-inc/macro#4604: an optimistic update cancels a refetch that it has nothing to do with.
//!
//! *Mechanism:* a list is stale, and its refetch is on its way. An optimistic update of something else cancels every fetch of every list,
//! this one as well. Nothing starts it again, and the stale list stays. *Smallest configuration:* 1 page, 2 keys, a cancel.
//! *Source:* <https://github.com/macro-inc/macro/pull/4604>. *Violated:* what is stale and looked at has a fetch on its way. *Repair:* only those
//! fetches are cancelled that depend on what is changed. *Trap:* it is the opposite error of the usual cure; to cancel nothing is OV-07.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{AbortHandle, abortable};
use overtake_recipes::store::doc;
use overtake_recipes::store::documents::set;
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P27";

/// The fetches on their way, by list.
type Fetches = Rc<RefCell<Vec<(&'static str, AbortHandle)>>>;

fn refetch(ctx: &Context, fetches: &Fetches, list: &'static str, mark: &'static str) {
    let own = ctx.clone();
    let (fetch, abort) = abortable(async move { read(&own, "lists", list).await });
    fetches.borrow_mut().push((list, abort));
    ctx.mark(mark);
    let own = ctx.clone();
    ctx.spawn_task(async move {
        let fetched = fetch.await;
        own.unmark(mark);
        if mark == "the inbox is fetched" && fetched.is_ok() {
            own.unmark("the inbox is stale");
            own.mark("the inbox is fresh");
        }
    });
}

async fn page(ctx: Context, cancels_all: bool) -> Ended {
    let fetches = Fetches::default();
    ctx.mark("the inbox is stale");
    refetch(&ctx, &fetches, "inbox", "the inbox is fetched");
    ctx.work("reading").await;
    // A draft is sent: it leaves the list of drafts at once, before the server knows.
    let drafts_only = |list: &str| cancels_all || list == "drafts";
    for (_, abort) in fetches.borrow_mut().extract_if(.., |(list, _)| drafts_only(list)) {
        abort.abort();
    }
    change(&ctx, "lists", by_id("drafts"), vec![set("length", 0)]).await?;
    refetch(&ctx, &fetches, "drafts", "the drafts are fetched");
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, cancels_all| {
        let list = |id: &str| doc([("_id", id.into()), ("length", 1.into())]);
        scenario(name)
            .about("The inbox is stale and being fetched. A draft is sent, and the page cancels what is being fetched.")
            .source("https://github.com/macro-inc/macro/pull/4604")
            .stores(documents(Documents::new().with("lists", list("inbox")).with("lists", list("drafts"))))
            .client("page", move |ctx| page(ctx, cancels_all))
            .properties([
                Property::always("what is stale is being fetched", "macro-inc/macro#4604", |view| {
                    let page = view.client(0);
                    match page.is_marked("the inbox is stale") && !page.is_marked("the inbox is fetched") {
                        true => Err("the inbox is stale, and nobody fetches it".into()),
                        false => Ok(()),
                    }
                }),
                no_program_fails(),
                somebody_is(&["the inbox is fresh"], "the inbox is fetched some time"),
                everybody_is_done(),
            ])
    };
    vec![
        world("OV-06 unrelated refetch cancelled", true)
            .breaks("what is stale is being fetched")
            .fixed_by("OV-06 unrelated refetch cancelled, repaired"),
        world("OV-06 unrelated refetch cancelled, repaired", false),
    ]
}
