//! How the properties of the reports look at a state.

use overtake_recipes::Value;
use overtake_sim::stores::outside;
use overtake_sim::world::{ClientView, View};

use crate::property::Property;

/// The documents of a collection, in the order of their making.
pub fn all(view: &View<'_>, collection: &str) -> Vec<Value> {
    let store = view.stores().documents.as_ref().expect("the world has a document store");
    store.all(collection).iter().cloned().map(outside).collect()
}

/// The document of that `_id`, [`Value::Null`] when there is none: its fields then read as 0 and empty.
pub fn one(view: &View<'_>, collection: &str, id: &str) -> Value {
    let store = view.stores().documents.as_ref().expect("the world has a document store");
    store.one(collection, "_id", id).cloned().map(outside).unwrap_or_default()
}

/// The data under a key, [`Value::Null`] when there is none.
pub fn data(view: &View<'_>, key: &str) -> Value {
    let table = view.stores().dht.as_ref().expect("the world has a hash table");
    table.value(key).unwrap_or_default()
}

/// Those who carry the mark.
pub fn who<'a>(view: &View<'a>, mark: &'static str) -> impl Iterator<Item = ClientView<'a>> + use<'a> {
    view.clients().filter(move |client| client.is_marked(mark))
}

/// How many carry the mark.
pub fn marked(view: &View<'_>, mark: &'static str) -> i64 {
    who(view, mark).count() as i64
}

/// What the client shows under a mark.
pub fn shown(client: &ClientView<'_>, mark: &str) -> Option<String> {
    client.mark(mark).flatten().map(|text| text.full())
}

/// The sum of a field over documents.
pub fn sum(documents: &[Value], field: &str) -> i64 {
    documents.iter().map(|document| document.int(field)).sum()
}

/// The numbers of a list.
pub fn numbers(document: &Value, field: &str) -> Vec<i64> {
    document.at(field).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_int).collect()
}

/// Kept, or violated for the reason.
pub fn kept(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// At most so many clients carry the mark, which reads as what they do.
pub fn at_most(most: usize, mark: &'static [&'static str; 1], name: &'static str, source: &'static str) -> Property {
    Property::always(name, source, move |view| {
        let them: Vec<String> = who(view, mark[0]).map(|client| format!("{} {}", client.name(), mark[0])).collect();
        kept(them.len() <= most, || them.join(", and "))
    })
    .where_marked(mark, most + 1)
}

/// At rest, each element that somebody was told is in the list (the value of the mark `added`) is in it. Source: the ledger of
/// acknowledged changes: an acknowledged write is in the final value.
pub fn what_was_added_is_there(
    source: &'static str,
    list: impl Fn(&View<'_>) -> Value + Send + Sync + 'static,
) -> Property {
    Property::at_rest("what was added is there", source, move |view| {
        let list = list(view);
        let there = list.strings();
        for client in who(view, "added") {
            let added = shown(&client, "added").unwrap_or_default();
            for element in added.split(' ') {
                kept(there.iter().any(|e| e == element), || {
                    format!("{} was told that it has added {element}, and the list is {list}", client.name())
                })?;
            }
        }
        Ok(())
    })
}
