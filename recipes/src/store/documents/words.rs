//! Requests and responses as they stand in stories.

use std::fmt;

use super::{Change, Filter, Op, Request, Response, UpdateResult};

fn list<T: fmt::Display>(items: &[T], between: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

impl<T: fmt::Display> fmt::Display for Filter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("any"),
            Self::Eq(field, value) => write!(f, "{field} = {value}"),
            Self::Ne(field, value) => write!(f, "{field} ≠ {value}"),
            Self::Lt(field, value) => write!(f, "{field} < {value}"),
            Self::Lte(field, value) => write!(f, "{field} ≤ {value}"),
            Self::Gt(field, value) => write!(f, "{field} > {value}"),
            Self::Gte(field, value) => write!(f, "{field} ≥ {value}"),
            Self::In(field, values) => write!(f, "{field} in [{}]", list(values, ", ")),
            Self::And(filters) => f.write_str(&list(filters, " and ")),
            Self::Or(filters) => write!(f, "({})", list(filters, " or ")),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Change<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(field, value) => write!(f, "{field} := {value}"),
            Self::Inc(field, by) if *by < 0 => write!(f, "{field} − {}", by.unsigned_abs()),
            Self::Inc(field, by) => write!(f, "{field} + {by}"),
            Self::Unset(field) => write!(f, "without {field}"),
            Self::Push(field, value) => write!(f, "push {value} to {field}"),
            Self::AddToSet(field, value) => write!(f, "add {value} to {field} unless it is in"),
            Self::Pull(field, value) => write!(f, "pull {value} from {field}"),
            Self::SetOnInsert(field, value) => write!(f, "on insert {field} := {value}"),
            Self::CurrentDate(field) => write!(f, "{field} := the server's clock"),
            Self::Max(field, value) => write!(f, "{field} at least {value}"),
        }
    }
}

/// As it stands in stories: `update baskets where guid = b1: amount + 1`.
impl<T: fmt::Display> fmt::Display for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.collection;
        if let Some(number) = self.transaction {
            write!(f, "transaction {number}: ")?;
        }
        match &self.op {
            Op::Find(filter, _) => write!(f, "find {name} where {filter}")?,
            Op::FindOne(filter) => write!(f, "find one of {name} where {filter}")?,
            Op::FindForUpdate(filter) => write!(f, "find and lock one of {name} where {filter}")?,
            Op::Count(filter) => write!(f, "count {name} where {filter}")?,
            Op::Insert(document) => write!(f, "insert into {name} {document}")?,
            Op::Replace(filter, document, upsert) => {
                write!(f, "replace one of {name} where {filter} by {document}{}", or_insert(*upsert))?;
            }
            Op::UpdateOne(filter, changes, upsert) => {
                write!(f, "update one of {name} where {filter}: {}{}", list(changes, ", "), or_insert(*upsert))?;
            }
            Op::UpdateMany(filter, changes) => {
                write!(f, "update all of {name} where {filter}: {}", list(changes, ", "))?;
            }
            Op::LegacyUpdate(filter, document, upsert) => {
                write!(f, "update (old) {name} where {filter} to {document}{}", or_insert(*upsert))?;
            }
            Op::FindAndModify(filter, _, changes, _, upsert) => {
                write!(f, "find and modify {name} where {filter}: {}{}", list(changes, ", "), or_insert(*upsert))?;
            }
            Op::FindAndDelete(filter, _) => write!(f, "find and delete one of {name} where {filter}")?,
            Op::DeleteOne(filter) => write!(f, "delete one of {name} where {filter}")?,
            Op::DeleteMany(filter) => write!(f, "delete all of {name} where {filter}")?,
            Op::Begin(isolation) => write!(f, "begin ({isolation:?})")?,
            Op::Commit => f.write_str("commit")?,
            Op::Abort => f.write_str("abort")?,
        }
        if self.secondary { f.write_str(" (at a replica)") } else { Ok(()) }
    }
}

fn or_insert(upsert: bool) -> &'static str {
    if upsert { ", or insert" } else { "" }
}

impl<T: fmt::Display> fmt::Display for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Documents(documents) => write!(f, "[{}]", list(documents, ", ")),
            Self::Document(Some(document)) => write!(f, "{document}"),
            Self::Document(None) => f.write_str("nothing"),
            Self::Inserted(id) => write!(f, "inserted {id}"),
            Self::Updated(UpdateResult { upserted: Some(id), .. }) => write!(f, "inserted {id}"),
            Self::Updated(UpdateResult { matched, modified, .. }) => {
                write!(f, "matched {matched}, modified {modified}")
            }
        }
    }
}
