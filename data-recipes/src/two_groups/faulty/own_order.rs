//! The leases are taken in the order in which the caller names the groups.

use overtake_recipes::StoreError;
use overtake_recipes::store::DataEnvironment;

use crate::lease::{self, LIFE};
use crate::two_groups::Pair;
use crate::two_groups::locked::{add_under, lease_of};

/// *Wrong:* two clients name the groups in different orders, and each holds the lease that the other waits for, until one of them expires.
///
/// *Seen:* wherever two locks are taken without an order.
///
/// *Cure:* an order that all clients keep: that of the names.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str, token: &str) -> Result<(), StoreError> {
    let one = lease::acquire(env, &lease_of(pair.first), token, LIFE).await?;
    let version = one.version.0.to_string();
    let other = env.keeping(&[&version], lease::acquire(env, &lease_of(pair.second), token, LIFE)).await?;
    add_under(env, pair, key, (one, other)).await
}
