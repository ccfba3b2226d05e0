//! Transactions: what they see, what they lock, and how they end.

use overtake_recipes::StoreError;
use overtake_recipes::store::Isolation;

use super::filter::matches;
use super::replica::Entry;
use super::{Data, Documents, Filter, Halt, Response, Step, Value, Write};
use crate::names::Who;

/// A row: a collection and an `_id`.
type Row = (&'static str, Value);

/// A transaction that is open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Transaction {
    pub caller: Who,
    pub number: u8,
    isolation: Isolation,
    /// Its process is dead.
    pub orphan: bool,
    /// What it sees: all that was committed at its first operation, unless it reads what is committed by now.
    pub snapshot: Option<Data>,
    /// Rows that others have changed since then.
    pub changed: Vec<Row>,
    /// What it has written, in the order of the first writes.
    pub writes: Vec<Write>,
    /// Rows that it has locked without writing them.
    pub locks: Vec<Row>,
    /// Serialisable: what it has looked for, and the documents that others have written since its beginning, as they were and are.
    pub looked: Vec<(&'static str, Filter)>,
    pub others: Vec<(&'static str, Value)>,
    /// Serialisable: something that it has looked for has changed.
    doomed: bool,
}

impl Transaction {
    /// What it has made of a row.
    pub fn written(&self, collection: &str, id: &Value) -> Option<&Write> {
        self.writes.iter().find(|write| write.collection == collection && write.id == *id)
    }

    fn locked(&self, collection: &str, id: &Value) -> bool {
        self.locks.iter().any(|(of, row)| *of == collection && row == id)
    }

    fn judge(&mut self) {
        let hit = |(of, filter): &(&'static str, Filter)| {
            self.others.iter().any(|(collection, document)| collection == of && matches(filter, document))
        };
        self.doomed |= self.looked.iter().any(hit);
        if self.doomed {
            self.looked.clear();
            self.others.clear();
        }
    }
}

fn add<T: PartialEq>(to: &mut Vec<T>, item: T) {
    if !to.contains(&item) {
        to.push(item);
    }
}

impl Documents {
    /// The place of an open transaction.
    pub(super) fn transaction(&self, caller: Who, number: u8) -> Option<usize> {
        self.open.iter().position(|open| open.caller == caller && open.number == number)
    }

    /// Begins a transaction. One that the client has left open under that number is aborted.
    pub(super) fn begin(&mut self, caller: Who, number: u8, isolation: Isolation) {
        self.abort(caller, number);
        self.forget_commit((caller, number));
        self.open.push(Transaction {
            caller,
            number,
            isolation,
            orphan: false,
            snapshot: None,
            changed: Vec::new(),
            writes: Vec::new(),
            locks: Vec::new(),
            looked: Vec::new(),
            others: Vec::new(),
            doomed: false,
        });
    }

    pub(super) fn abort(&mut self, caller: Who, number: u8) {
        self.open.retain(|open| (open.caller, open.number) != (caller, number));
    }

    /// Ends a transaction. A commit that is sent again is answered as the first time.
    pub(super) fn end(&mut self, caller: Who, number: u8) -> Result<Step, Halt> {
        let Some(at) = self.transaction(caller, number) else {
            let known = [&self.read_only, &self.data.committed].iter().any(|all| all.contains(&(caller, number)));
            return if known { Ok(Step::Done(Response::Done)) } else { Err(StoreError::NoTransaction.into()) };
        };
        if self.open[at].doomed {
            return Err(StoreError::WriteConflict.into());
        }
        let transaction = self.open.remove(at);
        if transaction.writes.is_empty() {
            self.read_only.push((caller, number));
        } else {
            self.commit(Entry { writes: transaction.writes, answered: None, committed: Some((caller, number)) });
        }
        Ok(Step::Done(Response::Done))
    }

    /// The documents of a collection that the transaction, or an operation outside of any, sees.
    pub(super) fn visible(&self, by: Option<usize>, collection: &str) -> Vec<Value> {
        let Some(open) = by.map(|at| &self.open[at]) else { return self.data.documents(collection).to_vec() };
        let mut seen = open.snapshot.as_ref().unwrap_or(&self.data).clone();
        open.writes.iter().for_each(|write| seen.apply(write));
        seen.documents(collection).to_vec()
    }

    /// Notes what a transaction looks for, and what it sees from now on.
    pub(super) fn looks(&mut self, by: Option<usize>, collection: &'static str, filter: &Filter) {
        let Some(open) = by.map(|at| &mut self.open[at]) else { return };
        if open.isolation != Isolation::ReadCommitted && open.snapshot.is_none() {
            open.snapshot = Some(Data { collections: self.data.collections.clone(), ..Data::default() });
        }
        if open.isolation == Isolation::Serialisable && !open.doomed {
            add(&mut open.looked, (collection, filter.clone()));
            open.judge();
        }
    }

    /// Whether a row may be written or locked: others hold it, or have changed it.
    pub(super) fn acquire(&self, by: Option<usize>, collection: &'static str, id: &Value) -> Result<(), Halt> {
        let mine = by.map(|at| &self.open[at]);
        for (_, other) in self.open.iter().enumerate().filter(|(at, _)| Some(*at) != by) {
            let holder = (other.caller, other.number);
            if other.written(collection, id).is_some() {
                return Err(self.held(by, holder));
            }
            if other.locked(collection, id) {
                return Err(Halt::Waits(holder));
            }
        }
        let changed = mine.is_some_and(|open| open.changed.iter().any(|(of, row)| *of == collection && row == id));
        if changed { Err(StoreError::WriteConflict.into()) } else { Ok(()) }
    }

    /// What a row means that another transaction has written: waiting for its end, or the end of this one (first writer wins).
    fn held(&self, by: Option<usize>, holder: (Who, u8)) -> Halt {
        match by.map(|at| self.open[at].isolation) {
            None | Some(Isolation::ReadCommitted) => Halt::Waits(holder),
            Some(Isolation::Snapshot | Isolation::Serialisable) => Halt::Error(StoreError::WriteConflict),
        }
    }

    pub(super) fn lock(&mut self, by: Option<usize>, collection: &'static str, id: &Value) -> Result<(), Halt> {
        let Some(at) = by else { return Ok(()) };
        self.acquire(by, collection, id)?;
        add(&mut self.open[at].locks, (collection, id.clone()));
        Ok(())
    }

    /// Whether the document may be made, or become so, for the unique indexes.
    pub(super) fn check_unique(
        &self,
        by: Option<usize>,
        collection: &'static str,
        document: &Value,
        inserting: bool,
    ) -> Result<(), Halt> {
        let id = document.at("_id");
        let seen = self.visible(by, collection);
        for index in self.indexes(collection) {
            let key = index.key(document);
            let same = |other: &&Value| (inserting || other.at("_id") != id) && index.key(other) == key;
            if seen.iter().any(|other| same(&other)) {
                // It may still be taken away by a transaction that is open.
                let clash = seen.iter().find(same).and_then(|other| other.at("_id")).expect("documents have an _id");
                self.acquire_other(by, collection, clash)?;
                return Err(Halt::Clash);
            }
            for (_, other) in self.open.iter().enumerate().filter(|(at, _)| Some(*at) != by) {
                let made = other.writes.iter().filter(|write| write.collection == collection);
                if made.filter_map(|write| write.new.as_ref()).any(|new| same(&new)) {
                    return Err(self.held(by, (other.caller, other.number)));
                }
            }
            // It is there, but not for this transaction: made after its beginning, or taken away by itself.
            let hidden = by.is_some_and(|at| {
                let open = &self.open[at];
                let committed = self.data.documents(collection).iter().filter(same);
                committed.filter_map(|other| other.at("_id")).any(|id| open.written(collection, id).is_none())
            });
            if hidden {
                return Err(StoreError::WriteConflict.into());
            }
        }
        Ok(())
    }

    /// Whether another open transaction has written the row.
    fn acquire_other(&self, by: Option<usize>, collection: &'static str, id: &Value) -> Result<(), Halt> {
        let others = self.open.iter().enumerate().filter(|(at, _)| Some(*at) != by);
        let mut holders = others.filter(|(_, other)| other.written(collection, id).is_some());
        match holders.next() {
            Some((_, other)) => Err(self.held(by, (other.caller, other.number))),
            None => Ok(()),
        }
    }

    /// Writes are committed: the other transactions are told, and the replica is sent them.
    pub(super) fn commit(&mut self, entry: Entry) {
        for write in &entry.writes {
            let old = self.data.get(write.collection, &write.id).cloned();
            for open in self.open.iter_mut().filter(|open| open.snapshot.is_some()) {
                add(&mut open.changed, (write.collection, write.id.clone()));
                if open.isolation == Isolation::Serialisable && !open.doomed {
                    for document in old.iter().chain(&write.new) {
                        add(&mut open.others, (write.collection, document.clone()));
                    }
                    open.judge();
                }
            }
        }
        self.data.take(&entry);
        if let Some(replica) = &mut self.replica {
            replica.log.push(entry);
            replica.written += u32::from(self.settings.majority);
        }
    }
}
