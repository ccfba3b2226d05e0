//! Points over several items: one item of a cart, and not more, is counted double. Items are documents `{item, cart, double}` of
//! their own, so each decision reads several and writes one (write skew).

use overtake_recipes::store::documents::{Op, Response, and, eq, inc, set};
use overtake_recipes::store::{Documents, Isolation};
use overtake_recipes::{DataEnvironment, StoreError};

use super::CARTS;

/// The items.
pub const ITEMS: &str = "items";
const TRANSACTION: u8 = 1;

/// One transaction: counts the item double if none of the cart is.
async fn attempt<E: DataEnvironment>(
    env: &E,
    isolation: Isolation,
    raises: bool,
    (cart, item): (&str, &str),
) -> Result<bool, StoreError> {
    let docs = env.documents();
    let within = |collection, op| docs.within(TRANSACTION, collection, op);
    within(ITEMS, Op::Begin(isolation)).await?;
    let doubled = Op::Count(and([eq("cart", cart), eq("double", true)]));
    if within(ITEMS, doubled).await.map(Response::count)? > 0 {
        within(ITEMS, Op::Abort).await?;
        return Ok(false);
    }
    within(ITEMS, Op::UpdateOne(eq("item", item), vec![set("double", true)], false)).await?;
    if raises {
        within(CARTS, Op::UpdateOne(eq("guid", cart), vec![inc("version", 1)], false)).await?;
    }
    within(ITEMS, Op::Commit).await?;
    Ok(true)
}

/// A transaction that is aborted by a conflict runs again.
async fn double<E: DataEnvironment>(
    env: &E,
    isolation: Isolation,
    raises: bool,
    (cart, item): (&str, &str),
) -> Result<bool, StoreError> {
    loop {
        env.checkpoint("points: begin", &[cart, item]);
        match attempt(env, isolation, raises, (cart, item)).await {
            Err(StoreError::WriteConflict) => {}
            other => return other,
        }
    }
}

/// *Wrong:* under a snapshot two transactions that read the same rows and write different ones do not meet. *Seen:* two items count
/// double. *Cure:* serialisable, or a row that both write.
pub async fn under_a_snapshot<E: DataEnvironment>(env: &E, cart: &str, item: &str) -> Result<bool, StoreError> {
    double(env, Isolation::Snapshot, false, (cart, item)).await
}

/// The same, serialisable: the commit is refused when something that was looked for has changed.
pub async fn serialisable<E: DataEnvironment>(env: &E, cart: &str, item: &str) -> Result<bool, StoreError> {
    double(env, Isolation::Serialisable, false, (cart, item)).await
}

/// The same under a snapshot, with a row that both write: the cart's version.
pub async fn with_a_common_row<E: DataEnvironment>(env: &E, cart: &str, item: &str) -> Result<bool, StoreError> {
    double(env, Isolation::Snapshot, true, (cart, item)).await
}
