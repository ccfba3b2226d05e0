//! CA-11, nightscout/nocturne#326: the rotation of a refresh token forks its family.
//!
//! *Mechanism:* requests of one browser carry the same refresh token. Each reads that it is not revoked, revokes it, and makes a
//! successor: siblings. The next use of the one that the browser does not keep is seen as theft, and all tokens are revoked.
//! *Smallest configuration:* 2 requests, one token. *Source:* <https://github.com/nightscout/nocturne/pull/326>. *Violated:* a token has
//! at most one successor; honest parallel use never revokes all. *Repair:* a conditional revoke (where not revoked) decides who
//! rotates; the loser is told to try again. *Traps:* strict single use that revokes all when a token is shown again makes a logout of
//! the race; a loser that clears the cookie destroys the winner's new one.
//!
//! Translated from SQL: tokens are documents, and so is the browser's cookie, which the answers of both requests set.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, Filter, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

#[derive(Clone, Copy, Debug)]
enum Way {
    LooksFirst,
    /// The loser tries again with the cookie of then.
    Conditional,
    /// The loser is a thief.
    Strict,
    /// The loser logs out.
    ClearsCookie,
}

async fn request(ctx: Context, way: Way) -> Ended {
    let me = ctx.unique_id();
    let rotates = match way {
        Way::LooksFirst => {
            !read(&ctx, "tokens", "first").await?.at("revoked").is_some_and(overtake_recipes::Value::is_true)
                && change(&ctx, "tokens", by_id("first"), vec![set("revoked", true)]).await?
        }
        _ => change(&ctx, "tokens", and([by_id("first"), eq("revoked", false)]), vec![set("revoked", true)]).await?,
    };
    if rotates {
        let successor = doc([("_id", (&me).into()), ("parent", "first".into()), ("revoked", false.into())]);
        ctx.documents().insert("tokens", successor).await?;
        change(&ctx, "browser", by_id("cookie"), vec![set("token", &me)]).await?;
        ctx.mark("renewed");
        return Ok(());
    }
    match way {
        Way::LooksFirst | Way::Conditional => ctx.mark("told to try again"),
        Way::Strict => {
            ctx.documents().update_many("tokens", Filter::All, vec![set("revoked", true)]).await?;
            ctx.mark("has all revoked");
        }
        Way::ClearsCookie => {
            change(&ctx, "browser", by_id("cookie"), vec![set("token", "none")]).await?;
            ctx.mark("told to log in");
        }
    }
    Ok(())
}

fn one_successor() -> Property {
    Property::always("a token has one successor", "nightscout/nocturne#326", |view| {
        let successors = see::all(view, "tokens").iter().filter(|token| token.text("parent") == "first").count();
        see::kept(successors <= 1, || format!("the token has {successors} successors"))
    })
}

fn the_browser_is_logged_in() -> Property {
    Property::at_rest("the browser is logged in", "nightscout/nocturne#326", |view| {
        let cookie = see::one(view, "browser", "cookie").text("token").to_owned();
        let token = see::one(view, "tokens", &cookie);
        see::kept(token.at("revoked") == Some(&false.into()), || "the browser's token is not valid".into())
    })
}

/// The faulty program, the two traps, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        let cookie = doc([("_id", "cookie".into()), ("token", "first".into())]);
        let store = Documents::new()
            .with("tokens", doc([("_id", "first".into()), ("revoked", false.into())]))
            .with("browser", cookie);
        scenario(name)
            .about(about)
            .source("https://github.com/nightscout/nocturne/pull/326")
            .stores(documents(store))
            .clients(2, move |ctx| request(ctx, way))
            .properties([
                one_successor(),
                no_program_fails(),
                somebody_is(&["renewed"], "somebody gets a new token"),
                everybody_is_done(),
            ])
    };
    let about = "Two requests of one browser carry the same refresh token, and each makes a successor of it.";
    let revokes_nothing =
        || see::at_most(0, &["has all revoked"], "honest use revokes nothing", "nightscout/nocturne#326");
    vec![
        world("CA-11 token family forks", about, Way::LooksFirst)
            .breaks("a token has one successor")
            .fixed_by("CA-11 token family forks, repaired"),
        world(
            "CA-11 token family forks, trap: strict single use",
            "Of two requests with one refresh token only one rotates it; the other is taken for a thief.",
            Way::Strict,
        )
        .property(revokes_nothing())
        .breaks("honest use revokes nothing")
        .fixed_by("CA-11 token family forks, repaired"),
        world(
            "CA-11 token family forks, trap: the loser's cookie",
            "Of two requests with one refresh token only one rotates it; the answer to the other clears the browser's cookie.",
            Way::ClearsCookie,
        )
        .property(the_browser_is_logged_in())
        .breaks("the browser is logged in")
        .fixed_by("CA-11 token family forks, repaired"),
        world("CA-11 token family forks, repaired", about, Way::Conditional).properties([
            revokes_nothing(),
            the_browser_is_logged_in(),
            somebody_is(&["told to try again"], "somebody is told to try again"),
        ]),
    ]
}
