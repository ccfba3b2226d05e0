//! Items are added while a payment opens. A cart is `{guid, total, payment}`, a payment `{cart, amount}`.

use overtake_recipes::store::documents::{Filter, Returning, and, eq, inc, set};
use overtake_recipes::store::{Documents, Value, doc};
use overtake_recipes::{DataEnvironment, StoreError};

use super::CARTS;

/// The payments.
pub const PAYMENTS: &str = "payments";

async fn insert<E: DataEnvironment>(env: &E, guid: &str, total: i64) -> Result<bool, StoreError> {
    env.documents().insert(PAYMENTS, doc([("cart", guid.into()), ("amount", total.into())])).await?;
    Ok(true)
}

/// *Wrong:* reads the total and opens a payment over it in another call. *Seen:* an item was added in between; the customer pays less than
/// the cart is worth. *Cure:* the cart says that a payment opens, before its total is read.
pub async fn open_by_look<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, StoreError> {
    match env.documents().find_one(CARTS, eq("guid", guid)).await? {
        Some(cart) => insert(env, guid, cart.int("total")).await,
        None => Ok(false),
    }
}

/// *Wrong:* the cart is closed, but the total is the one that was read before. *Seen:* the same. *Cure:* take the total from the write
/// that closes the cart.
pub async fn closes_after_the_look<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, StoreError> {
    let docs = env.documents();
    let Some(cart) = docs.find_one(CARTS, no_payment(guid)).await? else { return Ok(false) };
    if docs.update_one(CARTS, no_payment(guid), vec![set("payment", "open")]).await?.matched == 0 {
        return Ok(false);
    }
    insert(env, guid, cart.int("total")).await
}

/// Closes the cart and takes its total in one call, then opens the payment.
pub async fn open<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, StoreError> {
    let close = vec![set("payment", "open")];
    match env.documents().find_and_modify(CARTS, no_payment(guid), close, Returning::After).await? {
        Some(cart) => insert(env, guid, cart.int("total")).await,
        None => Ok(false),
    }
}

/// Adds an item of that price, whatever becomes of the cart.
pub async fn add<E: DataEnvironment>(env: &E, guid: &str, price: i64) -> Result<bool, StoreError> {
    Ok(env.documents().update_one(CARTS, eq("guid", guid), vec![inc("total", price)]).await?.matched > 0)
}

/// Adds an item of that price, unless a payment is open.
pub async fn add_unless_paid<E: DataEnvironment>(env: &E, guid: &str, price: i64) -> Result<bool, StoreError> {
    Ok(env.documents().update_one(CARTS, no_payment(guid), vec![inc("total", price)]).await?.matched > 0)
}

fn no_payment(guid: &str) -> Filter {
    and([eq("guid", guid), Filter::Eq("payment".into(), Value::Null)])
}
