//! Writes to many documents: one a step, the filter judged for each, so that other operations come in between (`semantics` §7.1).

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Op, UpdateResult};

use super::change;
use super::filter::matches;
use super::{At, Change, Documents, Filter, Halt, Request, Response, Step, Value};
use crate::names::Who;

impl Documents {
    /// One step of a write to all documents that match: `Some(changes)` updates, `None` deletes. The last step finds no more.
    pub(super) fn write_many(
        &mut self,
        me: (Who, Option<usize>),
        request: &Request,
        (filter, changes): (&Filter, Option<&[Change]>),
        at: Option<&At>,
    ) -> Result<Step, Halt> {
        if let Some(changes) = changes {
            change::check(changes)?;
        }
        let nothing = (Vec::new(), 0, 0);
        let (mut passed, mut matched, mut modified) = match at {
            Some(At::Many { passed, matched, modified }) => (passed.clone(), *matched, *modified),
            _ => nothing,
        };
        let (by, collection) = (me.1, request.collection);
        self.looks(by, collection, filter);
        let mut next = None;
        let mut ahead = Vec::new();
        for document in self.visible(by, collection) {
            let id = document.at("_id").expect("documents have an _id").clone();
            if passed.contains(&id) {
                continue;
            }
            ahead.push(id);
            if matches(filter, &document) {
                next = Some(document);
                break;
            }
        }
        let Some(old) = next else {
            let counts = UpdateResult { matched, modified, upserted: None };
            let deletes = matches!(request.op, Op::DeleteMany(_));
            let answer = if deletes { Response::Count(modified) } else { Response::Updated(counts) };
            return Ok(Step::Done(answer));
        };
        passed.append(&mut ahead);
        let new = match changes {
            Some(changes) => Some(change::apply(&old, changes, false, self.now())?),
            None => None,
        };
        let id: Value = passed.last().expect("it was passed").clone();
        let done = new.as_ref() != Some(&old);
        self.put(me, request, id, Some(&old), new, Response::Done)?;
        matched += 1;
        modified += u32::from(done);
        Ok(Step::Going(At::Many { passed, matched, modified }))
    }

    /// What a call is told that was in the middle when the server stopped. The documents that an update of many has changed by then
    /// stay changed, except in a transaction: that is aborted.
    pub(super) fn stopped(request: &Request, at: &At) -> StoreError {
        match at {
            At::Many { modified: 1.., .. } if request.transaction.is_none() => StoreError::HalfDone,
            At::Replicating(..) => StoreError::Unknown,
            _ => StoreError::Unavailable,
        }
    }
}
