//! Whether the hash table looks like one copy of each key that serves one call at a time.

use overtake_recipes::store::dht::{Request, Updated};
use overtake_recipes::store::{Texts, Value};
use overtake_sim::names::Text;
use overtake_sim::stores::{Answer, Call, dht};
use overtake_sim::world::{Interval, intervals};

use super::Property;
use crate::linear::{Model, check_text};

/// At rest, the calls to the hash table and their answers are linearizable key by key, versions included. The scenario has
/// to keep them (`.records_calls()`); `initially` says what keys hold at first.
///
/// Source: Herlihy and Wing, "Linearizability", 1990.
pub fn linearizable(initially: &'static [(&'static str, &'static str)]) -> Property {
    Property::at_rest("the table is linearizable", "Herlihy and Wing 1990", move |view| {
        let history = text(&intervals(view.history()), initially);
        if !history.contains(" call ") {
            return Ok(());
        }
        match check_text(&history, Model::Kv) {
            Ok(verdict) => match verdict.violation {
                None => Ok(()),
                Some(argument) => Err(argument.to_string()),
            },
            Err(malformed) => Err(format!("the history cannot be judged: {}", malformed.what)),
        }
    })
}

fn word(value: &Value<Text>) -> String {
    let word = value.clone().map(&mut |text: Text| text.short()).to_string();
    word.replace(char::is_whitespace, "")
}

/// The call as a history has it; `None` for one that no register offers.
fn call(request: &dht::Request) -> Option<String> {
    Some(match request {
        Request::Set(_, key, data, _) => format!("write {} {}", key.short(), word(data)),
        Request::Put(_, key, data, _) => format!("put {} {}", key.short(), word(data)),
        Request::Get(_, key) => format!("read {}", key.short()),
        Request::Del(_, key) => format!("delete {}", key.short()),
        Request::Update(_, key, data, version, _) => format!("update {} {} {}", key.short(), word(data), version.0),
        _ => return None,
    })
}

fn answer(answer: &dht::Response) -> String {
    match answer {
        dht::Response::Was(true) => "yes".into(),
        dht::Response::Was(false) => "no".into(),
        dht::Response::Item(None) => "nil".into(),
        dht::Response::Item(Some(item)) => format!("{} @{}", word(&item.data), item.version.0),
        dht::Response::Updated(Updated::Stored) => "stored".into(),
        dht::Response::Updated(Updated::Moved) => "moved".into(),
        dht::Response::Updated(Updated::Absent) => "absent".into(),
        _ => "ok".into(),
    }
}

/// The history in the format of [`crate::linear`]: each call is a process of its own, so that real time alone orders them.
fn text(intervals: &[Interval], initially: &[(&str, &str)]) -> String {
    let mut events: Vec<(usize, String)> = Vec::new();
    for (number, interval) in intervals.iter().enumerate() {
        let Call::Dht(request) = &interval.call else { continue };
        let Some(called) = call(request) else { continue };
        let process = format!("{}.{number}", interval.slot + 1);
        events.push((interval.from, format!("{process} call {called}")));
        let Some((at, result)) = &interval.answer else { continue };
        let returned = match result {
            Ok(Answer::Dht(response)) => answer(response),
            // Nothing was done.
            Err(overtake_recipes::StoreError::Unavailable) => "failed".into(),
            _ => "unknown".into(),
        };
        events.push((*at, format!("{process} return {returned}")));
    }
    events.sort_by_key(|(at, _)| *at);
    let first = initially.iter().map(|(key, value)| format!("initially {key} {value}"));
    first.chain(events.into_iter().map(|(_, event)| event)).collect::<Vec<_>>().join("\n")
}
