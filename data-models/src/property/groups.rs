//! Groups: lists of keys under a key, as all clients together leave them (`semantics §6.6`).

use std::collections::BTreeSet;

use overtake_sim::stores::Dht;
use overtake_sim::world::View;

use super::Property;

const SOURCE: &str = "semantics §6.6; the posts on distributed hash tables";

/// The hash table of a world.
///
/// # Panics
/// When it has none.
pub fn hash_table<'a>(view: &View<'a>) -> &'a Dht {
    view.stores().dht.as_ref().expect("the world has a hash table")
}

/// The keys of a group, whatever node holds it; nothing when there is no group.
pub fn keys_of(view: &View<'_>, group: &str) -> Vec<String> {
    hash_table(view).value(group).map_or(Vec::new(), |list| list.strings())
}

/// Every key that a client says it has added (mark `added`) is in the group exactly once.
pub fn what_was_added_is_there_once(group: &'static str) -> Property {
    Property::at_rest("what was added is in the group once", SOURCE, move |view| {
        let keys = keys_of(view, group);
        for client in view.clients() {
            let Some(key) = client.mark("added").flatten() else { continue };
            match keys.iter().filter(|k| **k == key.full()).count() {
                1 => {}
                0 => return Err(format!("{} has added {}, and it is not in {group}", client.name(), key.short())),
                n => {
                    return Err(format!("{} has added {}, and it is {n} times in {group}", client.name(), key.short()));
                }
            }
        }
        Ok(())
    })
}

/// Every key that is in the group at the start stays there.
pub fn nothing_leaves(group: &'static str, at_the_start: &'static [&'static str]) -> Property {
    Property::always("no key leaves the group", SOURCE, move |view| {
        let keys = keys_of(view, group);
        match at_the_start.iter().find(|key| !keys.iter().any(|k| k == *key)) {
            None => Ok(()),
            Some(key) => Err(format!("{key} is no longer in {group}, and nobody has removed it")),
        }
    })
}

/// No key of a group leads nowhere, at any moment.
pub fn no_key_without_item(group: &'static str) -> Property {
    Property::always("no key of a group without an item", SOURCE, move |view| {
        let table = hash_table(view);
        match keys_of(view, group).into_iter().find(|key| table.item(key).is_none()) {
            None => Ok(()),
            Some(key) => Err(format!("{group} holds {}, and there is no such item", shown(&key))),
        }
    })
}

/// At the end every item whose key starts so is in one of the groups.
pub fn no_item_in_no_group(prefix: &'static str, groups: &'static [&'static str]) -> Property {
    Property::at_rest("no item in no group", SOURCE, move |view| {
        let known: BTreeSet<String> = groups.iter().flat_map(|group| keys_of(view, group)).collect();
        let mut items = hash_table(view).items().map(|(_, item)| item.key).filter(|key| key.full().starts_with(prefix));
        match items.find(|key| !known.contains(&key.full())) {
            None => Ok(()),
            Some(key) => Err(format!("the item {} is in no group", key.short())),
        }
    })
}

/// At the end the two groups are the same list, order included: who is first in one is first in the other. `both` says what is in them.
pub fn groups_agree(both: impl Fn(&View<'_>) -> (Vec<String>, Vec<String>) + Send + Sync + 'static) -> Property {
    Property::at_rest("the two groups agree", "the posts: two groups at once", move |view| {
        let (a, b) = both(view);
        if a == b { Ok(()) } else { Err(format!("the first is {}, the second is {}", listed(&a), listed(&b))) }
    })
}

/// No client has read two groups that differ (marks `first` and `second`, each with the keys joined).
pub fn readers_see_groups_agree() -> Property {
    Property::always("no reader sees the groups disagree", "semantics §6.6, slip 13", |view| {
        for client in view.clients() {
            if let (Some(first), Some(second)) = (client.mark("first"), client.mark("second"))
                && first != second
            {
                let text = |mark: Option<overtake_sim::names::Text>| mark.map_or(String::new(), |text| text.short());
                return Err(format!("{} has read [{}] and [{}]", client.name(), text(first), text(second)));
            }
        }
        Ok(())
    })
    .where_marked(&["second"], 1)
}

/// The list that a client has read (mark `read`, joined by commas) is that.
pub fn reads(expected: &'static str) -> Property {
    Property::always("the group is read in its order", "semantics §6.6, slip 1 (M58)", move |view| {
        match view.clients().find_map(|c| c.mark("read").flatten().filter(|read| read.full() != expected)) {
            None => Ok(()),
            Some(read) => Err(format!("{} was read, {expected} is the list", read.short())),
        }
    })
    .where_marked(&["read"], 1)
}

/// What a client has read (mark `read`) is the list with some of its entries left out.
pub fn reads_part_of(expected: &'static str) -> Property {
    Property::always("the group is read in its order, with gaps", "semantics §6.6, slips 1 and 12", move |view| {
        let is_part = |read: &str| {
            let mut list = expected.split(',');
            read.split(',').filter(|entry| !entry.is_empty()).all(|entry| list.any(|e| e == entry))
        };
        match view.clients().find_map(|c| c.mark("read").flatten().filter(|read| !is_part(&read.full()))) {
            None => Ok(()),
            Some(read) => Err(format!("{} was read, {expected} is the list", read.short())),
        }
    })
    .where_marked(&["read"], 1)
}

/// Whoever is done has made so many calls.
pub fn calls_are(name: &'static str, expected: impl Fn(&View<'_>) -> usize + Send + Sync + 'static) -> Property {
    Property::always(name, "semantics §6.6", move |view| {
        let (table, expected) = (hash_table(view), expected(view));
        for client in view.clients().filter(|c| c.is_over()) {
            let calls = table.calls(client.slot());
            if calls != expected {
                return Err(format!("{} has made {calls} calls, not {expected}", client.name()));
            }
        }
        Ok(())
    })
}

/// One call for the group, and one for each node that owns a key of it.
pub fn one_call_a_node(group: &'static str) -> Property {
    calls_are("calls are 1 + distinct owners", move |view| {
        let (table, ring) = (hash_table(view), hash_table(view).ring_version());
        let owners: BTreeSet<_> = keys_of(view, group).iter().map(|key| table.owner(ring, key)).collect();
        1 + owners.len()
    })
}

/// What the posts say: (N modulus M) + 1, with N keys on M nodes.
pub fn calls_by_the_posts(group: &'static str) -> Property {
    calls_are("calls are (N mod M) + 1", move |view| keys_of(view, group).len() % hash_table(view).nodes().len() + 1)
}

/// With short names.
pub fn shown(key: &str) -> String {
    overtake_sim::names::Text::new(key).short()
}

fn listed(keys: &[String]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| shown(key)).collect();
    format!("[{}]", keys.join(", "))
}
