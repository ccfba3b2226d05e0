//! One step of a call, and what happens inside.

use overtake_recipes::StoreError;
use overtake_recipes::store::Texts;
use overtake_recipes::store::documents::Op;

use super::super::{Served, Service, documents_write};
use super::filter::{is_malformed, matches, sort};
use super::one::One;
use super::{At, Data, Documents, Filter, Halt, Inner, Progress, Request, Response, Step, Value, Write};
use crate::names::{Name, Names, Text, Who, slot_of};
use crate::world::Fault;

/// Whether an operation writes one document, so that it may be known again when it is sent again.
fn writes_one(op: &Op<Text>) -> bool {
    use Op::{DeleteOne, FindAndDelete, FindAndModify, Insert, LegacyUpdate, Replace, UpdateOne};
    matches!(
        op,
        Insert(_)
            | Replace(..)
            | UpdateOne(..)
            | LegacyUpdate(..)
            | FindAndModify(..)
            | FindAndDelete(..)
            | DeleteOne(_)
    )
}

impl Documents {
    pub(super) fn step(&mut self, caller: Who, request: &Request, at: Option<&At>) -> Result<Step, Halt> {
        if is_malformed(&request.op) {
            return Err(StoreError::BadRequest.into());
        }
        let by = match (&request.op, request.transaction) {
            (Op::Begin(isolation), Some(number)) => {
                self.begin(caller, number, *isolation);
                return Ok(Step::Done(Response::Done));
            }
            (Op::Commit, Some(number)) => return self.end(caller, number),
            (Op::Abort, Some(number)) => {
                self.abort(caller, number);
                return Ok(Step::Done(Response::Done));
            }
            (Op::Begin(_) | Op::Commit | Op::Abort, None) => return Err(StoreError::BadRequest.into()),
            (_, Some(number)) => Some(self.transaction(caller, number).ok_or(StoreError::NoTransaction)?),
            (_, None) => None,
        };
        // Judged before each step: another copy may have come to its end since the last.
        if let (None, Some(operation)) = (by, request.operation.filter(|_| writes_one(&request.op))) {
            let known = |answered: &&super::Answered| (answered.caller, answered.operation) == (caller, operation);
            if let Some(answered) = self.data.answered.iter().find(known) {
                return Ok(Step::Done(answered.response.clone()));
            }
        }
        let me = (caller, by);
        match &request.op {
            Op::Find(filter, order) => {
                let mut found = self.read(by, request, filter);
                order.iter().for_each(|order| sort(&mut found, order));
                Ok(Step::Done(Response::Documents(found)))
            }
            Op::FindOne(filter) => {
                Ok(Step::Done(Response::Document(self.read(by, request, filter).into_iter().next())))
            }
            Op::Count(filter) => Ok(Step::Done(Response::Count(self.read(by, request, filter).len() as u32))),
            Op::FindForUpdate(filter) => {
                self.looks(by, request.collection, filter);
                let found = self.first(by, request.collection, filter, None);
                if let Some(id) = found.as_ref().and_then(|found| found.at("_id")) {
                    self.lock(by, request.collection, id)?;
                }
                Ok(Step::Done(Response::Document(found)))
            }
            Op::Insert(document) => self.insert(me, request, document),
            Op::UpdateMany(filter, changes) => self.write_many(me, request, (filter, Some(changes)), at),
            Op::DeleteMany(filter) => self.write_many(me, request, (filter, None), at),
            Op::DeleteOne(filter) => self.delete_one(me, request, (filter, None), at),
            Op::FindAndDelete(filter, order) => self.delete_one(me, request, (filter, order.as_ref()), at),
            op => {
                let one = One::of(op)?.expect("all other operations are told apart");
                self.write_one(me, request, &one, at)
            }
        }
    }

    /// The answer, where it does not have to wait for the replica.
    fn answer(&self, request: &Request, result: Result<Response, StoreError>) -> Served<Response, Progress> {
        let tells = matches!(request.op, Op::Commit) || request.transaction.is_none() && documents_write(request);
        match self.to_replicate().filter(|_| tells) {
            Some(entries) => Served::Going(Progress { life: self.life, at: At::Replicating(entries, result) }),
            None => Served::Done(result),
        }
    }

    /// Takes over what the transaction sees whose first operation has to wait: it looked before it waited, so what the other
    /// transaction commits comes after. Answers whether there was such a one.
    fn keeps_snapshot(&mut self, next: &Self) -> bool {
        let mut kept = false;
        for (open, next) in self.open.iter_mut().zip(&next.open) {
            if open.snapshot.is_none() && next.snapshot.is_some() {
                kept = true;
                *open = next.clone();
            }
        }
        kept
    }

    /// The documents that match, where the request reads.
    fn read(&mut self, by: Option<usize>, request: &Request, filter: &Filter) -> Vec<Value> {
        self.looks(by, request.collection, filter);
        let behind = by.is_none() && (request.secondary || self.settings.majority);
        let mut found = match self.replica.as_ref().filter(|_| behind) {
            Some(replica) => replica.data.documents(request.collection).to_vec(),
            None => self.visible(by, request.collection),
        };
        found.retain(|document| matches(filter, document));
        found
    }
}

impl Service for Documents {
    type Request = Request;
    type Response = Response;
    type Progress = Progress;
    type Inner = Inner;

    fn serve(&mut self, caller: Who, request: &Request, progress: Option<&Progress>) -> Served<Response, Progress> {
        let at = progress.map(|progress| &progress.at);
        if let Some(progress) = progress.filter(|progress| progress.life != self.life) {
            return Served::Done(Err(Self::stopped(request, &progress.at)));
        }
        if let Some(At::Replicating(entries, result)) = at {
            return if self.replicated(*entries) { Served::Done(result.clone()) } else { Served::Waits };
        }
        let mut next = self.clone();
        let error = match next.step(caller, request, at) {
            Ok(step) => {
                *self = next;
                return match step {
                    Step::Done(response) => self.answer(request, Ok(response)),
                    Step::Going(at) => Served::Going(Progress { life: self.life, at }),
                };
            }
            Err(Halt::Waits(_)) if self.keeps_snapshot(&next) => {
                return Served::Going(Progress { life: self.life, at: At::Begun });
            }
            Err(Halt::Waits(_)) => return Served::Waits,
            Err(Halt::Clash) => StoreError::DuplicateKey,
            Err(Halt::Error(error)) => error,
        };
        // An error ends the transaction in which it occurs.
        if let Some(number) = request.transaction {
            self.abort(caller, number);
        }
        self.answer(request, Err(error))
    }

    fn inner(&self) -> Vec<Inner> {
        let lags = self.replica.as_ref().is_some_and(|replica| !replica.log.is_empty());
        let replicate = lags.then_some(Inner::Replicate);
        let orphans = self.open.iter().filter(|open| open.orphan);
        let aborts = orphans.map(|open| Inner::AbortOrphan(open.caller, open.number));
        replicate.into_iter().chain(aborts).chain([Inner::Stop]).collect()
    }

    fn fault(inner: &Inner) -> Option<Fault> {
        matches!(inner, Inner::Stop).then_some(Fault::NodeLoss)
    }

    fn take(&mut self, inner: &Inner) {
        match inner {
            Inner::Replicate => self.replicate(),
            Inner::Stop => self.stop(),
            Inner::AbortOrphan(caller, number) => self.abort(*caller, *number),
        }
    }

    fn describe(&self, inner: &Inner) -> String {
        match inner {
            Inner::Replicate => "the replica applies the next write".to_owned(),
            Inner::Stop if self.replica.is_some() => "the primary is lost; its replica takes over".to_owned(),
            Inner::Stop => "the document store stops and starts again".to_owned(),
            Inner::AbortOrphan(caller, number) => {
                format!("the document store aborts transaction {number} of dead client {}", slot_of(*caller) + 1)
            }
        }
    }
}

fn texts(value: &mut impl Texts<Text>, visit: &mut dyn FnMut(Name<'_>)) {
    value.texts(&mut |text| text.names(visit));
}

impl Names for Write {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        texts(&mut self.id, visit);
        self.new.iter_mut().for_each(|new| texts(new, visit));
    }
}

impl Names for super::Answered {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Who(&mut self.caller));
        texts(&mut self.response, visit);
    }
}

impl Names for Data {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        for collection in self.collections.values_mut() {
            collection.documents.names(visit);
        }
        self.answered.names(visit);
        self.committed.iter_mut().for_each(|(caller, _)| visit(Name::Who(caller)));
    }
}

impl Names for super::Transaction {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Who(&mut self.caller));
        self.snapshot.names(visit);
        self.changed.iter_mut().for_each(|(_, id)| texts(id, visit));
        self.writes.names(visit);
        self.locks.iter_mut().for_each(|(_, id)| texts(id, visit));
        self.looked.iter_mut().for_each(|(_, filter)| texts(filter, visit));
        self.others.iter_mut().for_each(|(_, document)| texts(document, visit));
    }
}

impl Names for Documents {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.data.names(visit);
        self.open.names(visit);
        self.read_only.iter_mut().for_each(|(caller, _)| visit(Name::Who(caller)));
        if let Some(replica) = &mut self.replica {
            replica.data.names(visit);
            for entry in &mut replica.log {
                entry.writes.names(visit);
                entry.answered.names(visit);
                entry.committed.iter_mut().for_each(|(caller, _)| visit(Name::Who(caller)));
            }
        }
    }
}

impl Names for Progress {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match &mut self.at {
            At::Begun | At::Absent => {}
            At::Found(id, passed) => {
                texts(id, visit);
                passed.names(visit);
            }
            At::Compared(id, changes) => {
                texts(id, visit);
                changes.iter_mut().flatten().for_each(|change| texts(change, visit));
            }
            At::Many { passed, .. } => passed.names(visit),
            At::Replicating(_, result) => result.iter_mut().for_each(|response| texts(response, visit)),
        }
    }
}
