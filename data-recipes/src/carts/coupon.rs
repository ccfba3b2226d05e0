//! A coupon is applied and the amount is changed at the same time. The cart is one document `{guid, amount, coupon, version}`.

use overtake_recipes::client::RetryPolicy;
use overtake_recipes::store::documents::{eq, inc, set};
use overtake_recipes::store::{Documents, Value};
use overtake_recipes::{DataEnvironment, StoreError};

use super::CARTS;
use crate::optimistic::{self, OptimisticError};

/// *Wrong:* loads the cart, changes it, saves it whole. *Seen:* the coupon that was applied in between is gone, or the amount is as
/// before. *Cure:* write what is meant, or look at the version.
pub async fn load_and_save<E: DataEnvironment>(
    env: &E,
    guid: &str,
    change: impl Fn(&mut Value),
) -> Result<bool, StoreError> {
    let docs = env.documents();
    let Some(mut cart) = docs.find_one(CARTS, eq("guid", guid)).await? else { return Ok(false) };
    change(&mut cart);
    Ok(docs.replace_one(CARTS, eq("guid", guid), cart).await?.matched > 0)
}

/// Adds one, by the field.
pub async fn add<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, StoreError> {
    Ok(env.documents().update_one(CARTS, eq("guid", guid), vec![inc("amount", 1)]).await?.matched > 0)
}

/// Applies the coupon, by the field.
pub async fn apply<E: DataEnvironment>(env: &E, guid: &str, coupon: &str) -> Result<bool, StoreError> {
    Ok(env.documents().update_one(CARTS, eq("guid", guid), vec![set("coupon", coupon)]).await?.matched > 0)
}

/// Loads, changes and saves by the version: also where a change looks at the whole cart.
pub async fn by_version<E: DataEnvironment>(
    env: &E,
    guid: &str,
    policy: &RetryPolicy,
    change: impl Fn(&mut Value),
) -> Result<(), OptimisticError> {
    let changed = |mut cart: Value| {
        change(&mut cart);
        std::future::ready(cart)
    };
    optimistic::update(env, CARTS, eq("guid", guid), policy, 1, changed).await.map(drop)
}
