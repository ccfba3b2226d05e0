//! Pessimistic locking: rows are locked in a transaction, read committed, until it ends.

use overtake_recipes::store::documents::{Op, Response, eq, inc};
use overtake_recipes::store::{Documents, Isolation, Value};
use overtake_recipes::{DataEnvironment, StoreError};

/// What is locked here: `{name, amount}`.
pub const STOCK: &str = "stock";
/// The number of the transaction.
const TRANSACTION: u8 = 1;

/// Locks the row of that name; `None` when there is none, and nothing is locked.
async fn lock<E: DataEnvironment>(env: &E, name: &str) -> Result<Option<Value>, StoreError> {
    env.documents().within(TRANSACTION, STOCK, Op::FindForUpdate(eq("name", name))).await.map(Response::document)
}

/// Takes one of each in one transaction, all or nothing: locks the rows in the order in which the names come.
///
/// *Wrong:* another comes with them in another order. *Seen:* each holds what the other waits for. *Cure:* [`take_in_order`].
pub async fn take_as_they_come<E: DataEnvironment>(env: &E, names: &[&str]) -> Result<bool, StoreError> {
    let docs = env.documents();
    docs.within(TRANSACTION, STOCK, Op::Begin(Isolation::ReadCommitted)).await?;
    for name in names {
        if lock(env, name).await?.is_none_or(|row| row.int("amount") < 1) {
            docs.within(TRANSACTION, STOCK, Op::Abort).await?;
            return Ok(false);
        }
    }
    for name in names {
        docs.within(TRANSACTION, STOCK, Op::UpdateOne(eq("name", *name), vec![inc("amount", -1)], false)).await?;
    }
    docs.within(TRANSACTION, STOCK, Op::Commit).await?;
    Ok(true)
}

/// The same; locks the rows in one order for all.
pub async fn take_in_order<E: DataEnvironment>(env: &E, names: &[&str]) -> Result<bool, StoreError> {
    let mut names = names.to_vec();
    names.sort_unstable();
    take_as_they_come(env, &names).await
}
