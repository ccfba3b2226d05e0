//! What changes do to a document (`semantics` §7.2).

use std::cmp::Ordering;

use overtake_recipes::StoreError;
use overtake_recipes::store::documents as wire;
use overtake_recipes::store::{Doc, Field};

use super::super::Value;
use super::filter::order;
use crate::names::Text;

/// A change with the names in its texts kept apart.
pub type Change = wire::Change<Text>;

/// The moment that `$currentDate` writes where the server's clock stands still.
pub const NOW: i64 = 1_000;

/// The field that a change writes.
pub fn field(change: &Change) -> &Field {
    match change {
        Change::Set(field, _)
        | Change::Inc(field, _)
        | Change::Unset(field)
        | Change::Push(field, _)
        | Change::AddToSet(field, _)
        | Change::Pull(field, _)
        | Change::SetOnInsert(field, _)
        | Change::CurrentDate(field)
        | Change::Max(field, _) => field,
    }
}

/// Whether one of the paths leads to the other's place, or into it.
pub fn overlap(a: &str, b: &str) -> bool {
    let inside = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    inside(a, b) || inside(b, a)
}

/// Whether the changes can be made to any document at all: there are some, and no two write the same place.
pub fn check(changes: &[Change]) -> Result<(), StoreError> {
    let twice = |(i, change): (usize, &Change)| changes[..i].iter().any(|other| overlap(field(other), field(change)));
    let bad = changes.is_empty() || changes.iter().enumerate().any(twice);
    if bad { Err(StoreError::BadRequest) } else { Ok(()) }
}

/// Whether a document may stand for another: it is one, and holds no operators.
pub fn check_replacement(document: &Value) -> Result<&Doc<Text>, StoreError> {
    match document {
        Value::Doc(doc) if !doc.keys().any(|field| field.starts_with('$')) => Ok(doc),
        _ => Err(StoreError::BadRequest),
    }
}

/// The place under a path, made if it is missing (null); an index leads into a list.
fn place<'a>(document: &'a mut Value, path: &str) -> Result<&'a mut Value, StoreError> {
    let (mut at, mut rest) = (document, Some(path));
    while let Some(path) = rest {
        let (field, deeper) = path.split_once('.').map_or((path, None), |(field, deeper)| (field, Some(deeper)));
        at = match at {
            Value::Doc(doc) => {
                let missing = || if deeper.is_some() { Value::Doc(Doc::new()) } else { Value::Null };
                doc.entry(Field::Owned(field.to_owned())).or_insert_with(missing)
            }
            Value::List(list) => {
                let index = field.parse::<usize>().map_err(|_| StoreError::BadRequest)?;
                list.get_mut(index).ok_or(StoreError::BadRequest)?
            }
            _ => return Err(StoreError::BadRequest),
        };
        rest = deeper;
    }
    Ok(at)
}

/// The value under a path; an index leads into a list.
pub fn at<'a>(document: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(document, |value, field| match value {
        Value::Doc(doc) => doc.get(field),
        Value::List(list) => list.get(field.parse::<usize>().ok()?),
        _ => None,
    })
}

/// A list under a path, made if it is missing.
fn list<'a>(document: &'a mut Value, path: &str) -> Result<&'a mut Vec<Value>, StoreError> {
    let missing = at(document, path).is_none();
    let place = place(document, path)?;
    if missing {
        *place = Value::List(Vec::new());
    }
    if let Value::List(list) = place { Ok(list) } else { Err(StoreError::BadRequest) }
}

fn one(document: &mut Value, change: &Change, inserting: bool, now: i64) -> Result<(), StoreError> {
    match change {
        Change::Set(field, value) => *place(document, field)? = value.clone(),
        Change::Inc(field, by) => {
            let sum = match at(document, field) {
                None => *by,
                Some(Value::Int(number)) => number.checked_add(*by).ok_or(StoreError::BadRequest)?,
                Some(_) => return Err(StoreError::NotANumber),
            };
            *place(document, field)? = Value::Int(sum);
        }
        Change::Unset(field) => drop(document.remove(field)),
        Change::Push(field, value) => list(document, field)?.push(value.clone()),
        Change::AddToSet(field, value) => {
            let list = list(document, field)?;
            if !list.contains(value) {
                list.push(value.clone());
            }
        }
        Change::Pull(field, value) if at(document, field).is_some() => {
            list(document, field)?.retain(|element| element != value);
        }
        Change::Pull(..) => {}
        Change::SetOnInsert(field, value) if inserting => *place(document, field)? = value.clone(),
        Change::SetOnInsert(..) => {}
        Change::CurrentDate(field) => *place(document, field)? = Value::Date(now),
        Change::Max(field, value) => {
            if at(document, field).is_none_or(|present| order(value, present) == Ordering::Greater) {
                *place(document, field)? = value.clone();
            }
        }
    }
    Ok(())
}

/// The document with the changes made.
pub fn apply(document: &Value, changes: &[Change], inserting: bool, now: i64) -> Result<Value, StoreError> {
    let mut changed = document.clone();
    for change in changes {
        one(&mut changed, change, inserting, now)?;
    }
    let kept = |id: Option<&Value>| inserting && id.is_none() || id == changed.at("_id");
    if kept(document.at("_id")) { Ok(changed) } else { Err(StoreError::BadRequest) }
}

/// The document with all fields exchanged; `_id` stays.
pub fn replace(document: &Value, by: &Value) -> Result<Value, StoreError> {
    let id = document.at("_id").cloned();
    let mut new = check_replacement(by)?.clone();
    if let Some(id) = id
        && *new.entry("_id".into()).or_insert_with(|| id.clone()) != id
    {
        return Err(StoreError::BadRequest);
    }
    Ok(Value::Doc(new))
}
