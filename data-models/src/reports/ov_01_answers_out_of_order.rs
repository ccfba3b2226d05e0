//! OV-01, mozilla/sumo#707: answers of an instant search come out of order.
//!
//! *Mechanism:* the query for `fire` is sent, then the one for `firefox`. The second answer is shown, then the first one over it.
//! *Smallest configuration:* 1 page, 2 requests, answers in any order. *Source:* <https://github.com/mozilla/sumo/issues/707>.
//! *Violated:* what is displayed belongs to the latest input for which an answer has arrived. *Repair:* requests are numbered, and
//! older answers dropped.

use std::cell::Cell;
use std::rc::Rc;

use overtake_sim::program::Context;

use super::page::{Page, answer, endpoint};
use super::steps::Ended;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P10";

async fn instant_search(ctx: Context, numbered: bool) -> Ended {
    let (page, shown) = (Page::new(&ctx), Rc::new(Cell::new(0)));
    for (number, query) in (1..).zip(["fire", "firefox"]) {
        page.typed(query);
        let (own, page, shown) = (ctx.clone(), page.clone(), shown.clone());
        ctx.spawn_task(async move {
            let Ok(answer) = answer(&own, query).await else { return };
            if !numbered || number > shown.get() {
                shown.set(number);
                page.show(number, &answer);
            }
        });
        ctx.work("typing").await;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, numbered| {
        scenario(name)
            .about("Each input of an instant search sends a query, and each answer is shown when it comes.")
            .source("https://github.com/mozilla/sumo/issues/707")
            .stores(endpoint())
            .client("page", move |ctx| instant_search(ctx, numbered))
            .properties([
                display_never_goes_back(),
                no_program_fails(),
                somebody_is(&["shown"], "something is shown"),
                everybody_is_done(),
            ])
    };
    vec![
        world("OV-01 answers out of order", false)
            .breaks("the display never goes back")
            .fixed_by("OV-01 answers out of order, repaired"),
        world("OV-01 answers out of order, repaired", true).property(display_belongs_to_the_last_input()),
    ]
}
