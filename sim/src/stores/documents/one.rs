//! Writes to one document.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Op, Returning, Sort, UpdateResult};

use super::change::{self, Change};
use super::filter::{matches, sort};
use super::replica::Entry;
use super::{Answered, At, Documents, Filter, Halt, Request, Response, Step, Value, What, Write, upsert};
use crate::names::Who;

/// A write to the first document that matches.
pub(super) struct One<'a> {
    pub filter: &'a Filter,
    pub sort: Option<&'a Sort>,
    pub what: What<'a>,
    pub upsert: bool,
    /// Answers the document (find and modify).
    pub returning: Option<Returning>,
}

impl<'a> One<'a> {
    /// The write that an operation is; `None` if it is another kind of operation.
    pub fn of(op: &'a Op<crate::names::Text>) -> Result<Option<Self>, StoreError> {
        let plain = |filter, what, upsert| Some(Self { filter, sort: None, what, upsert, returning: None });
        Ok(match op {
            Op::UpdateOne(filter, changes, upsert) => {
                change::check(changes)?;
                plain(filter, What::Change(changes), *upsert)
            }
            Op::Replace(filter, document, upsert) | Op::LegacyUpdate(filter, document, upsert) => {
                change::check_replacement(document)?;
                plain(filter, What::Replace(document), *upsert)
            }
            Op::FindAndModify(filter, sort, changes, returning, upsert) => {
                change::check(changes)?;
                let what = What::Change(changes);
                Some(Self { filter, sort: sort.as_ref(), what, upsert: *upsert, returning: Some(*returning) })
            }
            _ => None,
        })
    }

    fn answer(&self, before: Option<Value>, after: Option<Value>) -> Response {
        match self.returning {
            Some(Returning::Before) => Response::Document(before),
            Some(Returning::After) => Response::Document(after),
            None => {
                let modified = u32::from(before.is_some() && before != after);
                let inserted = after.filter(|_| before.is_none());
                let upserted = inserted.and_then(|document| document.at("_id").cloned());
                Response::Updated(UpdateResult { matched: u32::from(before.is_some()), modified, upserted })
            }
        }
    }
}

fn id_of(document: &Value) -> Value {
    document.at("_id").expect("documents have an _id").clone()
}

impl Documents {
    /// The first document that matches, in the order of their making or sorted.
    pub(super) fn first(
        &self,
        by: Option<usize>,
        collection: &'static str,
        filter: &Filter,
        order: Option<&Sort>,
    ) -> Option<Value> {
        let mut found = self.visible(by, collection);
        found.retain(|document| matches(filter, document));
        if let Some(order) = order {
            sort(&mut found, order);
        }
        found.into_iter().next()
    }

    /// The document of that `_id`.
    fn by_id(&self, by: Option<usize>, collection: &'static str, id: &Value) -> Option<Value> {
        self.visible(by, collection).into_iter().find(|document| document.at("_id") == Some(id))
    }

    /// One step of a write to one document.
    pub(super) fn write_one(
        &mut self,
        (caller, by): (Who, Option<usize>),
        request: &Request,
        one: &One<'_>,
        at: Option<&At>,
    ) -> Result<Step, Halt> {
        let collection = request.collection;
        self.looks(by, collection, one.filter);
        let document = match at {
            Some(At::Compared(id, changes)) => {
                let changes = changes.as_deref();
                return match self.by_id(by, collection, id) {
                    Some(old) => self.change((caller, by), request, one, old, changes),
                    None => Ok(Step::Done(one.answer(None, None))),
                };
            }
            Some(At::Absent) => None,
            Some(At::Found(id, passed)) => self.still_matching(by, collection, one, (id, passed)),
            _ => {
                let found = self.first(by, collection, one.filter, one.sort);
                match found.as_ref().map(|old| self.taken_apart(by, collection, one, old)).transpose()?.flatten() {
                    Some(step) => return Ok(Step::Going(step)),
                    None => found,
                }
            }
        };
        match document {
            Some(old) => self.change((caller, by), request, one, old, None),
            None if !one.upsert => Ok(Step::Done(one.answer(None, None))),
            None if !matches!(at, Some(At::Absent)) && self.inserts_later(by, collection, one) => {
                Ok(Step::Going(At::Absent))
            }
            None => self.make((caller, by), request, one),
        }
    }

    /// The document that was found if it still matches; otherwise the next behind it that does. With an order the command starts
    /// over (§7.1).
    fn still_matching(
        &self,
        by: Option<usize>,
        collection: &'static str,
        one: &One<'_>,
        (id, passed): (&Value, &[Value]),
    ) -> Option<Value> {
        if one.sort.is_some() {
            let found = self.by_id(by, collection, id).filter(|document| matches(one.filter, document));
            return found.or_else(|| self.first(by, collection, one.filter, one.sort));
        }
        // It stands first behind those that have been passed, unless it is gone.
        let ahead = self.visible(by, collection).into_iter().skip_while(|document| passed.contains(&id_of(document)));
        ahead.into_iter().find(|document| matches(one.filter, document))
    }

    /// The second step that the write to a document needs in this store.
    fn taken_apart(
        &self,
        by: Option<usize>,
        collection: &'static str,
        one: &One<'_>,
        old: &Value,
    ) -> Result<Option<At>, Halt> {
        let settings = &self.settings;
        let sums = match one.what {
            What::Change(changes) if settings.increments_in_two_steps => sums(changes, old)?,
            _ => None,
        };
        if by.is_none() && (sums.is_some() || settings.compares_in_two_steps) {
            return Ok(Some(At::Compared(id_of(old), sums)));
        }
        if !settings.looks_first || !self.sees_the_newest(by) {
            return Ok(None);
        }
        let id = id_of(old);
        let before = self.visible(by, collection).into_iter().map(|document| id_of(&document));
        let passed = if one.sort.is_some() { Vec::new() } else { before.take_while(|other| *other != id).collect() };
        Ok(Some(At::Found(id, passed)))
    }

    /// Whether what is committed between two steps is seen by the second: outside of transactions, and without a snapshot.
    fn sees_the_newest(&self, by: Option<usize>) -> bool {
        by.is_none_or(|at| self.open[at].snapshot.is_none())
    }

    /// Whether an upsert that has found nothing inserts in a second step. With a unique index on what it looks for, the clash makes
    /// the server start over, which is as if all were one step; a snapshot does not change in between.
    fn inserts_later(&self, by: Option<usize>, collection: &'static str, one: &One<'_>) -> bool {
        let guarded = self.indexes(collection).iter().any(|index| upsert::starts_over(index, one.filter, &one.what));
        !guarded && self.sees_the_newest(by)
    }

    fn change(
        &mut self,
        me: (Who, Option<usize>),
        request: &Request,
        one: &One<'_>,
        old: Value,
        sums: Option<&[Change]>,
    ) -> Result<Step, Halt> {
        let new = match (&one.what, sums) {
            (What::Change(changes), sums) => change::apply(&old, sums.unwrap_or(changes), false, self.now())?,
            (What::Replace(by), _) => change::replace(&old, by)?,
        };
        let answer = one.answer(Some(old.clone()), Some(new.clone()));
        self.put(me, request, id_of(&old), Some(&old), Some(new), answer)
    }

    fn make(&mut self, me: (Who, Option<usize>), request: &Request, one: &One<'_>) -> Result<Step, Halt> {
        let document = upsert::document(one.filter, &one.what, self.now())?;
        let document = self.identified(request.collection, document);
        self.check_unique(me.1, request.collection, &document, true)?;
        let answer = one.answer(None, Some(document.clone()));
        self.put(me, request, id_of(&document), None, Some(document), answer)
    }

    /// Makes a document.
    pub(super) fn insert(&mut self, me: (Who, Option<usize>), request: &Request, new: &Value) -> Result<Step, Halt> {
        change::check_replacement(new)?;
        self.looks(me.1, request.collection, &Filter::In("_id".into(), Vec::new()));
        let document = self.identified(request.collection, new.clone());
        self.check_unique(me.1, request.collection, &document, true)?;
        let id = id_of(&document);
        self.put(me, request, id.clone(), None, Some(document), Response::Inserted(id))
    }

    /// Takes the first document away that matches.
    pub(super) fn delete_one(
        &mut self,
        me: (Who, Option<usize>),
        request: &Request,
        (filter, order): (&Filter, Option<&Sort>),
        at: Option<&At>,
    ) -> Result<Step, Halt> {
        let (by, collection) = (me.1, request.collection);
        self.looks(by, collection, filter);
        let answered = matches!(request.op, Op::FindAndDelete(..));
        let what = What::Change(&[]);
        let one = One { filter, sort: order, what, upsert: false, returning: None };
        let old = match at {
            Some(At::Compared(id, _)) => self.by_id(by, collection, id),
            Some(At::Found(id, passed)) => self.still_matching(by, collection, &one, (id, passed)),
            _ => {
                let found = self.first(by, collection, filter, order);
                match found.as_ref().map(|old| self.taken_apart(by, collection, &one, old)).transpose()?.flatten() {
                    Some(step) => return Ok(Step::Going(step)),
                    None => found,
                }
            }
        };
        let answer = |old: Option<Value>| {
            if answered { Response::Document(old) } else { Response::Count(old.is_some().into()) }
        };
        match old {
            None => Ok(Step::Done(answer(None))),
            Some(old) => self.put(me, request, id_of(&old), Some(&old), None, answer(Some(old.clone()))),
        }
    }

    /// Writes one document, if nobody holds it and no unique index forbids it.
    pub(super) fn put(
        &mut self,
        (caller, by): (Who, Option<usize>),
        request: &Request,
        id: Value,
        old: Option<&Value>,
        new: Option<Value>,
        answer: Response,
    ) -> Result<Step, Halt> {
        let collection = request.collection;
        self.acquire(by, collection, &id)?;
        if let (Some(_), Some(new)) = (old, &new) {
            self.check_unique(by, collection, new, false)?;
        }
        self.tick(&request.op);
        if old == new.as_ref() {
            // Nothing is written, but a transaction with row locks holds what it has matched.
            self.lock(by.filter(|at| self.open[*at].snapshot.is_none()), collection, &id)?;
            return Ok(Step::Done(answer));
        }
        let write = Write { collection, id, new };
        match by {
            Some(at) => {
                let writes = &mut self.open[at].writes;
                let same = |before: &&mut Write| before.collection == write.collection && before.id == write.id;
                match writes.iter_mut().rev().find(same) {
                    // One that was taken away and is made again stands at the end.
                    Some(before) if before.new.is_some() || write.new.is_none() => before.new = write.new,
                    _ => writes.push(write),
                }
                Ok(Step::Done(answer))
            }
            None => {
                let operation = request.operation.filter(|_| !self.settings.forgets_operations);
                let answered = operation.map(|operation| Answered { caller, operation, response: answer.clone() });
                self.commit(Entry { writes: vec![write], answered, committed: None });
                Ok(Step::Done(answer))
            }
        }
    }
}

/// The changes with each increment computed; `None` if there is none among them.
fn sums(changes: &[Change], document: &Value) -> Result<Option<Vec<Change>>, StoreError> {
    if !changes.iter().any(|change| matches!(change, Change::Inc(..))) {
        return Ok(None);
    }
    let computed = changes.iter().map(|change| match change {
        Change::Inc(field, _) => {
            let changed = change::apply(document, std::slice::from_ref(change), false, 0)?;
            let sum = change::at(&changed, field).cloned().expect("it was just set");
            Ok(Change::Set(field.clone(), sum))
        }
        other => Ok(other.clone()),
    });
    computed.collect::<Result<_, _>>().map(Some)
}
