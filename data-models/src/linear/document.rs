//! A document, told by its `_id`: read, replaced, changed, made and deleted in one step each (`semantics` §7.1: a write to one document is
//! atomic). What a change does is written down here once more, apart from the store that is judged.

use overtake_recipes::store::documents::{self as wire, Op, Returning, UpdateResult};
use overtake_recipes::store::{Change, Texts};
use overtake_sim::names::Text;
use overtake_sim::stores::Value;
use overtake_sim::stores::documents::{Filter, matches};

use super::spec::{Spec, Word};

pub(super) type Request = wire::Request<Text>;
type Response = wire::Response<Text>;

/// A document, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document;

/// What a call was answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    Is(Response),
    /// There is one with that `_id` already.
    Duplicate,
}

/// The `_id` that a filter asks for.
fn asked(filter: &Filter) -> Option<Value> {
    match filter {
        Filter::Eq(field, id) if field == "_id" => Some(id.clone()),
        Filter::And(filters) => filters.iter().find_map(asked),
        _ => None,
    }
}

/// The document that a call is about; `None` for a read of no certain one.
///
/// # Panics
/// When it is a call that the model does not have.
pub(super) fn id(request: &Request) -> Option<Value> {
    let unknown = || -> ! { panic!("the model of a document has no such call: {}", short(request.clone())) };
    // What is sent again under one number takes effect once: two calls, one effect.
    if request.transaction.is_some() || request.operation.is_some() {
        unknown();
    }
    let changed = |changes: &[Change<Text>]| {
        let simple = |change: &Change<Text>| match change {
            Change::Set(field, _) | Change::Inc(field, _) | Change::Unset(field) | Change::Push(field, _) => {
                !field.contains('.')
            }
            _ => false,
        };
        changes.iter().all(simple)
    };
    match &request.op {
        Op::FindOne(filter) | Op::Find(filter, None) | Op::Count(filter) => asked(filter),
        Op::Replace(filter, _, false) | Op::DeleteOne(filter) | Op::FindAndDelete(filter, None) => {
            Some(asked(filter).unwrap_or_else(|| unknown()))
        }
        Op::UpdateOne(filter, changes, false) | Op::FindAndModify(filter, None, changes, _, false)
            if changed(changes) =>
        {
            Some(asked(filter).unwrap_or_else(|| unknown()))
        }
        Op::Insert(document) => Some(document.at("_id").cloned().unwrap_or_else(|| unknown())),
        _ => unknown(),
    }
}

/// With short names.
fn short<V: Texts<Text>>(value: V) -> String
where
    V::With<String>: std::fmt::Display,
{
    value.map(&mut |text: Text| text.short()).to_string()
}

/// The document after the changes; `None` where the store refuses them.
fn changed(document: &Value, changes: &[Change<Text>]) -> Option<Value> {
    let Value::Doc(mut fields) = document.clone() else { return None };
    for change in changes {
        match change {
            Change::Set(field, value) => drop(fields.insert(field.clone(), value.clone())),
            Change::Unset(field) => drop(fields.remove(field)),
            Change::Inc(field, by) => match fields.entry(field.clone()).or_insert(Value::Int(0)) {
                Value::Int(number) => *number = number.checked_add(*by)?,
                _ => return None,
            },
            Change::Push(field, value) => match fields.entry(field.clone()).or_insert(Value::List(Vec::new())) {
                Value::List(list) => list.push(value.clone()),
                _ => return None,
            },
            _ => unreachable!("it was looked at"),
        }
    }
    Some(Value::Doc(fields))
}

/// What the call does, and what it is answered; no answer where the store refuses it.
fn apply(state: Option<&Value>, op: &Op<Text>) -> (Option<Value>, Option<Told>) {
    let same = || state.cloned();
    let found = |filter: &Filter| state.filter(|document| matches(filter, document));
    let is = |response| Some(Told::Is(response));
    let updated = |matched: u32, modified: bool| {
        is(Response::Updated(UpdateResult { matched, modified: modified.into(), upserted: None }))
    };
    match op {
        Op::FindOne(filter) => (same(), is(Response::Document(found(filter).cloned()))),
        Op::Find(filter, _) => (same(), is(Response::Documents(found(filter).cloned().into_iter().collect()))),
        Op::Count(filter) => (same(), is(Response::Count(found(filter).is_some().into()))),
        Op::DeleteOne(filter) => match found(filter) {
            Some(_) => (None, is(Response::Count(1))),
            None => (same(), is(Response::Count(0))),
        },
        Op::FindAndDelete(filter, _) => match found(filter) {
            Some(document) => (None, is(Response::Document(Some(document.clone())))),
            None => (same(), is(Response::Document(None))),
        },
        Op::Insert(document) => match state {
            Some(_) => (same(), Some(Told::Duplicate)),
            None => (Some(document.clone()), is(Response::Inserted(document.at("_id").cloned().unwrap_or_default()))),
        },
        Op::Replace(filter, new, _) => match found(filter) {
            None => (same(), updated(0, false)),
            Some(old) => {
                let (mut fields, id) = (new.as_doc().cloned().unwrap_or_default(), old.at("_id").cloned());
                fields.insert("_id".into(), id.unwrap_or_default());
                let new = Value::Doc(fields);
                let modified = new != *old;
                (Some(new), updated(1, modified))
            }
        },
        Op::UpdateOne(filter, changes, _) => match found(filter).map(|old| (old, changed(old, changes))) {
            None => (same(), updated(0, false)),
            Some((_, None)) => (same(), None),
            Some((old, Some(new))) => {
                let modified = new != *old;
                (Some(new), updated(1, modified))
            }
        },
        Op::FindAndModify(filter, _, changes, returning, _) => {
            match found(filter).map(|old| (old, changed(old, changes))) {
                None => (same(), is(Response::Document(None))),
                Some((_, None)) => (same(), None),
                Some((old, Some(new))) => {
                    let told = if *returning == Returning::Before { old.clone() } else { new.clone() };
                    (Some(new), is(Response::Document(Some(told))))
                }
            }
        }
        _ => unreachable!("it was looked at"),
    }
}

/// The filter of a call.
fn filter(op: &Op<Text>) -> Option<&Filter> {
    match op {
        Op::FindOne(filter)
        | Op::Find(filter, _)
        | Op::Count(filter)
        | Op::DeleteOne(filter)
        | Op::FindAndDelete(filter, _)
        | Op::Replace(filter, ..)
        | Op::UpdateOne(filter, ..)
        | Op::FindAndModify(filter, ..) => Some(filter),
        _ => None,
    }
}

impl Spec for Document {
    type State = Option<Value>;
    type Op = Op<Text>;
    type Answer = Told;

    fn initially(&self, _: &[Word]) -> Result<Option<Value>, String> {
        Err("documents are not read from a file".into())
    }

    fn call(&self, _: &[Word]) -> Result<Op<Text>, String> {
        Err("documents are not read from a file".into())
    }

    fn answer(&self, _: &Op<Text>, _: &[Word]) -> Result<Told, String> {
        Err("documents are not read from a file".into())
    }

    fn step(&self, state: &Option<Value>, op: &Op<Text>, answer: Option<&Told>) -> Option<Option<Value>> {
        let (after, told) = apply(state.as_ref(), op);
        answer.is_none_or(|answer| told.as_ref() == Some(answer)).then_some(after)
    }

    fn holds(&self, state: &Option<Value>) -> String {
        match state {
            Some(document) => format!("it is {}", short(document.clone())),
            None => "it is not there".into(),
        }
    }

    fn needs(&self, op: &Op<Text>, answer: &Told) -> String {
        let matching = filter(op).map_or_else(String::new, |filter| short(filter.clone()));
        match answer {
            Told::Is(Response::Document(Some(document))) => match op {
                Op::FindAndModify(.., Returning::After, _) => {
                    format!("the document must become {}", short(document.clone()))
                }
                _ => format!("the document must be {}", short(document.clone())),
            },
            Told::Is(Response::Documents(found)) if !found.is_empty() => {
                format!("the document must be {}", short(found[0].clone()))
            }
            Told::Is(Response::Updated(UpdateResult { matched: 1.., modified: 0, .. })) => {
                format!("the document must be there, with {matching}, and as the call leaves it already")
            }
            Told::Is(Response::Updated(UpdateResult { matched, .. }) | Response::Count(matched)) if *matched > 0 => {
                format!("the document must be there, with {matching}")
            }
            Told::Is(Response::Inserted(_)) => "the document must not be there".into(),
            Told::Duplicate => "the document must be there".into(),
            Told::Is(_) => format!("no document must be there with {matching}"),
        }
    }
}
