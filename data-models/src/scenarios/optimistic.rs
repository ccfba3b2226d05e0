//! Optimistic locking: the helper of the talk, its spoilt twins, its picture.

use std::cell::Cell;
use std::rc::Rc;

use overtake_data_recipes::optimistic::{self, OptimisticError, attempts, faulty, until_it_is_in};
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::documents::eq;
use overtake_recipes::store::{Documents as _, Value, doc};
use overtake_recipes::{DataEnvironment, Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::pairs::{pair, somebody_is_told, stores};
use crate::property::*;

pub(super) const SOURCE: &str = "seed 3: optimistic locking; semantics §7.5";
pub(super) const DOCS: &str = "documents";
const MAILS: &str = "mails";
const COUNTS: &str = "every change is in once";
const PICTURE: &str = "nobody needs a second attempt";

/// The picture's document.
pub(super) fn one_document() -> Documents {
    Documents::new().with(DOCS, doc([("version", 1.into()), ("x", 1.into())]))
}

pub(super) fn id() -> overtake_recipes::store::Filter {
    eq("_id", 1)
}

pub(super) fn x(view: &overtake_sim::world::View<'_>) -> Option<i64> {
    document_store(view).all(DOCS).first().and_then(|document| document.at("x")?.as_int())
}

pub(super) fn every_change_is_in_once() -> Property {
    // Whoever dies may have had his change in.
    ledger(COUNTS, SOURCE, 1).at_stake(amount_of).comes_to(x)
}

/// Adds to x: what is done in one attempt.
pub(super) async fn plus(mut item: Value, by: i64) -> Value {
    item.set("x", item.int("x") + by);
    item
}

/// Which helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Right,
    Attempts(u32),
    AsWritten,
    NotChecked,
    NotBumped,
    StaleObject,
    Swallowed,
    LostReply,
}

async fn adds(ctx: Context, how: How, by: i64) -> Result<(), OptimisticError> {
    let add = |item| plus(item, by);
    let forever = until_it_is_in();
    let done = match how {
        How::Right => optimistic::update(&ctx, DOCS, id(), &forever, 1, add).await.map(drop),
        How::Attempts(most) => optimistic::update(&ctx, DOCS, id(), &attempts(most), 1, add).await.map(drop),
        How::AsWritten => optimistic::as_written(&ctx, DOCS, id(), &forever, add).await,
        How::NotChecked => faulty::version_not_checked(&ctx, DOCS, id(), add).await,
        How::NotBumped => faulty::version_not_bumped(&ctx, DOCS, id(), add).await,
        How::StaleObject => faulty::stale_object(&ctx, DOCS, id(), add).await,
        How::Swallowed => faulty::conflict_swallowed(&ctx, DOCS, id(), add).await,
        How::LostReply => faulty::lost_reply_as_conflict(&ctx, DOCS, id(), add).await,
    };
    match done {
        Ok(()) => ctx.mark_with("acknowledged", &by.to_string()),
        Err(OptimisticError::Store(StoreError::Unknown)) => ctx.mark_with("unknown", &by.to_string()),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn world(clients: usize, how: How) -> Scenario {
    let world = scenario("").source(SOURCE).stores(stores(one_document())).properties([
        every_change_is_in_once(),
        somebody_is_told(),
        everybody_is_done(),
    ]);
    each(world, clients, move |ctx, by| adds(ctx, how, by))
}

/// Clients of one program, each with an amount of its own.
pub(super) fn each<Fut>(
    world: Scenario,
    clients: usize,
    program: impl Fn(Context, i64) -> Fut + Copy + Send + Sync + 'static,
) -> Scenario
where
    Fut: Future<Output = Result<(), OptimisticError>> + 'static,
{
    (0..clients).fold(world, |world, place| {
        world.client(format!("client {}", place + 1), move |ctx| program(ctx, amount_of(place)))
    })
}

/// One by the scheme, one beside it.
fn beside_a_rogue(repaired: bool) -> Scenario {
    world(1, How::Right).client("rogue", move |ctx: Context| async move {
        let added = match repaired {
            true => optimistic::add_with_version(&ctx, DOCS, id(), amount_of(1)).await?,
            false => optimistic::add_without_version(&ctx, DOCS, id(), amount_of(1)).await?,
        };
        if added {
            ctx.mark_with("acknowledged", &amount_of(1).to_string());
        }
        Ok::<(), StoreError>(())
    })
}

/// A mail is sent, inside the function that is retried or behind the update.
async fn mails(ctx: Context, inside: bool, by: i64) -> Result<(), OptimisticError> {
    let me = ctx.unique_id();
    let mail = || {
        let (docs, mail) = (ctx.documents(), doc([("of", (&me).into())]));
        async move { docs.insert(MAILS, mail).await }
    };
    let add = |item| async {
        if inside && mail().await.is_err() {
            ctx.mark("no mail");
        }
        plus(item, by).await
    };
    ctx.keeping(&[&me], optimistic::update(&ctx, DOCS, id(), &until_it_is_in(), 1, add)).await?;
    if !inside {
        mail().await?;
    }
    ctx.mark_with("acknowledged", &by.to_string());
    Ok(())
}

fn side_effect(repaired: bool) -> Scenario {
    let world = scenario("").source(SOURCE).stores(stores(one_document())).properties([
        at_most_one_effect("one mail a change", SOURCE, MAILS, "of"),
        every_change_is_in_once(),
        somebody_is_told(),
    ]);
    each(world, 2, move |ctx, by| mails(ctx, !repaired, by))
}

/// One changes a cart by the scheme, another deletes it and makes it anew.
fn made_anew(repaired: bool) -> Scenario {
    // The faulty design names the document by what it is about; the other lets the store draw a name for each incarnation.
    let cart = move |x: i64| {
        let mut cart = doc([("name", "cart".into()), ("version", 1.into()), ("x", x.into())]);
        if !repaired {
            cart.set("_id", "cart");
        }
        cart
    };
    scenario("")
        .source("semantics §7.5: deleted and made again, the version starts again; report AB-08")
        .stores(stores(Documents::new().with(DOCS, cart(1))))
        .client("adds", move |ctx: Context| async move {
            let add = |item| plus(item, 1);
            match optimistic::update(&ctx, DOCS, eq("name", "cart"), &until_it_is_in(), 1, add).await {
                Ok(_) => ctx.mark("added"),
                Err(OptimisticError::NotFound) => {}
                Err(error) => return Err(error),
            }
            Ok(())
        })
        .client("makes anew", move |ctx: Context| async move {
            let docs = ctx.documents();
            docs.delete_one(DOCS, eq("name", "cart")).await?;
            docs.insert(DOCS, cart(100)).await?;
            ctx.mark("anew");
            Ok::<(), StoreError>(())
        })
        .properties([
            Property::at_rest("the new cart is not the old one", SOURCE, |view| match x(view) {
                Some(x) if x < 100 => Err(format!("the new cart was made with x = 100, and x is {x}")),
                _ => Ok(()),
            }),
            somebody_is(&["added"], "somebody adds"),
            everybody_is_done(),
        ])
}

/// The picture: client 1 adds 1, client 2 adds 2, and client 2 needs a second attempt.
fn picture(atomic: bool) -> Scenario {
    let adds = move |by: i64| {
        move |ctx: Context| async move {
            if atomic {
                optimistic::add_with_version(&ctx, DOCS, id(), by).await?;
            } else {
                let tries = Rc::new(Cell::new(0));
                let add = |item| {
                    tries.set(tries.get() + 1);
                    plus(item, by)
                };
                optimistic::as_written(&ctx, DOCS, id(), &attempts(2), add).await?;
                if tries.get() > 1 {
                    ctx.mark("second attempt");
                }
            }
            ctx.mark("done");
            Ok::<(), OptimisticError>(())
        }
    };
    scenario("")
        .source("seed 3: optimistic locking, the picture")
        .stores(stores(one_document()))
        .client("client 1", adds(1))
        .client("client 2", adds(2))
        .calls_are_steps()
        .properties([
            Property::always(PICTURE, SOURCE, |view| {
                match view.client(1).is_marked("second attempt") && view.client(0).is_marked("done") {
                    true => Err("client 2 has come through at its second attempt".into()),
                    false => Ok(()),
                }
            }),
            everybody_is_done(),
        ])
}

/// All of them.
pub fn scenarios() -> Vec<Scenario> {
    let make = |how| move |repaired| world(2, if repaired { How::Right } else { how });
    [
        vec![
            world(2, How::AsWritten).called("optimistic lock: as written").about(
                "The talk's helper: read the document with its version, change it, replace it if the version is still that. Two clients, \
                 no change is lost.",
            ),
            world(2, How::AsWritten).timeouts(1).called("optimistic lock: as written, no answer").about(
                "When no answer comes the helper says so. The change is in or not, and nobody is told that it is.",
            ),
            world(2, How::Right).crashes(1).called("optimistic lock: a client dies").about(
                "A client dies at any point. Its replace is in or not, and the other's change is in once in any case.",
            ),
            world(3, How::Attempts(3)).called("optimistic lock: three clients, three attempts").about(
                "Each conflict means that somebody else came through: with as many attempts as clients nobody gives up.",
            ),
        ],
        pair(
            "optimistic lock: the version not checked",
            COUNTS,
            "The version is raised, and the replace asks for the id alone.",
            make(How::NotChecked),
        ),
        pair(
            "optimistic lock: the version not raised",
            COUNTS,
            "The replace asks for the version, and writes the same version back.",
            make(How::NotBumped),
        ),
        pair(
            "optimistic lock: a writer beside the scheme",
            COUNTS,
            "One client adds by a plain $inc that does not raise the version. The replace of the other finds the version that it expects, and \
             overwrites what was added. All clients must use the scheme.",
            beside_a_rogue,
        ),
        pair(
            "optimistic lock: a side effect in the retried function",
            "one mail a change",
            "The function that changes the document sends a mail. It is called once an attempt. (Behind the update it is sent at most once.)",
            side_effect,
        ),
        pair(
            "optimistic lock: retried with the stale object",
            COUNTS,
            "After a conflict the version is read again, and the change is made to the object of the first read.",
            make(How::StaleObject),
        ),
        pair(
            "optimistic lock: the conflict swallowed",
            COUNTS,
            "The replace matches nothing, and the update counts as done.",
            make(How::Swallowed),
        ),
        pair(
            "optimistic lock: no answer taken for a conflict",
            COUNTS,
            "The replace was applied and its answer is lost. The loop takes this for a conflict, reads its own change and makes it again.",
            move |repaired| make(How::LostReply)(repaired).timeouts(1),
        ),
        pair(
            "optimistic lock: deleted and made again",
            "the new cart is not the old one",
            "A cart is deleted and made anew under the same id. Its version starts again, so a replace that expects the old one's version \
             overwrites the new one. An id that the store draws tells the two apart.",
            made_anew,
        ),
        pair(
            "optimistic lock: attempts used up",
            "no program fails",
            "Three clients with two attempts each: two others come through in between, and the third gives up.",
            |repaired| world(3, How::Attempts(if repaired { 3 } else { 2 })).property(no_program_fails()),
        ),
        pair(
            "optimistic lock: the picture",
            PICTURE,
            "The picture of the talk, state by state: both read version 1, client 1 writes version 2, client 2 is refused, reads version 2 and \
             writes version 3. With an atomic update there is nothing to try again.",
            picture,
        ),
    ]
    .concat()
}
