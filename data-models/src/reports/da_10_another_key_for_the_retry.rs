//! DA-10, medusajs/medusa#16292: the retry of a capture sends another idempotency key.
//!
//! *Mechanism:* the first attempt makes a row c1 and calls the payment provider with the key c1; the provider books, the call times out, the
//! row is deleted; the second attempt makes c2, calls with the key c2, and the provider books again. *Smallest configuration:*
//! 1 client, one remote service, one lost answer. *Source:* <https://github.com/medusajs/medusa/issues/16292>,
//! <https://github.com/medusajs/medusa/pull/16293>, <https://github.com/medusajs/medusa/pull/16390>. *Violated:* money moves at most once
//! for a capture. *Repair:* row and key are kept while the outcome is unknown. *Trap:* the key is kept in any case: the provider replays a
//! definite refusal for ever.
//!
//! Translated: the provider keeps one document for each key, with its first answer; a call with the same key is answered the same. What it
//! decides on a new key (the card may be declined once) is a choice of the search. The shop's rows are documents beside it.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Change, Op};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc, documents::Returning};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P14";

#[derive(Clone, Copy, Debug)]
enum Way {
    NewKey,
    SameKey,
    /// A new one after a definite answer, the same while the outcome is unknown.
    NewKeyWhenRefused,
}

/// The provider: what it has answered to that key first, or answers now.
async fn charge(ctx: &Context, key: &str, now: &'static str) -> Result<String, StoreError> {
    let first = vec![Change::SetOnInsert("answer".into(), now.into())];
    let op = Op::FindAndModify(by_id(key), None, first, Returning::After, true);
    let charge = ctx.documents().run("provider", op).await?.document().unwrap_or_default();
    Ok(charge.text("answer").to_owned())
}

/// The row of an attempt in the shop's own database.
async fn keep_row(ctx: &Context, key: &str) -> Ended {
    let store = ctx.documents();
    match insist(|| store.insert("captures", doc([("_id", key.into())]))).await {
        Ok(_) | Err(StoreError::DuplicateKey) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn capture(ctx: Context, way: Way) -> Ended {
    let declined_at_first = ctx.choose(2).await == 1;
    let mut key = 1;
    for attempt in 1..=3 {
        let name = format!("c{key}");
        keep_row(&ctx, &name).await?;
        let now = if attempt == 1 && declined_at_first { "declined" } else { "booked" };
        let refused = match charge(&ctx, &name, now).await {
            Ok(answer) if answer == "booked" => {
                ctx.mark("captured");
                return Ok(());
            }
            Ok(_) => true,
            Err(StoreError::Unknown) => false,
            Err(error) => return Err(error),
        };
        ctx.mark(if refused { "refused" } else { "does not know" });
        let rotates = match way {
            Way::NewKey => true,
            Way::SameKey => false,
            Way::NewKeyWhenRefused => refused,
        };
        if rotates {
            let store = ctx.documents();
            insist(|| store.delete_one("captures", by_id(&name))).await?;
            key += 1;
        }
    }
    Ok(())
}

fn bookings(view: &overtake_sim::world::View<'_>) -> usize {
    see::all(view, "provider").iter().filter(|charge| charge.text("answer") == "booked").count()
}

fn booked_at_most_once() -> Property {
    Property::always("money moves at most once", "medusajs/medusa#16292", |view| {
        let bookings = bookings(view);
        see::kept(bookings <= 1, || format!("one capture is booked {bookings} times"))
    })
}

fn booked_in_the_end() -> Property {
    Property::at_rest("a capture that is good is booked", "medusajs/medusa#16390", |view| {
        see::kept(bookings(view) >= 1, || {
            "the card is good by now, and every attempt is told of the first refusal".into()
        })
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/medusajs/medusa/issues/16292")
            .stores(documents(Documents::new()))
            .client("shop", move |ctx| capture(ctx, way))
            .timeouts(1)
            .properties([
                booked_at_most_once(),
                booked_in_the_end(),
                no_program_fails(),
                somebody_is(&["captured"], "somebody captures"),
                somebody_is(&["refused"], "somebody is refused"),
                somebody_is(&["does not know"], "somebody does not know"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world(
            "DA-10 another key for the retry",
            "The provider books, its answer is lost, and the second attempt comes with another idempotency key: it books again.",
            Way::NewKey,
        )
        .breaks("money moves at most once")
        .fixed_by("DA-10 another key for the retry, repaired"),
        world(
            "DA-10 another key for the retry, trap: the same key always",
            "The provider declines. Every further attempt has the same key, and is told what the first was told.",
            Way::SameKey,
        )
        .breaks("a capture that is good is booked")
        .fixed_by("DA-10 another key for the retry, repaired"),
        world(
            "DA-10 another key for the retry, repaired",
            "The key is kept while the outcome is unknown, and changed after a definite refusal.",
            Way::NewKeyWhenRefused,
        ),
    ]
}
