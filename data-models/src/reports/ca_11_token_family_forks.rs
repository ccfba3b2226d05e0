//! CA-11, nightscout/nocturne#326: the rotation of a refresh token forks its family.
//!
//! *Mechanism:* requests of one browser carry the same refresh token. Each reads that it is not revoked, revokes it, and makes a
//! successor: siblings. The next use of the one that the browser does not keep is seen as theft, and all tokens are revoked.
//! *Smallest configuration:* 2 requests, one token. *Source:* <https://github.com/nightscout/nocturne/pull/326>. *Violated:* a token has
//! at most one successor; honest parallel use never revokes all. *Repair:* a conditional revoke (where not revoked) decides who
//! rotates; the loser is told to try again. *Traps:* strict single use that revokes all when a token is shown again makes a logout of
//! the race; a loser that clears the cookie destroys the winner's new one.
//!
//! Translated from SQL: tokens are documents, and so is the browser's cookie, which the answers of both requests set. Each request uses the
//! cookie's token once more. A revoked token names its successor; one that is not its parent's successor is taken for stolen in every
//! program. Both requests fall into the time of grace, so who shows a token that is revoked is told to try again.

use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, Filter, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    LooksFirst,
    /// The loser tries again with the cookie of then.
    Conditional,
    /// The loser is a thief.
    Strict,
    /// The loser logs out.
    ClearsCookie,
}

/// What the server answers to a refresh token.
enum Answer {
    Renewed(String),
    TryAgain,
    LogIn,
    Thief,
}

/// The server rotates a token. What is taken for theft does not depend on the program: a token beside the successor that its parent
/// names, and (without grace) one that is revoked.
async fn rotate(ctx: &Context, token: &str, way: Way) -> Result<Answer, StoreError> {
    let shown = read(ctx, "tokens", token).await?;
    if !shown.text("parent").is_empty() && read(ctx, "tokens", shown.text("parent")).await?.text("successor") != token {
        return Ok(Answer::Thief);
    }
    let loser = || match way {
        Way::LooksFirst | Way::Conditional => Answer::TryAgain,
        Way::Strict => Answer::Thief,
        Way::ClearsCookie => Answer::LogIn,
    };
    if shown.at("revoked") != Some(&false.into()) {
        return Ok(loser());
    }
    let next = ctx.unique_id();
    let which = if way == Way::LooksFirst { by_id(token) } else { and([by_id(token), eq("revoked", false)]) };
    if !change(ctx, "tokens", which, vec![set("revoked", true), set("successor", &next)]).await? {
        return Ok(loser());
    }
    let successor = doc([("_id", (&next).into()), ("parent", token.into()), ("revoked", false.into())]);
    ctx.documents().insert("tokens", successor).await?;
    Ok(Answer::Renewed(next))
}

/// A request of the browser, which uses the first token, and once more: with the cookie of then.
async fn request(ctx: Context, way: Way) -> Ended {
    let mut token = "first".to_owned();
    for again in [false, true] {
        if again {
            token = read(&ctx, "browser", "cookie").await?.text("token").to_owned();
        }
        let cookie = |token: &str| change(&ctx, "browser", by_id("cookie"), vec![set("token", token)]);
        match rotate(&ctx, &token, way).await? {
            Answer::Renewed(next) => {
                cookie(&next).await?;
                ctx.mark(if again { "renewed again" } else { "renewed" });
            }
            Answer::TryAgain => ctx.mark("told to try again"),
            Answer::LogIn => {
                cookie("none").await?;
                ctx.mark("told to log in");
                break;
            }
            Answer::Thief => {
                ctx.documents().update_many("tokens", Filter::All, vec![set("revoked", true)]).await?;
                ctx.mark("has all revoked");
                break;
            }
        }
    }
    Ok(())
}

fn one_successor() -> Property {
    Property::always("a token has one successor", "nightscout/nocturne#326", |view| {
        let tokens = see::all(view, "tokens");
        for token in &tokens {
            let successors = tokens.iter().filter(|other| other.text("parent") == token.text("_id")).count();
            see::kept(successors <= 1, || format!("a token has {successors} successors"))?;
        }
        Ok(())
    })
}

fn the_browser_is_logged_in() -> Property {
    Property::at_rest("the browser is logged in", "nightscout/nocturne#326", |view| {
        let cookie = see::one(view, "browser", "cookie").text("token").to_owned();
        let token = see::one(view, "tokens", &cookie);
        see::kept(token.at("revoked") == Some(&false.into()), || "the browser's token is not valid".into())
    })
}

/// The faulty program, by both of its effects, the two traps, and the repaired program.
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
                no_program_fails(),
                somebody_is(&["renewed"], "somebody gets a new token"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let about = "Two requests of one browser carry the same refresh token, and each makes a successor of it.";
    let revokes_nothing =
        || see::at_most(0, &["has all revoked"], "honest use revokes nothing", "nightscout/nocturne#326");
    let repaired = "CA-11 token family forks, repaired";
    vec![
        world("CA-11 token family forks", about, Way::LooksFirst)
            .property(one_successor())
            .breaks("a token has one successor")
            .fixed_by(repaired),
        world(
            "CA-11 token family forks, and a sibling is taken for stolen",
            "Two requests have made a successor of one token each. The browser keeps one, the token names the other, and the next use is taken for theft.",
            Way::LooksFirst,
        )
        .property(revokes_nothing())
        .breaks("honest use revokes nothing")
        .fixed_by(repaired),
        world(
            "CA-11 token family forks, trap: strict single use",
            "Of two requests with one refresh token only one rotates it; the other is taken for a thief.",
            Way::Strict,
        )
        .properties([one_successor(), revokes_nothing()])
        .breaks("honest use revokes nothing")
        .fixed_by(repaired),
        world(
            "CA-11 token family forks, trap: the loser's cookie",
            "Of two requests with one refresh token only one rotates it; the answer to the other clears the browser's cookie.",
            Way::ClearsCookie,
        )
        .properties([one_successor(), the_browser_is_logged_in()])
        .breaks("the browser is logged in")
        .fixed_by(repaired),
        world(repaired, about, Way::Conditional).properties([
            one_successor(),
            revokes_nothing(),
            the_browser_is_logged_in(),
            somebody_is(&["told to try again"], "somebody is told to try again"),
            somebody_is(&["renewed again"], "somebody gets a new token once more"),
        ]),
    ]
}
