//! Insert when none is found (`semantics` §7.3).

use overtake_recipes::StoreError;
use overtake_recipes::store::{Doc, Field};

use super::super::Value;
use super::change::{self, overlap};
use super::filter::{Filter, equalities};
use super::{Index, What};

/// The document that is made: the filter's equalities, then the changes; or the replacement with the filter's `_id`.
pub(super) fn document(filter: &Filter, what: &What<'_>, now: i64) -> Result<Value, StoreError> {
    let (fields, _) = equalities(filter);
    match what {
        What::Replace(by) => {
            let mut new = change::check_replacement(by)?.clone();
            if let Some((_, id)) = fields.into_iter().find(|(field, _)| field == "_id")
                && *new.entry("_id".into()).or_insert_with(|| id.clone()) != id
            {
                return Err(StoreError::BadRequest);
            }
            Ok(Value::Doc(new))
        }
        What::Change(changes) => {
            let set = |(field, value)| change::Change::Set(field, value);
            let fields: Vec<_> = fields.into_iter().map(set).collect();
            let of_filter = change::apply(&Value::Doc(Doc::new()), &fields, true, now)?;
            change::apply(&of_filter, changes, true, now)
        }
    }
}

/// Whether the server starts over when the insert clashes in that index, so that the upsert becomes an update: the filter is
/// equalities on exactly the index's fields, and the change leaves these alone.
pub(super) fn starts_over(index: &Index, filter: &Filter, what: &What<'_>) -> bool {
    let (fields, only) = equalities(filter);
    let named = |field: &Field| index.fields.iter().any(|of_index| of_index == field);
    let all = index.fields.iter().all(|of_index| fields.iter().any(|(field, _)| field == of_index));
    let kept = match what {
        What::Change(changes) => {
            let touches = |change| index.fields.iter().any(|field| overlap(field, change::field(change)));
            !changes.iter().any(touches)
        }
        What::Replace(by) => fields.iter().all(|(field, value)| {
            let new = change::at(by, field);
            new == Some(value) || (new.is_none() && field == "_id")
        }),
    };
    only && all && fields.len() == index.fields.len() && fields.iter().all(|(field, _)| named(field)) && kept
}
