//! Histories of worlds: what clients called at a hash table and were answered, as registers with versions by key.

use std::collections::BTreeMap;

use overtake_recipes::StoreError;
use overtake_recipes::store::dht::{Request, Response, Updated};
use overtake_recipes::store::{Texts, Version};
use overtake_sim::names::Text;
use overtake_sim::stores::{Answer, Call, Value};
use overtake_sim::world::{Recorded, intervals};

use super::history::{History, Operation};
use super::register::Register;
use super::spec::{Spec, Word};
use super::{Argument, MOST, Outcome, argument};

/// Words of calls and answers. A value is one word, whatever is in it.
fn word(value: &Value) -> Word {
    value.clone().map(&mut |text: Text| text.short()).to_string().into()
}

fn at(version: Version) -> Word {
    format!("@{}", version.0).into()
}

fn words<const N: usize>(words: [&str; N]) -> Vec<Word> {
    words.map(Word::from).to_vec()
}

fn item(item: Option<&overtake_recipes::store::Item<Text>>) -> Vec<Word> {
    item.map_or_else(|| words(["nil"]), |item| vec![word(&item.data), at(item.version)])
}

/// A call on one key, and its answer where there is one that is certain; `None` for one that had no effect.
type One = (Text, Vec<Word>, Option<Vec<Word>>);

/// # Panics
/// When the call is none of those that registers have.
fn of_one(request: &Request<Text>, answer: Option<&Response<Text>>) -> Vec<One> {
    let yes_or_no = |was: bool| words([if was { "yes" } else { "no" }]);
    let was = || match answer {
        Some(Response::Was(was)) => Some(yes_or_no(*was)),
        _ => None,
    };
    match request {
        Request::Set(_, key, data, _) => {
            vec![(*key, vec!["write".into(), word(data)], answer.map(|_| words(["ok"])))]
        }
        Request::Put(_, key, data, _) => vec![(*key, vec!["put".into(), word(data)], was())],
        Request::Del(_, key) => vec![(*key, words(["delete"]), was())],
        Request::Get(_, key) => {
            let read = if let Some(Response::Item(found)) = answer { Some(item(found.as_ref())) } else { None };
            vec![(*key, words(["read"]), read)]
        }
        Request::GetMany(_, keys) => {
            let found = if let Some(Response::Items(items)) = answer { items.as_slice() } else { &[] };
            let read = |(at, key): (usize, &Text)| (*key, words(["read"]), found.get(at).map(|f| item(f.as_ref())));
            keys.iter().enumerate().map(read).collect()
        }
        Request::Update(_, key, data, version, _) => {
            let updated = match answer {
                Some(Response::Updated(Updated::Stored)) => Some(words(["stored"])),
                Some(Response::Updated(Updated::Moved)) => Some(words(["moved"])),
                Some(Response::Updated(Updated::Absent)) => Some(words(["absent"])),
                _ => None,
            };
            vec![(*key, vec!["update".into(), word(data), at(*version)], updated)]
        }
        other => {
            panic!("a register with versions has no such call: {other}", other = other.clone().map(&mut |t| t.full()))
        }
    }
}

/// Why the calls to the hash table are not linearizable, key by key; `None` when they are. `initially` is what the table holds at first.
/// Items that go by themselves (expired, evicted) are no part of the model.
pub fn check_calls(history: &[Recorded], initially: &[(&str, &str)]) -> Option<Argument> {
    let spec = Register::with_versions();
    let mut by_key: BTreeMap<String, History<Register>> = BTreeMap::new();
    for interval in intervals(history) {
        let Call::Dht(request) = &interval.call else { continue };
        let (returned, answer) = match &interval.answer {
            // Nothing was done.
            Some((_, Err(StoreError::Unavailable))) => continue,
            Some((at, Ok(Answer::Dht(response)))) => (Some(at + 1), Some(response)),
            _ => (None, None),
        };
        for (key, call, answer) in of_one(request, answer) {
            let history = by_key.entry(key.full()).or_insert_with(|| {
                let begin = initially.iter().find(|(name, _)| *name == key.full());
                let begin: Vec<Word> = begin.map(|(_, value)| (*value).into()).into_iter().collect();
                let initial = spec.initially(&begin).expect("one value");
                History { initial, operations: Vec::new(), unit: "event" }
            });
            let op = spec.call(&call).expect("a call of the model");
            let text = |words: &[Word]| words.join(" ");
            history.operations.push(Operation {
                process: format!("client {}", interval.slot + 1).into(),
                called: interval.from + 1,
                returned: returned.filter(|_| answer.is_some()),
                answer: answer.as_ref().map(|answer| spec.answer(&op, answer).expect("an answer of the model")),
                op,
                call_text: text(&call),
                answer_text: answer.as_deref().map_or(String::new(), text),
            });
        }
    }
    let violation = |(key, history): (&String, &History<Register>)| match argument::check(
        &spec,
        history,
        Some(key),
        MOST,
    )
    .outcome
    {
        Outcome::Violated(argument) => Some(*argument),
        Outcome::Holds => None,
        Outcome::Undecided => panic!("the history of {key} is too large to be judged"),
    };
    by_key.iter().find_map(violation)
}
