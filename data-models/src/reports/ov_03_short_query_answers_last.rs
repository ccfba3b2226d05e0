//! OV-03, gordon-cs/gordon-360-api#639: a short query has the larger answer, and answers last.
//!
//! *Mechanism:* the shorter the text, the more is found and the longer it takes, so the answer to the short query comes after that to the
//! long one and is shown over it. *Smallest configuration:* 1 page, 2 requests, answers in any order. *Source:*
//! <https://github.com/gordon-cs/gordon-360-api/issues/639>. *Violated:* what is displayed belongs to the latest input for which an answer has
//! arrived. *Repair:* the server echoes a sequence number, and the page keeps the highest that it has shown.

use std::cell::Cell;
use std::rc::Rc;

use overtake_sim::program::Context;

use super::page::{Page, answer, endpoint};
use super::steps::Ended;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P10";

/// The number that the server has echoed, and the rest.
fn echoed(answer: &str) -> (usize, &str) {
    let (number, results) = answer.split_once(": ").expect("the server echoes the number");
    (number.parse().expect("a number"), results)
}

async fn quick_search(ctx: Context, looks_at_the_echo: bool) -> Ended {
    let (page, highest) = (Page::new(&ctx), Rc::new(Cell::new(0)));
    for (sequence, text) in (1..).zip(["jo", "john"]) {
        page.typed(text);
        let (own, page, highest) = (ctx.clone(), page.clone(), highest.clone());
        ctx.spawn_task(async move {
            let Ok(answer) = answer(&own, &format!("{sequence}: {text}")).await else { return };
            let (number, results) = echoed(&answer);
            if !looks_at_the_echo || number > highest.get() {
                highest.set(number);
                page.show(number, results);
            }
        });
        ctx.work("typing").await;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, looks_at_the_echo| {
        scenario(name)
            .about("A quick search sends a query with each letter. The answer to fewer letters is larger, and comes later.")
            .source("https://github.com/gordon-cs/gordon-360-api/issues/639")
            .stores(endpoint())
            .client("page", move |ctx| quick_search(ctx, looks_at_the_echo))
            .properties([
                display_never_goes_back(),
                no_program_fails(),
                somebody_is(&["shown"], "something is shown"),
                everybody_is_done(),
            ])
    };
    vec![
        world("OV-03 short query answers last", false)
            .breaks("the display never goes back")
            .fixed_by("OV-03 short query answers last, repaired"),
        world("OV-03 short query answers last, repaired", true).property(display_belongs_to_the_last_input()),
    ]
}
