//! LU-05, expressjs/session#632 (the same: connect-redis#328, redistore#2): a session is alive again after a logout.
//!
//! *Mechanism:* a long request loads the session. A logout deletes it. The request ends and saves the session, which makes it again.
//! *Smallest configuration:* 2 clients, 1 key. *Source:* <https://github.com/expressjs/session/issues/632>. *Violated:* after an
//! acknowledged delete no write that rests on an older read makes the key exist. *Repair:* a save changes what is there; only a login
//! makes a session.

use overtake_recipes::store::documents::Op;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P3";

const BREAKS: &str = "who is logged out stays logged out";

async fn long_request(ctx: Context, makes: bool) -> Ended {
    let mut session = read(&ctx, "sessions", "s").await?;
    if session.at("user").is_none() {
        return Ok(());
    }
    session.set("visits", session.int("visits") + 1);
    let saved = ctx.documents().run("sessions", Op::Replace(by_id("s"), session, makes)).await?.updated();
    if saved.matched > 0 {
        ctx.mark("saved");
    }
    Ok(())
}

async fn logout(ctx: Context) -> Ended {
    if ctx.documents().delete_one("sessions", by_id("s")).await? {
        ctx.mark("logged out");
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, makes| {
        let session = doc([("_id", "s".into()), ("user", "ann".into()), ("visits", 0.into())]);
        scenario(name)
            .about("A long request loads the session and saves it at its end. In between the user logs out.")
            .source("https://github.com/expressjs/session/issues/632")
            .stores(documents(Documents::new().with("sessions", session)))
            .client("request", move |ctx| long_request(ctx, makes))
            .client("logout", logout)
            .properties([
                Property::always(BREAKS, "expressjs/session#632", |view| {
                    let alive = !see::all(view, "sessions").is_empty();
                    see::kept(see::marked(view, "logged out") == 0 || !alive, || {
                        "the user has logged out, and the session is there again".into()
                    })
                }),
                somebody_is(&["saved"], "the request saves"),
                somebody_is(&["logged out"], "the user logs out"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-05 logged out and alive", true).breaks(BREAKS).fixed_by("LU-05 logged out and alive, repaired"),
        world("LU-05 logged out and alive, repaired", false),
    ]
}
