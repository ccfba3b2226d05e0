//! Calls that look as if each took effect at one moment.

use super::Property;
use crate::linear::check_calls;

/// The calls of all clients to the hash table, up to any moment, have an order that explains their answers, for each key. For worlds that
/// record calls; `initially` is what the table holds at first.
///
/// Source: Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", 1990.
pub fn calls_are_linearizable(initially: &'static [(&'static str, &'static str)]) -> Property {
    Property::always("calls are linearizable", "Herlihy and Wing 1990", move |view| {
        match check_calls(view.history(), initially) {
            None => Ok(()),
            Some(argument) => {
                let key = argument.key.unwrap_or_default();
                let open = if argument.open.is_empty() { "" } else { ", whatever the open calls do" };
                Err(format!(
                    "no order explains the calls on {key}: {} was answered {}, and for that {}{open}",
                    argument.call, argument.answer, argument.needs
                ))
            }
        }
    })
}
