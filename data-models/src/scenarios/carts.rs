//! Examples from the talk's code base: coupons, payments and points.

use overtake_data_recipes::carts::{CARTS, coupon, payment, points};
use overtake_data_recipes::optimistic::until_it_is_in;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::{Value, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::pairs::{pair, stores, tell};
use crate::property::*;

const SOURCE: &str = "seed 3: examples from our code base";
const CART: &str = "cart";
const BOTH: &str = "coupon and amount are both in";
const WORTH: &str = "the payment is over what the cart is worth";
const ONE_DOUBLE: &str = "one item counts double at most";

/// How a cart is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Whole,
    Field,
    Version,
}

async fn changes(ctx: Context, way: Way, coupon: bool) -> Result<(), String> {
    let change = move |cart: &mut Value| match coupon {
        true => cart.set("coupon", "ten-percent"),
        false => cart.set("amount", cart.int("amount") + 1),
    };
    let error = |error: &dyn std::fmt::Display| error.to_string();
    match (way, coupon) {
        (Way::Whole, _) => drop(coupon::load_and_save(&ctx, CART, change).await.map_err(|e| error(&e))?),
        (Way::Field, true) => drop(coupon::apply(&ctx, CART, "ten-percent").await.map_err(|e| error(&e))?),
        (Way::Field, false) => drop(coupon::add(&ctx, CART).await.map_err(|e| error(&e))?),
        (Way::Version, _) => {
            coupon::by_version(&ctx, CART, &until_it_is_in(), change).await.map_err(|e| error(&e))?;
        }
    }
    ctx.mark("saved");
    Ok(())
}

fn coupon_and_amount(way: Way) -> Scenario {
    let cart = doc([("guid", CART.into()), ("amount", 1.into()), ("version", 1.into())]);
    let both = Property::at_rest(BOTH, SOURCE, |view| {
        let cart = document_store(view).one(CARTS, "guid", CART).expect("the cart is there");
        let (coupon, amount) = (cart.at("coupon").is_some(), cart.at("amount").and_then(|v| v.as_int()));
        match (coupon, amount) {
            (true, Some(2)) => Ok(()),
            (false, _) => Err("the coupon was applied, and is gone".into()),
            (true, _) => Err("the amount was raised, and is as before".into()),
        }
    });
    scenario("")
        .source(SOURCE)
        .stores(stores(Documents::new().with(CARTS, cart)))
        .client("amount", move |ctx| changes(ctx, way, false))
        .client("coupon", move |ctx| changes(ctx, way, true))
        .properties([both, somebody_is(&["saved"], "somebody saves"), everybody_is_done()])
}

/// A payment opens while an item is added.
fn payment_opens(opens: u8, guarded: bool) -> Scenario {
    let worth = Property::at_rest(WORTH, SOURCE, |view| {
        let cart = document_store(view).one(CARTS, "guid", CART).expect("the cart is there");
        let total = cart.at("total").and_then(|v| v.as_int()).unwrap_or(0);
        match document_store(view).all(payment::PAYMENTS).first().and_then(|payment| payment.at("amount")?.as_int()) {
            Some(amount) if amount != total => Err(format!("the payment is over {amount}, the cart is worth {total}")),
            _ => Ok(()),
        }
    });
    scenario("")
        .source(SOURCE)
        .stores(stores(Documents::new().with(CARTS, doc([("guid", CART.into()), ("total", 10.into())]))))
        .client("pays", move |ctx: Context| async move {
            let opened = match opens {
                0 => payment::open_by_look(&ctx, CART).await,
                1 => payment::closes_after_the_look(&ctx, CART).await,
                _ => payment::open(&ctx, CART).await,
            };
            tell(&ctx, opened)
        })
        .client("adds", move |ctx: Context| async move {
            let added = match guarded {
                true => payment::add_unless_paid(&ctx, CART, 5).await,
                false => payment::add(&ctx, CART, 5).await,
            };
            if added? {
                ctx.mark("added");
            }
            Ok::<(), overtake_recipes::StoreError>(())
        })
        .properties([
            worth,
            somebody_is(&["acknowledged"], "a payment opens"),
            somebody_is(&["added"], "an item is added"),
            everybody_is_done(),
        ])
}

/// Two items of one cart, each to count double if no other does.
fn double(how: u8) -> Scenario {
    let item = |name: &'static str| doc([("item", name.into()), ("cart", CART.into()), ("double", false.into())]);
    let store = Documents::new()
        .with(CARTS, doc([("guid", CART.into()), ("version", 1.into())]))
        .with(points::ITEMS, item("bread"))
        .with(points::ITEMS, item("milk"));
    let doubles = move |item: &'static str| {
        move |ctx: Context| async move {
            let doubled = match how {
                0 => points::under_a_snapshot(&ctx, CART, item).await,
                1 => points::serialisable(&ctx, CART, item).await,
                _ => points::with_a_common_row(&ctx, CART, item).await,
            };
            tell(&ctx, doubled)
        }
    };
    scenario("")
        .source(SOURCE)
        .stores(stores(store))
        .client("bread", doubles("bread"))
        .client("milk", doubles("milk"))
        .properties([
            Property::always(ONE_DOUBLE, SOURCE, |view| {
                let all = document_store(view).all(points::ITEMS).iter();
                match all.filter(|item| item.at("double").is_some_and(Value::is_true)).count() {
                    0 | 1 => Ok(()),
                    double => Err(format!("{double} items count double")),
                }
            }),
            somebody_is(&["acknowledged"], "an item counts double"),
            somebody_is(&["refused"], "an item does not"),
            everybody_is_done(),
        ])
}

/// All of them.
pub fn scenarios() -> Vec<Scenario> {
    [
        pair(
            "coupon and amount at the same time",
            BOTH,
            "One tab raises the amount, another applies a coupon. Each loads the cart, changes it and saves it whole.",
            |repaired| coupon_and_amount(if repaired { Way::Version } else { Way::Whole }),
        ),
        vec![coupon_and_amount(Way::Field).called("coupon and amount, by their fields").about(
            "Each writes the one field that it means. There is nothing to compare.",
        )],
        pair(
            "items added while a payment opens",
            WORTH,
            "A payment is opened over the total that was read. An item is added in between. The cart must be closed by the same call that \
             answers its total, and whoever adds must look whether it is.",
            |repaired| payment_opens(if repaired { 2 } else { 0 }, repaired),
        ),
        pair(
            "items added before the cart closes",
            WORTH,
            "The cart is closed against additions, but the total is the one that was read before.",
            |repaired| payment_opens(if repaired { 2 } else { 1 }, true),
        ),
        pair(
            "items added to a closed cart",
            WORTH,
            "The cart is closed rightly, but who adds does not look whether it is.",
            |repaired| payment_opens(2, repaired),
        ),
        pair(
            "points over several items",
            ONE_DOUBLE,
            "One item of a cart may count double. Two transactions look at all items and mark one each. Under a snapshot both see none, \
             write different rows and commit (write skew).",
            |repaired| double(repaired.into()),
        ),
        vec![double(2).called("points over several items, with a common row").about(
            "Under a snapshot, but both write the cart's version, too: the second writer is refused and looks again.",
        )],
    ]
    .concat()
}
