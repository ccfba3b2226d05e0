//! LU-04, expressjs/session#383: a reload of the session makes it be saved again at the end of the request.
//!
//! *Mechanism:* the first request saves its session and lets the browser go on. The next request reads what was saved, adds to it, and
//! saves. At its end the first saves its own copy a second time: the reload had dropped the note that it was saved. *Smallest
//! configuration:* 2 clients, 1 key. *Source:* <https://github.com/expressjs/session/issues/383>. *Violated:* a request saves as often as
//! it says, so what the next one saves survives. *Repair:* keep the note.

use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P2";

const BREAKS: &str = "what the next request saves survives";

async fn save(ctx: &Context, session: Value) -> Ended {
    ctx.documents().replace_one("sessions", by_id("s"), session).await.map(drop)
}

async fn first(ctx: Context, keeps_the_note: bool) -> Ended {
    let mut session = read(&ctx, "sessions", "s").await?;
    session.set("user", "ann");
    save(&ctx, session).await?;
    let mut saved = true;
    // A reload: the session object is another, and so is its note.
    let session = read(&ctx, "sessions", "s").await?;
    saved &= keeps_the_note;
    ctx.work("respond").await;
    if !saved {
        save(&ctx, session).await?;
    }
    Ok(())
}

/// The next request of the browser: it comes when the first has saved.
async fn next(ctx: Context) -> Ended {
    loop {
        ctx.checkpoint("next: load", &[]);
        let mut session = read(&ctx, "sessions", "s").await?;
        if session.at("user").is_none() {
            continue;
        }
        session.set("item", "bread");
        save(&ctx, session).await?;
        ctx.mark("added");
        return Ok(());
    }
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, keeps_the_note| {
        scenario(name)
            .about("A request saves its session, reloads it, and saves it once more at its end. In between the next request has saved.")
            .source("https://github.com/expressjs/session/issues/383")
            .stores(documents(Documents::new().with("sessions", doc([("_id", "s".into())]))))
            .client("first", move |ctx| first(ctx, keeps_the_note))
            .client("next", next)
            .properties([
                Property::at_rest(BREAKS, "expressjs/session#383", |view| {
                    let lost = see::one(view, "sessions", "s").at("item").is_none();
                    see::kept(!lost, || "the next request has saved an item, and it is gone".into())
                }),
                somebody_is(&["added"], "the next request saves"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-04 session saved again", false).breaks(BREAKS).fixed_by("LU-04 session saved again, repaired"),
        world("LU-04 session saved again, repaired", true),
    ]
}
