//! Histories of worlds: what clients called and were answered, as registers with versions by key, and as documents by `_id`.

use std::collections::BTreeMap;

use overtake_recipes::StoreError;
use overtake_recipes::store::dht::{Request, Response, Updated};
use overtake_recipes::store::{Texts, Version};
use overtake_sim::names::Text;
use overtake_sim::stores::{Answer, Call, Value};
use overtake_sim::world::{Interval, Recorded, intervals};

use super::document::{self, Document};
use super::history::{History, Operation};
use super::register::Register;
use super::spec::{Spec, Word};
use super::{Argument, MOST, Outcome, argument};

/// What the moments of such a history count.
pub(super) const EVENT: &str = "event";

/// What the stores hold at first, and what the clients are called.
pub struct Begin<'a> {
    /// Items of the hash table.
    pub items: &'a [(&'static str, &'static str)],
    /// Documents, with their collections.
    pub documents: &'a [(&'static str, Value)],
    /// The name of the client at a slot.
    pub name: &'a dyn Fn(usize) -> String,
}

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

/// A call on one key, and its answer where there is one that is certain.
type One = (Text, Vec<Word>, Option<Vec<Word>>);

/// # Panics
/// When the call is of no key.
fn of_one(request: &Request<Text>, answer: Option<&Response<Text>>) -> Vec<One> {
    let was = || match answer {
        Some(Response::Was(was)) => Some(words([if *was { "yes" } else { "no" }])),
        _ => None,
    };
    let read = || if let Some(Response::Item(found)) = answer { Some(item(found.as_ref())) } else { None };
    let one = |key: &Text, call: Vec<Word>, answer: Option<Vec<Word>>| vec![(*key, call, answer)];
    match request {
        Request::Set(_, key, data, _) => one(key, vec!["write".into(), word(data)], answer.map(|_| words(["ok"]))),
        Request::Put(_, key, data, _) => one(key, vec!["put".into(), word(data)], was()),
        Request::Replace(_, key, data, _) => one(key, vec!["replace".into(), word(data)], was()),
        Request::Append(_, key, data) => one(key, vec!["append".into(), word(data)], was()),
        Request::Prepend(_, key, data) => one(key, vec!["prepend".into(), word(data)], was()),
        Request::Touch(_, key, _) => one(key, words(["touch"]), was()),
        Request::Del(_, key) => one(key, words(["delete"]), was()),
        Request::DelIf(_, key, version) => one(key, vec!["delete".into(), at(*version)], was()),
        Request::Get(_, key) | Request::GetAndTouch(_, key, _) => one(key, words(["read"]), read()),
        Request::Increment(_, key, by) => {
            let number = match answer {
                Some(Response::Number(number)) => Some(number.map_or("nil".into(), |number| number.to_string().into())),
                _ => None,
            };
            one(key, vec!["add".into(), by.to_string().into()], number.map(|number| vec![number]))
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
            one(key, vec!["update".into(), word(data), at(*version)], updated)
        }
        Request::Flush(_) => panic!("a flush is of no key, so keys cannot be looked at one by one"),
    }
}

/// The histories by object.
struct Histories<'a> {
    begin: &'a Begin<'a>,
    by_key: BTreeMap<String, History<Register>>,
    by_document: BTreeMap<String, History<Document>>,
}

impl Histories<'_> {
    fn operation<O, A>(&self, interval: &Interval, op: O, answer: Option<A>, answer_text: String) -> Operation<O, A> {
        let returned = interval.answer.as_ref().map(|(at, _)| at + 1).filter(|_| answer.is_some());
        Operation {
            process: (self.begin.name)(interval.slot.into()).into(),
            called: interval.from + 1,
            returned,
            answer,
            op,
            call_text: interval.call.to_string(),
            answer_text,
        }
    }

    fn item(&mut self, interval: &Interval, request: &Request<Text>, answer: Option<&Response<Text>>) {
        let spec = Register::with_versions();
        let several = matches!(request, Request::GetMany(..));
        for (key, call, told) in of_one(request, answer) {
            let op = spec.call(&call).expect("a call of the model");
            // Of a batch, what was found under this key.
            let text = match (&told, answer) {
                (Some(told), _) if several => told.join(" "),
                (_, answer) => answer.map_or_else(String::new, ToString::to_string),
            };
            let told = told.map(|told| spec.answer(&op, &told).expect("an answer of the model"));
            let operation = self.operation(interval, op, told, text);
            let items = self.begin.items;
            let history = self.by_key.entry(key.full()).or_insert_with(|| {
                let begin = items.iter().find(|(name, _)| *name == key.full());
                let begin: Vec<Word> = begin.map(|(_, value)| (*value).into()).into_iter().collect();
                History { initial: spec.initially(&begin).expect("one value"), operations: Vec::new(), unit: EVENT }
            });
            history.operations.push(operation);
        }
    }

    fn document(&mut self, interval: &Interval, request: &document::Request) {
        let Some(id) = document::id(request) else { return };
        let (told, text) = match &interval.answer {
            Some((_, Ok(Answer::Documents(response)))) => {
                (Some(document::Told::Is(response.clone())), Answer::Documents(response.clone()).to_string())
            }
            Some((_, Err(error @ StoreError::DuplicateKey))) => (Some(document::Told::Duplicate), error.to_string()),
            _ => (None, String::new()),
        };
        let operation = self.operation(interval, request.op.clone(), told, text);
        let documents = self.begin.documents;
        let history = self.by_document.entry(format!("{} {}", request.collection, word(&id))).or_insert_with(|| {
            let is = |(collection, document): &&(&str, Value)| {
                *collection == request.collection && document.at("_id") == Some(&id)
            };
            let initial = documents.iter().find(is).map(|(_, document)| document.clone());
            History { initial, operations: Vec::new(), unit: EVENT }
        });
        history.operations.push(operation);
    }
}

/// Calls of one client that read the same are told apart.
fn number_what_reads_the_same<S: Spec>(history: &mut History<S>) {
    const NTH: [&str; 4] = ["", "second ", "third ", "fourth "];
    let texts: Vec<(Word, String)> =
        history.operations.iter().map(|operation| (operation.process.clone(), operation.call_text.clone())).collect();
    for (i, operation) in history.operations.iter_mut().enumerate() {
        let before = texts[..i].iter().filter(|text| **text == texts[i]).count();
        let nth = NTH.get(before).map_or_else(|| format!("{}th ", before + 1), |nth| (*nth).to_owned());
        operation.call_text = format!("{nth}{}", operation.call_text);
    }
}

fn violation<S: Spec>(spec: &S, of: &str, mut history: History<S>) -> Option<Argument> {
    number_what_reads_the_same(&mut history);
    match argument::check(spec, &history, Some(of), MOST).outcome {
        Outcome::Violated(argument) => Some(*argument),
        Outcome::Holds => None,
        Outcome::Undecided => panic!("the history of {of} is too large to be judged"),
    }
}

/// Why the calls to the hash table and to the document store are not linearizable, key by key and document by document; `None` when
/// they are. Items that go by themselves (expired, evicted) are no part of the model. Of the documents, calls count that name an `_id`; reads
/// that name none are left out.
///
/// # Panics
/// When a document is written in a way that the model does not have: without its `_id`, with many others, in a transaction, under a number
/// by which it is known again.
pub fn check_calls(history: &[Recorded], begin: &Begin<'_>) -> Option<Argument> {
    let mut histories = Histories { begin, by_key: BTreeMap::new(), by_document: BTreeMap::new() };
    for interval in intervals(history) {
        match (&interval.call, &interval.answer) {
            // Nothing was done.
            (_, Some((_, Err(StoreError::Unavailable)))) => {}
            (Call::Dht(request), Some((_, Ok(Answer::Dht(response))))) => {
                histories.item(&interval, request, Some(response));
            }
            (Call::Dht(request), _) => histories.item(&interval, request, None),
            (Call::Documents(request), _) => histories.document(&interval, request),
            (Call::Messages(_) | Call::Search(_), _) => {}
        }
    }
    let Histories { by_key, by_document, .. } = histories;
    let spec = Register::with_versions();
    by_key
        .into_iter()
        .find_map(|(key, history)| violation(&spec, &key, history))
        .or_else(|| by_document.into_iter().find_map(|(id, history)| violation(&Document, &id, history)))
}
