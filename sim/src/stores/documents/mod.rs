//! A document store with MongoDB's semantics (`semantics` §7): a write to one document is atomic, one to many is not, and an upsert
//! without a unique index looks first and inserts in a second step.
//!
//! A step of a call looks at the newest documents and writes at once, so a filter is always judged against what is changed. That is
//! nearly what the server's re-evaluation comes to (§7.1). Not quite: a server whose candidate no longer matches goes on behind it,
//! so it may miss a document before it that has come to match since, and match none although one did at every moment.
//! [`Documents::looks_first`] takes the two steps apart and has these outcomes too.

mod change;
mod filter;
mod many;
mod one;
mod replica;
mod service;
mod transactions;
mod upsert;

use std::collections::BTreeMap;

use overtake_recipes::StoreError;
use overtake_recipes::store::documents as wire;

use self::replica::Replica;
use self::transactions::Transaction;
use super::Value;
use super::value::inside;
use crate::names::{Text, Who};

pub use self::change::{Change, NOW};
pub use self::filter::{Filter, matches};

/// A request.
pub type Request = wire::Request<Text>;
/// A response.
pub type Response = wire::Response<Text>;

/// A unique index. `_id` always has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Index {
    collection: &'static str,
    fields: Vec<&'static str>,
}

impl Index {
    /// What must be unique: the values of the fields; what is missing counts as null.
    fn key(&self, document: &Value) -> Vec<Value> {
        self.fields.iter().map(|field| change::at(document, field).cloned().unwrap_or(Value::Null)).collect()
    }
}

/// What stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Settings {
    unique: Vec<Index>,
    clock_runs: bool,
    looks_first: bool,
    compares_in_two_steps: bool,
    increments_in_two_steps: bool,
    forgets_operations: bool,
    majority: bool,
}

/// Documents in the order of their making, and the number that is drawn next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Collection {
    documents: Vec<Value>,
    next: i64,
}

/// A document as it is from now on; `None`: it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Write {
    collection: &'static str,
    id: Value,
    new: Option<Value>,
}

/// A write that was answered, to be known again (§7.4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Answered {
    caller: Who,
    operation: u32,
    response: Response,
}

/// All that is committed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Data {
    collections: BTreeMap<&'static str, Collection>,
    answered: Vec<Answered>,
    /// Transactions with writes that were committed, to be known again.
    committed: Vec<(Who, u8)>,
}

impl Data {
    fn documents(&self, collection: &str) -> &[Value] {
        self.collections.get(collection).map_or(&[], |collection| &collection.documents)
    }

    fn get(&self, collection: &str, id: &Value) -> Option<&Value> {
        self.documents(collection).iter().find(|document| document.at("_id") == Some(id))
    }

    fn apply(&mut self, write: &Write) {
        let documents = &mut self.collections.entry(write.collection).or_default().documents;
        let at = documents.iter().position(|document| document.at("_id") == Some(&write.id));
        match (at, &write.new) {
            (Some(at), Some(new)) => documents[at] = new.clone(),
            (Some(at), None) => drop(documents.remove(at)),
            (None, Some(new)) => documents.push(new.clone()),
            (None, None) => {}
        }
    }
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Progress {
    /// In which life of the server.
    life: u8,
    at: At,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum At {
    /// The transaction has fixed what it sees; the call waits for a row before it does anything.
    Begun,
    /// The upsert has looked and found nothing.
    Absent,
    /// The look has found that one, behind those that have been passed.
    Found(Value, Vec<Value>),
    /// That one is compared; it is written whatever comes in between. The changes with their sums computed.
    Compared(Value, Option<Vec<Change>>),
    /// Some of many are done; those that have been passed are not looked at again.
    Many { passed: Vec<Value>, matched: u32, modified: u32 },
    /// All is done; the answer waits until the replica has that many entries.
    Replicating(u32, Result<Response, StoreError>),
}

/// What may happen inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    /// The replica applies the oldest write that it lacks.
    Replicate,
    /// The server stops, and starts again or is followed by its replica.
    Stop,
    /// The server aborts a transaction whose process is dead.
    AbortOrphan(Who, u8),
}

/// What a write does to one document.
enum What<'a> {
    Change(&'a [Change]),
    Replace(&'a Value),
}

/// Why a step does not go through.
enum Halt {
    /// Another transaction holds the document.
    Waits((Who, u8)),
    /// A unique index holds the values already.
    Clash,
    /// Anything else.
    Error(StoreError),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

/// What becomes of a step.
enum Step {
    Done(Response),
    Going(At),
}

/// The store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Documents {
    settings: Settings,
    data: Data,
    /// Those that are open, in the order of their beginning.
    open: Vec<Transaction>,
    /// Those without writes that were committed. They are kept nowhere else, so the next life does not know them.
    read_only: Vec<(Who, u8)>,
    replica: Option<Replica>,
    /// How often `$currentDate` was written, where the clock runs.
    ticks: i64,
    /// Which life of the server this is: calls do not go on in the next.
    life: u8,
}

impl Documents {
    /// A store without documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// A document that is there from the start.
    #[must_use]
    pub fn with(mut self, collection: &'static str, document: overtake_recipes::store::Value) -> Self {
        let document = self.identified(collection, inside(document));
        let id = document.at("_id").expect("it has one").clone();
        let write = Write { collection, id, new: Some(document) };
        self.data.apply(&write);
        if let Some(replica) = &mut self.replica {
            replica.data.apply(&write);
        }
        self
    }

    /// A unique index on these fields.
    #[must_use]
    pub fn unique(mut self, collection: &'static str, fields: &[&'static str]) -> Self {
        self.settings.unique.push(Index { collection, fields: fields.to_vec() });
        self
    }

    /// `$currentDate` writes another moment each time, instead of always [`NOW`].
    #[must_use]
    pub fn clock_runs(mut self) -> Self {
        self.settings.clock_runs = true;
        self
    }

    /// Writes to one document find it in one step and change it in another, in which the filter is judged again (§7.1). So do
    /// those of transactions that read what is committed by now; a snapshot does not change in between.
    #[must_use]
    pub fn looks_first(mut self) -> Self {
        self.settings.looks_first = true;
        self
    }

    /// On purpose wrong: the filter of a write to one document is judged in one step, and the write follows in another.
    #[must_use]
    pub fn compares_in_two_steps(mut self) -> Self {
        self.settings.compares_in_two_steps = true;
        self
    }

    /// On purpose wrong: `$inc` reads in one step and writes the sum in another.
    #[must_use]
    pub fn increments_in_two_steps(mut self) -> Self {
        self.settings.increments_in_two_steps = true;
        self
    }

    /// Numbers of operations mean nothing: a write that is sent again takes effect again (a single server, §7.4).
    #[must_use]
    pub fn without_retryable_writes(mut self) -> Self {
        self.settings.forgets_operations = true;
        self
    }

    /// A replica that applies the writes one by one, some time later. Reads may go there, and it takes over when the server stops.
    #[must_use]
    pub fn with_replica(mut self) -> Self {
        self.replica = Some(Replica { data: self.data.clone(), ..Replica::default() });
        self
    }

    /// Writes are answered once the replica has all that is written by then, and reads outside of transactions see only what it
    /// has: nothing of that is ever rolled back. A write without effect, one that fails, and one that is sent again wait as well,
    /// since what they are answered tells of writes before them.
    #[must_use]
    pub fn majority(mut self) -> Self {
        self.settings.majority = true;
        self
    }

    /// The documents of a collection that are committed, in the order of their making.
    pub fn all(&self, collection: &str) -> &[Value] {
        self.data.documents(collection)
    }

    /// The collections, with the documents that are committed.
    pub fn collections(&self) -> impl Iterator<Item = (&'static str, &[Value])> {
        self.data.collections.iter().map(|(name, collection)| (*name, collection.documents.as_slice()))
    }

    /// The first document whose field holds that text.
    pub fn one(&self, collection: &str, field: &str, text: &str) -> Option<&Value> {
        let text = Text::new(text);
        self.all(collection).iter().find(|document| document.at(field).and_then(Value::as_text) == Some(&text))
    }

    /// The documents as the replica has them.
    pub fn at_replica(&self, collection: &str) -> &[Value] {
        self.replica.as_ref().map_or(&[], |replica| replica.data.documents(collection))
    }

    /// The transactions that are open, by client and number.
    pub fn transactions(&self) -> impl Iterator<Item = (Who, u8)> + '_ {
        self.open.iter().map(|transaction| (transaction.caller, transaction.number))
    }

    /// The transaction for which the call would wait now.
    pub fn blocked_by(&self, caller: Who, request: &Request) -> Option<(Who, u8)> {
        match self.clone().step(caller, request, None) {
            Err(Halt::Waits(holder)) => Some(holder),
            _ => None,
        }
    }

    /// The process of that client is dead: the server will abort its transactions some time.
    pub fn died(&mut self, caller: Who) {
        self.open.iter_mut().filter(|open| open.caller == caller).for_each(|open| open.orphan = true);
    }

    /// The document with an `_id`, drawn if it has none.
    fn identified(&mut self, collection: &'static str, document: Value) -> Value {
        let Value::Doc(mut doc) = document else { return document };
        if !doc.contains_key("_id") {
            let taken = |id: &Value| {
                let mine = self.data.get(collection, id).is_some();
                mine || self.open.iter().any(|open| open.written(collection, id).is_some())
            };
            let next = self.data.collections.get(collection).map_or(0, |collection| collection.next);
            let id = (next + 1..).find(|id| !taken(&Value::Int(*id))).expect("a number is free");
            self.data.collections.entry(collection).or_default().next = id;
            doc.insert("_id".into(), Value::Int(id));
        }
        Value::Doc(doc)
    }

    /// The server's clock.
    fn now(&self) -> i64 {
        NOW + self.ticks
    }

    /// The clock runs on when it was written down.
    fn tick(&mut self, op: &wire::Op<Text>) {
        use wire::Op::{FindAndModify, UpdateMany, UpdateOne};
        let (UpdateOne(_, changes, _) | UpdateMany(_, changes) | FindAndModify(_, _, changes, ..)) = op else { return };
        let written = changes.iter().any(|change| matches!(change, Change::CurrentDate(_)));
        self.ticks += i64::from(written && self.settings.clock_runs);
    }

    fn index_of_ids(collection: &'static str) -> Index {
        Index { collection, fields: vec!["_id"] }
    }

    /// The unique indexes of a collection.
    fn indexes(&self, collection: &'static str) -> Vec<Index> {
        let declared = self.settings.unique.iter().filter(|index| index.collection == collection).cloned();
        std::iter::once(Self::index_of_ids(collection)).chain(declared).collect()
    }
}
