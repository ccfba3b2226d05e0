//! OV-04, ava/use-http#302: next, next, next, and only every other request is aborted.
//!
//! *Mechanism:* somebody clicks through pages, and each click fetches. The work-around aborts what was fetched before, but a request that
//! follows an aborted one is not aborted itself. The last one to answer wins. *Smallest configuration:* 1 page, 3 requests, a
//! cancel that is lost. *Source:* <https://github.com/ava/use-http/issues/302>. *Violated:* what is displayed belongs to the
//! latest input for which an answer has arrived, also when the cancel is lost or late. *Repair:* the handler looks at a token; an
//! abort alone is not enough. *Trap:* an abort of each request: it is too late for an answer that is back and waits for its turn.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::{AbortHandle, abortable};
use overtake_recipes::Environment;
use overtake_recipes::store::{DataEnvironment, Search as _};
use overtake_sim::program::Context;

use super::page::{Page, endpoint};
use super::steps::Ended;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P10";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    AbortsEveryOther,
    AbortsEach,
    /// Aborts every other, and looks whose answer it is.
    Token,
}

async fn pages(ctx: Context, way: Way) -> Ended {
    let (page, token) = (Page::new(&ctx), Rc::new(Cell::new(0)));
    let mut before: Option<AbortHandle> = None;
    for (number, wanted) in (1..).zip(["page 1", "page 2", "page 3"]) {
        let aborted = before.take().map(|before| before.abort()).is_some();
        page.typed(wanted);
        token.set(number);
        let search = ctx.search();
        let (query, abort) = abortable(async move { search.query(wanted).await });
        if way == Way::AbortsEach || !aborted {
            before = Some(abort);
        }
        let (own, page, token) = (ctx.clone(), page.clone(), token.clone());
        ctx.spawn_task(async move {
            let Ok(Ok(answer)) = query.await else { return };
            own.sleep(std::time::Duration::ZERO).await;
            if way != Way::Token || token.get() == number {
                page.show(number, &answer);
            }
        });
        ctx.work("looking").await;
    }
    Ok(())
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/ava/use-http/issues/302")
            .stores(endpoint())
            .client("page", move |ctx| pages(ctx, way))
            .properties([
                display_belongs_to_the_last_input(),
                no_program_fails(),
                somebody_is(&["shown"], "something is shown"),
                everybody_is_done(),
            ])
    };
    let last = "the display belongs to the last input";
    let about =
        "Each click fetches another page, and aborts the fetch before unless that one had itself aborted another.";
    vec![
        world("OV-04 every other request aborted", about, Way::AbortsEveryOther)
            .breaks(last)
            .fixed_by("OV-04 every other request aborted, repaired"),
        world(
            "OV-04 every other request aborted, trap: each one is aborted",
            "Each click aborts the fetch before. An answer that is back already is shown all the same.",
            Way::AbortsEach,
        )
        .breaks(last)
        .fixed_by("OV-04 every other request aborted, repaired"),
        world("OV-04 every other request aborted, repaired", about, Way::Token).property(display_never_goes_back()),
    ]
}
