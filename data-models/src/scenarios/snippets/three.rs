//! Snippet 3: find by the item, then update or insert.

use overtake_data_recipes::snippets::three_insert_or_update as three;
use overtake_sim::names::Text;

use super::*;

const ONE_ROW: &str = "one row an item";
const FAILS: &str = "no program fails";

/// Two customers, in a store with or without the unique index on the item.
macro_rules! customers {
    ($documents:expr, $index:expr, $repaired:expr, $faulty:path, $right:path) => {{
        let (documents, repaired): (Documents, bool) = ($documents, $repaired);
        let documents = if $index { documents.unique(ITEMS, &["itemId"]) } else { documents };
        world(documents)
            .clients(2, move |ctx: Context| async move {
                tell(&ctx, if repaired { $right(&ctx, ITEM).await } else { $faulty(&ctx, ITEM).await })
            })
            .property(somebody_is_told())
    }};
}

fn one_row() -> Property {
    no_duplicates(ONE_ROW, SOURCE, ITEMS, &["itemId"])
}

fn every_row_has_its_item() -> Property {
    Property::always("every row has its item", SOURCE, |view| {
        let lost =
            document_store(view).all(ITEMS).iter().any(|row| row.at("itemId").is_none() || row.at("guid").is_none());
        if lost { Err("a row has neither guid nor itemId".into()) } else { Ok(()) }
    })
}

fn beside_a_delete(how: u8) -> Scenario {
    world(with_item())
        .client("adds", move |ctx: Context| async move {
            tell(
                &ctx,
                match how {
                    0 => three::deleted_between(&ctx, ITEM).await,
                    1 => three::deleted_between_repaired(&ctx, ITEM).await,
                    2 => three::raises_by_upsert(&ctx, ITEM).await,
                    _ => three::raises_what_is_there(&ctx, ITEM).await,
                },
            )
        })
        .client("deletes", deletes)
        .property(somebody_is_told())
}

fn stays_deleted() -> Property {
    Property::always("what is deleted stays deleted", SOURCE, |view| {
        let deleted = view.clients().any(|client| client.is_marked("took"));
        match deleted && !document_store(view).all(ITEMS).is_empty() {
            true => Err("the row was deleted, and is there again".into()),
            false => Ok(()),
        }
    })
}

/// Each with a basket of his own, the same item in both.
fn baskets(repaired: bool) -> Scenario {
    let fields: &[&str] = if repaired { &["basketId", "itemId"] } else { &["itemId"] };
    let customer = move |basket: &'static str| {
        move |ctx: Context| async move {
            let added = match repaired {
                true => three::own_basket(&ctx, basket, ITEM).await,
                false => three::any_basket(&ctx, basket, ITEM).await,
            };
            if added? {
                ctx.mark_with("basket", basket);
            }
            Ok::<(), ScriptError>(())
        }
    };
    let holds = Property::at_rest("each basket holds what its customer added", SOURCE, |view| {
        for client in view.clients() {
            let Some(basket) = client.mark("basket").flatten() else { continue };
            if document_store(view).one(ITEMS, "basketId", &basket.full()).is_none() {
                return Err(format!("{} was told that the item is in, and basket {basket} is empty", client.name()));
            }
        }
        Ok(())
    });
    world(Documents::new().unique(ITEMS, fields))
        .client("ann", customer("of-ann"))
        .client("ben", customer("of-ben"))
        .properties([holds, somebody_is(&["basket"], "somebody is told that the item is in")])
}

/// Two customers who need the guid of the row.
fn guids(repaired: bool) -> Scenario {
    let leads = Property::at_rest("a guid leads to a row", SOURCE, |view| {
        for client in view.clients() {
            let Some(guid) = client.mark("guid").flatten() else { continue };
            let is = |text: &Text| *text == guid;
            if !document_store(view)
                .all(ITEMS)
                .iter()
                .any(|row| row.at("guid").and_then(|v| v.as_text()).is_some_and(is))
            {
                return Err(format!("{} has the guid {}, and no row has it", client.name(), guid.short()));
            }
        }
        Ok(())
    });
    world(Documents::new().unique(ITEMS, &["itemId"]))
        .clients(2, move |ctx: Context| async move {
            let guid = match repaired {
                true => three::answers_the_guid(&ctx, ITEM).await?,
                false => three::takes_its_guid_for_the_row(&ctx, ITEM).await?,
            };
            ctx.mark_with("guid", &guid);
            Ok::<(), ScriptError>(())
        })
        .properties([leads, somebody_is(&["guid"], "somebody has a guid")])
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let empty = Documents::new;
    [
        pair(
            "snippet 3: as written, two rows",
            ONE_ROW,
            "Two customers put the same item into an empty basket. Both find nothing, both insert.",
            move |r| customers!(empty(), r, r, three::as_written, three::upsert).property(one_row()),
        ),
        pair(
            "snippet 3: as written, a row without its item",
            "every row has its item",
            "There is a row. The update has no operator: the plain document replaces the row, guid and itemId are gone.",
            |r| customers!(with_item(), r, r, three::as_written, three::upsert).property(every_row_has_its_item()),
        ),
        pair(
            "snippet 3: the wrong variable",
            FAILS,
            "The document is basketItem, and what is read is item: the first customer inserts, the second meets a ReferenceError.",
            move |r| customers!(empty(), r, r, three::wrong_variable, three::upsert).property(no_program_fails()),
        ),
        pair(
            "snippet 3: find, then insert",
            ONE_ROW,
            "The update is an $inc. Both find nothing, both insert.",
            move |r| customers!(empty(), r, r, three::check_then_insert, three::upsert).property(one_row()),
        ),
        pair(
            "snippet 3: an update without an operator",
            "every row has its item",
            "The amount is compared, so no addition is lost, but the plain document replaces the row.",
            |r| customers!(with_item(), r, r, three::without_operator, three::upsert).property(every_row_has_its_item()),
        ),
        pair(
            "snippet 3: the amount of the read",
            COUNTS,
            "There is a row, and both customers set its amount to one more than they have read.",
            |r| customers!(with_item(), r, r, three::lost_update, three::upsert).property(every_addition_counts(1)),
        ),
        pair(
            "snippet 3: deleted between look and update",
            COUNTS,
            "The row is deleted after it was found. Nothing matches, and nobody looks at the result.",
            |repaired| beside_a_delete(repaired.into()).property(every_addition_counts(1)),
        ),
        pair(
            "snippet 3: another customer's basket",
            "each basket holds what its customer added",
            "Two customers have a basket each. The item is looked for by its id alone, so the second raises the row of the first.",
            baskets,
        ),
        pair(
            "snippet 3: the slide's upsert without a unique index",
            ONE_ROW,
            "An upsert looks first and inserts then. Without a unique index both may look before either inserts. The repair is the index.",
            move |r| customers!(empty(), r, r, three::upsert, three::upsert).property(one_row()),
        ),
        pair(
            "snippet 3: an upsert whose filter holds more than the index",
            FAILS,
            "The index is on the item, the filter also asks for a row that is not deleted. The server only goes again by itself when the \
             filter is exactly the index's fields; here the clash reaches the caller.",
            move |r| {
                let (faulty, right) = (three::more_in_the_filter, three::more_in_the_filter_repaired);
                world(empty().unique(ITEMS, &["itemId"]))
                    .clients(2, move |ctx: Context| async move {
                        tell(&ctx, if r { right(&ctx, ITEM).await } else { faulty(&ctx, ITEM).await })
                    })
                    .properties([no_program_fails(), every_addition_counts(0), somebody_is_told()])
            },
        ),
        pair(
            "snippet 3: the slide's misspelt collection",
            COUNTS,
            "The slide's repair writes to basketitems. The items are in basketItems.",
            |r| customers!(with_item(), true, r, three::misspelt, three::upsert).property(every_addition_counts(1)),
        ),
        pair(
            "snippet 3: whose guid it is",
            "a guid leads to a row",
            "Both customers make a guid, one of them inserts. The other keeps a guid that no row has.",
            guids,
        ),
        pair(
            "snippet 3: an upsert revives what was deleted",
            "what is deleted stays deleted",
            "A customer who has seen the row raises its amount by an upsert. The row is deleted in between, and is there again.",
            |repaired| beside_a_delete(if repaired { 3 } else { 2 }).property(stays_deleted()),
        ),
        pair(
            "snippet 3: the upsert sent again",
            COUNTS,
            "No answer comes, and the upsert is sent again: it counts twice.",
            move |r| {
                customers!(empty(), true, r, three::sent_again, three::sent_again_by_number)
                    .timeouts(1)
                    .property(every_addition_counts(0))
            },
        ),
    ]
    .concat()
}
