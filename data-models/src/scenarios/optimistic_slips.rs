//! Optimistic locking: what else is wrong with the talk's helper and with those beside it, and what its policy is worth.

use overtake_data_recipes::optimistic::{
    self, OptimisticError, a_hundred_attempts, backing_off, faulty, until_it_is_in,
};
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::documents::{and, eq};
use overtake_recipes::store::{Documents as _, Value, doc};
use overtake_recipes::{DataEnvironment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;
use overtake_sim::world::View;

use super::optimistic::{DOCS, SOURCE, each, every_change_is_in_once, id, one_document, plus, x};
use super::pairs::{pair, somebody_is_told, stores, tell};
use crate::property::*;

const STAYS_CLOSED: &str = "what is closed stays closed";
const UNKNOWN: &str = "a field that is not known stays";
const DONE: &str = "what is acknowledged is in";
const STAYS_SET: &str = "what was set stays";
const FAILS: &str = "no program fails";

fn empty(documents: Documents) -> Scenario {
    scenario("").source(SOURCE).stores(stores(documents)).property(everybody_is_done())
}

/// A field of the document, as a text.
fn field(view: &View<'_>, field: &str) -> Option<String> {
    document_store(view).all(DOCS).first()?.at(field)?.as_text().map(|text| text.full())
}

/// Adds one by the helper that is right.
async fn adds(ctx: Context) -> Result<(), OptimisticError> {
    optimistic::update(&ctx, DOCS, id(), &until_it_is_in(), 1, |item| plus(item, 1)).await?;
    ctx.mark_with("acknowledged", "1");
    Ok(())
}

/// Adds one to an order that is open, while another closes it by a plain `$set`.
fn filter_repeated(repaired: bool) -> Scenario {
    let mut order = doc([("version", 1.into()), ("x", 1.into())]);
    order.set("status", "open");
    let open = || and([id(), eq("status", "open")]);
    empty(Documents::new().with(DOCS, order))
        .client("adds", move |ctx: Context| async move {
            let (add, forever) = (|item| plus(item, 1), until_it_is_in());
            let added = match repaired {
                true => optimistic::update(&ctx, DOCS, open(), &forever, 1, add).await.map(drop),
                false => optimistic::as_written(&ctx, DOCS, open(), &forever, add).await,
            };
            match added {
                Err(OptimisticError::NotFound) => tell(&ctx, Ok(false)),
                other => tell(&ctx, other.map(|()| true)),
            }
        })
        .client("closes", |ctx: Context| async move {
            if optimistic::set_without_version(&ctx, DOCS, id(), "status", "closed").await? {
                ctx.mark("closed");
            }
            Ok::<(), StoreError>(())
        })
        .properties([
            Property::always(STAYS_CLOSED, SOURCE, |view| {
                match view.client(1).is_marked("closed") && field(view, "status").as_deref() != Some("closed") {
                    true => Err("the order was closed, and is open again".into()),
                    false => Ok(()),
                }
            }),
            every_change_is_in_once(),
            somebody_is_told(),
        ])
}

/// A program that knows `_id`, `version` and `x`, beside a newer one that gives the document a colour.
fn mapped(repaired: bool) -> Scenario {
    empty(one_document())
        .client("the old program", move |ctx: Context| async move {
            let add = |item: Value| {
                let item = if repaired { item } else { faulty::mapped(&item, &["_id", "version", "x"]) };
                plus(item, 1)
            };
            optimistic::update(&ctx, DOCS, id(), &until_it_is_in(), 1, add).await?;
            ctx.mark_with("acknowledged", "1");
            Ok::<(), OptimisticError>(())
        })
        .client("the new program", |ctx: Context| async move {
            let paint = |mut item: Value| async move {
                item.set("colour", "red");
                item
            };
            optimistic::update(&ctx, DOCS, id(), &until_it_is_in(), 1, paint).await?;
            ctx.mark("painted");
            Ok::<(), OptimisticError>(())
        })
        .properties([
            Property::always(UNKNOWN, SOURCE, |view| {
                match view.client(1).is_marked("painted") && field(view, "colour").is_none() {
                    true => Err("the new program has written a colour, and the old one has dropped it".into()),
                    false => Ok(()),
                }
            }),
            every_change_is_in_once(),
            somebody_is_told(),
        ])
}

/// The document is deleted; `FirstAsync` throws where nothing matches.
fn deleted(repaired: bool) -> Scenario {
    empty(one_document())
        .client("adds", move |ctx: Context| async move {
            let (add, forever) = (|item| plus(item, 1), until_it_is_in());
            if !repaired {
                optimistic::as_written(&ctx, DOCS, id(), &forever, add).await?;
                return tell(&ctx, Ok(true));
            }
            match optimistic::update(&ctx, DOCS, id(), &forever, 1, add).await {
                Ok(_) => tell(&ctx, Ok(true)),
                Err(OptimisticError::NotFound) => {
                    ctx.mark("gone");
                    Ok(())
                }
                Err(error) => Err(error),
            }
        })
        .client("adds as well", adds_if_it_is_there)
        .client("deletes", |ctx: Context| async move {
            ctx.documents().delete_one(DOCS, id()).await?;
            Ok::<(), StoreError>(())
        })
        .properties([no_program_fails(), somebody_is_told()])
}

async fn adds_if_it_is_there(ctx: Context) -> Result<(), OptimisticError> {
    match adds(ctx).await {
        Err(OptimisticError::NotFound) => Ok(()),
        other => other,
    }
}

/// What is acknowledged is in, at any moment.
fn done_is_done() -> Property {
    Property::always(DONE, SOURCE, |view| {
        let told: i64 = view.clients().map(|client| number(&client, "acknowledged")).sum();
        let in_it = x(view).unwrap_or_default() - 1;
        match told > in_it {
            true => Err(format!("{told} acknowledged, {in_it} in the store")),
            false => Ok(()),
        }
    })
}

fn awaited(repaired: bool) -> Scenario {
    let adds = move |ctx: Context, by: i64| async move {
        let add = move |item| plus(item, by);
        match repaired {
            true => optimistic::as_written(&ctx, DOCS, id(), &until_it_is_in(), add).await?,
            false => faulty::not_awaited(&ctx, DOCS, id(), add),
        }
        ctx.mark_with("acknowledged", &by.to_string());
        Ok::<(), OptimisticError>(())
    };
    each(empty(one_document()), 2, adds).properties([done_is_done(), somebody_is_told()])
}

/// One adds by the scheme; another sets a field beside it, by one update or by one of many.
fn beside(many: bool) -> impl Fn(bool) -> Scenario {
    move |repaired| {
        empty(one_document())
            .client("adds", adds)
            .client(if many { "migrates" } else { "sets" }, move |ctx: Context| async move {
                let new = "new";
                match (many, repaired) {
                    (false, false) => drop(optimistic::set_without_version(&ctx, DOCS, id(), "name", new).await?),
                    (false, true) => drop(optimistic::set_with_version(&ctx, DOCS, id(), "name", new).await?),
                    (true, false) => optimistic::many_without_version(&ctx, DOCS, "name", new).await?,
                    (true, true) => optimistic::many_with_version(&ctx, DOCS, "name", new).await?,
                }
                ctx.mark("set");
                Ok::<(), StoreError>(())
            })
            .properties([
                Property::always(STAYS_SET, SOURCE, |view| {
                    match view.client(1).is_marked("set") && field(view, "name").is_none() {
                        true => Err("the name was set, and a replace has taken it away again".into()),
                        false => Ok(()),
                    }
                }),
                every_change_is_in_once(),
                somebody_is_told(),
            ])
    }
}

/// Two clients with two attempts each and a pause in between that grows and is drawn.
fn backs_off(repaired: bool) -> Scenario {
    let adds = move |ctx: Context, by: i64| async move {
        let (add, policy) = (move |item| plus(item, by), backing_off(2));
        match repaired {
            true => drop(optimistic::update(&ctx, DOCS, id(), &policy, 1, add).await?),
            false => faulty::replace_retried(&ctx, DOCS, id(), &policy, add).await?,
        }
        ctx.mark_with("acknowledged", &by.to_string());
        Ok::<(), OptimisticError>(())
    };
    each(empty(one_document()), 2, adds).jitter(7).literal_owners().properties([
        every_change_is_in_once(),
        no_program_fails(),
        somebody_is_told(),
    ])
}

/// All of them.
pub fn scenarios() -> Vec<Scenario> {
    [
        vec![
            each(empty(one_document()), 3, |ctx, by| async move {
                    optimistic::update(&ctx, DOCS, id(), &a_hundred_attempts(), 1, move |item| plus(item, by)).await?;
                    ctx.mark_with("acknowledged", &by.to_string());
                    Ok::<(), OptimisticError>(())
                })
                .properties([every_change_is_in_once(), no_program_fails(), somebody_is_told()])
                .called("optimistic lock: a hundred attempts")
                .about(
                    "The talk's own policy: a hundred attempts without a pause. Three clients with one change each need three of them at \
                     most, since each conflict means that somebody else came through.",
                ),
        ],
        pair(
            "optimistic lock: the filter not repeated",
            STAYS_CLOSED,
            "A client adds to an order that is open. Another closes it by a plain $set that leaves the version alone. The slide's replace asks \
             for id and version, finds them as they were, and writes the order as it was read: open. With the filter repeated the order \
             does not match any more.",
            filter_repeated,
        ),
        pair(
            "optimistic lock: fields that the program does not know",
            UNKNOWN,
            "A newer program gives the document a colour. The old one reads the document into a class that has no colour and replaces it by \
             that, at the right version: there is no conflict, and the colour is gone.",
            mapped,
        ),
        pair(
            "optimistic lock: a document that is gone",
            FAILS,
            "The document is deleted after it was read. The replace matches nothing, as in a conflict; the next read finds nothing, and the \
             slide's FirstAsync throws. The caller of the repaired program is told that it is gone.",
            deleted,
        ),
        pair(
            "optimistic lock: nobody awaits the update",
            DONE,
            "The slide's example assigns the task of the update and goes on. The caller says that the change is in while it is on its way.",
            awaited,
        ),
        pair(
            "optimistic lock: a $set beside the scheme",
            STAYS_SET,
            "Another sets a field that the client does not touch, without raising the version. The replace writes the document as it was \
             read, without the field.",
            beside(false),
        ),
        pair(
            "optimistic lock: a migration beside the scheme",
            STAYS_SET,
            "A migration sets a field of all documents in one update of many, and raises no version. A document that somebody had read is as \
             it was before the migration. All clients must use the scheme.",
            beside(true),
        ),
        pair(
            "optimistic lock: the replace alone is tried again",
            FAILS,
            "A retry library stands around the replace: after a conflict it pauses, longer each time, and sends the same replace again. Its \
             version never comes back. Around read, change and replace the same policy is enough.",
            backs_off,
        ),
    ]
    .concat()
}
