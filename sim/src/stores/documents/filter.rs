//! Which documents a filter means (`semantics` §7.2: null rules, type bracketing).

use std::cmp::Ordering;

use overtake_recipes::store::Field;
use overtake_recipes::store::documents::{self as wire, Op, Sort};

use super::super::Value;
use crate::names::{LIMIT, Name, Names, Text};

/// A filter with the names in its texts kept apart.
pub type Filter = wire::Filter<Text>;

/// What stands under a path. A list on the way is looked into: element by element, or at an index.
enum Found<'a> {
    There(&'a Value),
    Missing,
}

fn look<'a>(value: &'a Value, path: Option<&str>, found: &mut Vec<Found<'a>>) {
    let Some(path) = path else { return found.push(Found::There(value)) };
    let (field, rest) = path.split_once('.').map_or((path, None), |(field, rest)| (field, Some(rest)));
    match value {
        Value::Doc(doc) => match doc.get(field) {
            Some(value) => look(value, rest, found),
            None => found.push(Found::Missing),
        },
        Value::List(list) => {
            if let Some(value) = field.parse::<usize>().ok().and_then(|index| list.get(index)) {
                look(value, rest, found);
            }
            for element in list.iter().filter(|element| matches!(element, Value::Doc(_))) {
                look(element, Some(path), found);
            }
        }
        _ => found.push(Found::Missing),
    }
}

/// Whether one of the values under the path, or an element of a list there, is such. `None`: missing.
fn any(document: &Value, path: &str, such: &dyn Fn(Option<&Value>) -> bool) -> bool {
    let mut found = Vec::new();
    look(document, Some(path), &mut found);
    found.iter().any(|found| match found {
        Found::Missing => such(None),
        Found::There(value) => {
            such(Some(value)) || value.as_list().is_some_and(|list| list.iter().any(|element| such(Some(element))))
        }
    })
}

fn equal(value: Option<&Value>, to: &Value) -> bool {
    match value {
        None => *to == Value::Null,
        Some(value) => value == to,
    }
}

fn ordered(document: &Value, path: &str, to: &Value, wanted: &[Ordering]) -> bool {
    any(document, path, &|value| {
        value.is_some_and(|value| rank(value) == rank(to) && wanted.contains(&order(value, to)))
    })
}

/// Whether the server cannot read the operation's filter: an equality with an operator in it. `{guid: {$in: …}}` with no list behind
/// `$in` is one ("$in needs an array").
pub(super) fn is_malformed(op: &Op<Text>) -> bool {
    fn bad(filter: &Filter) -> bool {
        let operators =
            |value: &Value| matches!(value, Value::Doc(doc) if doc.keys().any(|field| field.starts_with('$')));
        match filter {
            Filter::Eq(_, value) | Filter::Ne(_, value) => operators(value),
            Filter::And(filters) | Filter::Or(filters) => filters.iter().any(bad),
            _ => false,
        }
    }
    match op {
        Op::Find(filter, _)
        | Op::FindOne(filter)
        | Op::FindForUpdate(filter)
        | Op::Count(filter)
        | Op::Replace(filter, ..)
        | Op::UpdateOne(filter, ..)
        | Op::UpdateMany(filter, _)
        | Op::LegacyUpdate(filter, ..)
        | Op::FindAndModify(filter, ..)
        | Op::FindAndDelete(filter, _)
        | Op::DeleteOne(filter)
        | Op::DeleteMany(filter) => bad(filter),
        Op::Insert(_) | Op::Begin(_) | Op::Commit | Op::Abort => false,
    }
}

/// Whether the document matches.
pub fn matches(filter: &Filter, document: &Value) -> bool {
    use Ordering::{Equal, Greater, Less};
    match filter {
        Filter::All => true,
        Filter::Eq(field, to) => any(document, field, &|value| equal(value, to)),
        Filter::Ne(field, to) => !any(document, field, &|value| equal(value, to)),
        Filter::Lt(field, to) => ordered(document, field, to, &[Less]),
        Filter::Lte(field, to) => ordered(document, field, to, &[Less, Equal]),
        Filter::Gt(field, to) => ordered(document, field, to, &[Greater]),
        Filter::Gte(field, to) => ordered(document, field, to, &[Greater, Equal]),
        Filter::In(field, all) => any(document, field, &|value| all.iter().any(|to| equal(value, to))),
        Filter::And(filters) => filters.iter().all(|filter| matches(filter, document)),
        Filter::Or(filters) => filters.iter().any(|filter| matches(filter, document)),
    }
}

/// The place of a value's type in the order of types.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Int(_) => 1,
        Value::Text(_) => 2,
        Value::Doc(_) => 3,
        Value::List(_) => 4,
        Value::Bool(_) => 5,
        Value::Date(_) => 6,
    }
}

/// The order of values: first by type.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) | (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => order_texts(*a, *b),
        (Value::List(a), Value::List(b)) => {
            let first = a.iter().zip(b).map(|(a, b)| order(a, b)).find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Doc(a), Value::Doc(b)) => {
            let pairs = a.iter().zip(b);
            let first = pairs.map(|((f, a), (g, b))| f.cmp(g).then_with(|| order(a, b))).find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

/// The order of texts. Unique ids and sessions are renamed freely, so they have none.
fn order_texts(a: Text, b: Text) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    for mut text in [a, b] {
        text.names(&mut |name| {
            assert!(!matches!(name, Name::Who(_)), "{LIMIT}documents are not ordered by unique ids or sessions");
        });
    }
    a.full().cmp(&b.full())
}

/// Sorts; what is missing counts as null, equal ones stay in the order of their making.
pub fn sort(documents: &mut [Value], by: &Sort) {
    documents.sort_by(|a, b| {
        let key = |document: &Value| document.at(&by.field).cloned().unwrap_or(Value::Null);
        let order = order(&key(a), &key(b));
        if by.descending { order.reverse() } else { order }
    });
}

/// The fields that the filter holds to one value: equalities, alone or all of an *and*. A choice from one counts. The flag says
/// whether there is nothing else in the filter.
pub fn equalities(filter: &Filter) -> (Vec<(Field, Value)>, bool) {
    match filter {
        Filter::Eq(field, value) => (vec![(field.clone(), value.clone())], true),
        Filter::In(field, values) if values.len() == 1 => (vec![(field.clone(), values[0].clone())], true),
        Filter::And(filters) => {
            let mut all = (Vec::new(), true);
            for (fields, only) in filters.iter().map(equalities) {
                all.0.extend(fields);
                all.1 &= only;
            }
            all
        }
        Filter::All => (Vec::new(), true),
        _ => (Vec::new(), false),
    }
}
