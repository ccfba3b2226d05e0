//! GetGroup: one by one, and in batches by node.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use overtake_recipes::StoreError;
use overtake_recipes::store::{Dht, Item, Node, Value, Version};

/// The keys of a group, and the version to change it by. `None` when there is no group.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn keys<D: Dht>(dht: &D, group: &str) -> Result<Option<(Vec<String>, Version)>, StoreError> {
    Ok(dht.get(group).await?.map(|item| (item.data.strings(), item.version)))
}

/// What is found under a key of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// The item.
    Item(Value),
    /// Nothing: it was deleted, has expired, or was evicted.
    Missing,
    /// Its node does not answer, which says nothing about the item.
    Unreachable,
}

/// GetGroup, one by one: a call for each key and one for the group.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn items_one_by_one<D: Dht>(dht: &D, group: &str) -> Result<Vec<Value>, StoreError> {
    let mut items = Vec::new();
    for key in keys(dht, group).await?.map_or(Vec::new(), |(keys, _)| keys) {
        if let Ok(Some(item)) = dht.get(&key).await {
            items.push(item.data);
        }
    }
    Ok(items)
}

/// GetGroup in batches: what was found, in the order of the group. Keys that lead nowhere now are left out, and stay in the group.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn items<D: Dht>(dht: &D, group: &str) -> Result<Vec<Value>, StoreError> {
    let found = members(dht, group).await?.into_iter().filter_map(|(_, member)| match member {
        Member::Item(item) => Some(item),
        Member::Missing | Member::Unreachable => None,
    });
    Ok(found.collect())
}

/// The keys of a group in its order, each with what is found under it. Takes a call for the group, and then one for each *node* that owns
/// a key, all at once: 1 + D calls in two round trips.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn members<D: Dht>(dht: &D, group: &str) -> Result<Vec<(String, Member)>, StoreError> {
    let (keys, batches) = batches(dht, group).await?;
    let found = join_all(batches.into_iter().map(|(node, places)| batch(dht, &keys, node, places))).await;
    Ok(in_order(keys, found.into_iter().flatten().collect()))
}

/// The same with one batch after the other: 1 + D calls in 1 + D round trips.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn members_in_turn<D: Dht>(dht: &D, group: &str) -> Result<Vec<(String, Member)>, StoreError> {
    let (keys, batches) = batches(dht, group).await?;
    let mut found = Vec::new();
    for (node, places) in batches {
        found.extend(batch(dht, &keys, node, places).await);
    }
    Ok(in_order(keys, found))
}

/// The keys of a group, and their places in it by the node that owns them.
async fn batches<D: Dht>(dht: &D, group: &str) -> Result<(Vec<String>, BTreeMap<Node, Vec<usize>>), StoreError> {
    let keys = keys(dht, group).await?.map_or(Vec::new(), |(keys, _)| keys);
    let mut places: BTreeMap<Node, Vec<usize>> = BTreeMap::new();
    for (place, key) in keys.iter().enumerate() {
        places.entry(dht.owner(key)).or_default().push(place);
    }
    Ok((keys, places))
}

/// What one node has under its keys of the group, by their places.
async fn batch<D: Dht>(dht: &D, keys: &[String], node: Node, places: Vec<usize>) -> Vec<(usize, Member)> {
    let own: Vec<String> = places.iter().map(|place| keys[*place].clone()).collect();
    let member = |item: Option<Item>| item.map_or(Member::Missing, |item| Member::Item(item.data));
    let found = match dht.get_many(node, &own).await {
        Ok(items) => items.into_iter().map(member).collect(),
        Err(_) => vec![Member::Unreachable; own.len()],
    };
    places.into_iter().zip(found).collect()
}

fn in_order(keys: Vec<String>, mut found: Vec<(usize, Member)>) -> Vec<(String, Member)> {
    found.sort_unstable_by_key(|(place, _)| *place);
    keys.into_iter().zip(found.into_iter().map(|(_, member)| member)).collect()
}
