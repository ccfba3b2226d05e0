//! Snippet 1: find, add one, replace.

use overtake_data_recipes::snippets::{TOTALS, one_replace as one};
use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::{eq, set};
use overtake_recipes::store::{Documents as _, Value, doc};

use super::*;

const COUPON: &str = "the coupon stays";

fn adders(repaired: bool) -> Scenario {
    world(with_item())
        .clients(2, move |ctx: Context| async move {
            tell(&ctx, if repaired { one::repaired(&ctx, GUID).await } else { one::lost_update(&ctx, GUID).await })
        })
        .properties([every_addition_counts(1), somebody_is_told()])
}

fn as_written(repaired: bool) -> Scenario {
    world(with_item())
        .clients(2, move |ctx: Context| async move {
            tell(&ctx, if repaired { one::repaired(&ctx, GUID).await } else { one::as_written(&ctx, GUID).await })
        })
        .properties([every_addition_counts(1), somebody_is_told()])
}

/// Applies a coupon, by its field.
async fn coupon(ctx: Context) -> Result<(), ScriptError> {
    let applied = ctx.documents().update_one(ITEMS, eq("guid", GUID), vec![set("coupon", "c")]).await?;
    if applied.matched > 0 {
        ctx.mark("coupon");
    }
    Ok(())
}

pub(super) fn coupon_stays() -> Property {
    Property::at_rest(COUPON, SOURCE, |view| {
        let applied = view.clients().any(|client| client.is_marked("coupon"));
        let there = document_store(view).one(ITEMS, "guid", GUID).is_some_and(|item| item.at("coupon").is_some());
        if applied && !there { Err("the coupon was applied, and is gone".into()) } else { Ok(()) }
    })
}

fn beside_a_coupon(how: u8) -> Scenario {
    world(with_item())
        .client("adds", move |ctx: Context| async move {
            tell(
                &ctx,
                match how {
                    0 => one::as_written(&ctx, GUID).await,
                    1 => one::whole_document(&ctx, GUID).await,
                    _ => one::repaired(&ctx, GUID).await,
                },
            )
        })
        .client("coupon", coupon)
        .properties([coupon_stays(), every_addition_counts(1), somebody_is_told()])
}

fn beside_a_delete(how: u8) -> Scenario {
    world(with_item())
        .client("adds", move |ctx: Context| async move {
            tell(
                &ctx,
                match how {
                    0 => one::no_null_check(&ctx, GUID).await,
                    1 => one::proposed(&ctx, GUID).await,
                    2 => one::replaces_what_is_gone(&ctx, GUID).await,
                    _ => one::repaired(&ctx, GUID).await,
                },
            )
        })
        .client("deletes", deletes)
        .properties([every_addition_counts(1), no_program_fails(), somebody_is_told()])
}

fn takers(repaired: bool) -> Scenario {
    world(with_item())
        .clients(2, move |ctx: Context| async move {
            tell(&ctx, if repaired { one::take(&ctx, GUID).await } else { one::take_without_bound(&ctx, GUID).await })
        })
        .property(Property::always("no amount falls below zero", SOURCE, |view| match sum(view, ITEMS, "amount") {
            0.. => Ok(()),
            amount => Err(format!("the amount is {amount}")),
        }))
        .property(somebody_is_told())
}

fn null_amount(repaired: bool) -> Scenario {
    let item = doc([("guid", GUID.into()), ("amount", Value::Null)]);
    world(Documents::new().with(ITEMS, item))
        .clients(2, move |ctx: Context| async move {
            tell(
                &ctx,
                match repaired {
                    true => one::null_amount_repaired(&ctx, GUID).await,
                    false => one::null_amount(&ctx, GUID).await,
                },
            )
        })
        .properties([no_program_fails(), every_addition_counts(0)])
}

fn total(repaired: bool) -> Scenario {
    world(with_item().with(TOTALS, doc([("total", 1.into())])))
        .crashes(1)
        .client("adds", move |ctx: Context| async move {
            tell(
                &ctx,
                match repaired {
                    true => one::total_with_it(&ctx, GUID).await,
                    false => one::total_apart(&ctx, GUID).await,
                },
            )
        })
        .property(Property::at_rest("the total fits the items", SOURCE, |view| {
            let (items, total) = (sum(view, ITEMS, "amount"), sum(view, TOTALS, "total"));
            if items == total { Ok(()) } else { Err(format!("the items come to {items}, the total is {total}")) }
        }))
        .property(somebody_is_told())
}

fn sent_again(how: u8) -> Scenario {
    world(with_item())
        .timeouts(1)
        .clients(2, move |ctx: Context| async move {
            tell(
                &ctx,
                match how {
                    0 => one::sent_again(&ctx, GUID).await,
                    1 => one::sent_again_by_number(&ctx, GUID).await,
                    _ => one::sent_again_by_id(&ctx, GUID).await,
                },
            )
        })
        .properties([every_addition_counts(1), somebody_is_told()])
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let how = |faulty, right| move |repaired| if repaired { right } else { faulty };
    [
        pair(
            "snippet 1: find, add one, replace",
            COUNTS,
            "Two customers add one to the same item: each reads the amount, adds one and writes the whole item back. Both read 1, both write \
             2.",
            as_written,
        ),
        pair(
            "snippet 1: the lost update alone",
            COUNTS,
            "The same with a look at what was found and at the result. The amount is still read in one call and written in another.",
            adders,
        ),
        pair(
            "snippet 1: beside a coupon",
            COUPON,
            "One customer adds one, while a coupon is applied to the item. The replace writes the item as it was read, without the coupon.",
            move |repaired| beside_a_coupon(how(0, 2)(repaired)),
        ),
        pair(
            "snippet 1: the amount compared, the whole item replaced",
            COUPON,
            "The replace looks whether the amount is as it was read, so no addition is lost. The coupon is not compared, and is lost.",
            move |repaired| beside_a_coupon(how(1, 2)(repaired)),
        ),
        pair(
            "snippet 1: no null check",
            "no program fails",
            "The item may be deleted. Who reads a field of what was not found meets a TypeError.",
            move |repaired| beside_a_delete(how(0, 3)(repaired)),
        ),
        pair(
            "snippet 1: the replaced item is gone",
            COUNTS,
            "The item is deleted between the read and the replace, which matches nothing. The customer is told that it was added.",
            move |repaired| beside_a_delete(how(2, 3)(repaired)),
        ),
        pair(
            "snippet 1: the slide's $inc, its result ignored",
            COUNTS,
            "The slide's repair. The item may be deleted: then nothing matches, nothing is added, and the customer is told that it was.",
            move |repaired| beside_a_delete(how(1, 3)(repaired)),
        ),
        pair(
            "snippet 1: $inc −1 without a bound",
            "no amount falls below zero",
            "Two customers take one away, each after a look that there is one. There is one, and both take it.",
            takers,
        ),
        pair(
            "snippet 1: $inc on null",
            "no program fails",
            "An amount of null is no number, and the store refuses to add to it.",
            null_amount,
        ),
        pair(
            "snippet 1: $inc and a total elsewhere",
            "the total fits the items",
            "The $inc is atomic for the item. The total of the basket is another document, and the process dies in between.",
            total,
        ),
        pair(
            "snippet 1: $inc sent again",
            COUNTS,
            "No answer comes, so the $inc is sent again. It had been applied, or it arrives late: it counts twice. With a number by which \
             the server knows it, it counts once.",
            move |repaired| sent_again(how(0, 1)(repaired)),
        ),
        vec![
            sent_again(2).called("snippet 1: $inc sent again, its id in the document").about(
                "The same without the server's help: the operation's id is pushed into the document by the same update, and the filter lets \
                 it in once.",
            ),
        ],
    ]
    .concat()
}
