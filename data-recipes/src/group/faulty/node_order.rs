//! What was found stays in the order of the nodes.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use overtake_recipes::StoreError;
use overtake_recipes::store::{Dht, Node, Value};

use crate::group::keys;

/// *Wrong:* results are gathered node by node, so the "most recent" item is no longer the first.
///
/// *Seen:* GetGroup of the posts as it is written, slip 1 (M58).
///
/// *Cure:* put what was found into the order of the keys.
///
/// # Errors
/// When a node does not answer.
pub async fn items<D: Dht>(dht: &D, group: &str) -> Result<Vec<Value>, StoreError> {
    let mut by_node: BTreeMap<Node, Vec<String>> = BTreeMap::new();
    for key in keys(dht, group).await?.map_or(Vec::new(), |(keys, _)| keys) {
        by_node.entry(dht.owner(&key)).or_default().push(key);
    }
    let batches = by_node.iter().map(|(node, keys)| dht.get_many(*node, keys));
    let mut results = Vec::new();
    for found in join_all(batches).await {
        results.extend(found?.into_iter().flatten().map(|item| item.data));
    }
    Ok(results)
}
