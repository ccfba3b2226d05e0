//! Calls that look as if each took effect at one moment.

use overtake_recipes::store::Value;
use overtake_sim::stores::inside;
use overtake_sim::world::View;

use super::Property;
use crate::linear::{Begin, check_calls};

type Items = &'static [(&'static str, &'static str)];
type Stored = Vec<(&'static str, overtake_sim::stores::Value)>;

/// What a person is told: the call that nothing explains, and all that could have been the case.
fn explained(view: &View<'_>, items: Items, documents: &Stored) -> Result<(), String> {
    let name = |slot: usize| view.client(slot).name().to_owned();
    let Some(argument) = check_calls(view.history(), &Begin { items, documents, name: &name }) else { return Ok(()) };
    let of = argument.key.unwrap_or_default();
    let needs = argument.needs.replacen("the object", &of, 1);
    let open = if argument.open.is_empty() { "" } else { ", whatever the open calls do" };
    // What may have been given as versions says nothing to a person.
    let known = |text: &String| text.split(" with a version of at least").next().unwrap_or_default().to_owned();
    let mut held: Vec<String> = argument.finals.iter().map(known).collect();
    if argument.more > 0 {
        held.push(format!("{} more, none of which helps", argument.more));
    }
    let (call, answer, held) = (argument.call, argument.answer, held.join(", or "));
    Err(format!(
        "no order explains the calls on {of}: {call} was answered {answer}, and for that {needs}{open}; but {held}"
    ))
}

/// The calls of all clients to the hash table, up to any moment, have an order that explains their answers, for each key. For worlds that
/// record calls; `initially` is what the table holds at first.
///
/// Source: Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", 1990.
pub fn calls_are_linearizable(initially: Items) -> Property {
    Property::always("calls are linearizable", "Herlihy and Wing 1990", move |view| {
        explained(view, initially, &Vec::new())
    })
}

/// The same for documents, each by its `_id`; `initially` is what the collections hold at first.
pub fn documents_are_linearizable(initially: Vec<(&'static str, Value)>) -> Property {
    let initially: Stored = initially.into_iter().map(|(name, document)| (name, inside(document))).collect();
    Property::always("calls are linearizable", "Herlihy and Wing 1990", move |view| explained(view, &[], &initially))
}
