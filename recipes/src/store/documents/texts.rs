//! The texts inside requests and responses.

use super::super::value::Texts;
use super::{Change, Filter, Op, Request, Response, UpdateResult};

impl<T> Texts<T> for Filter<T> {
    type With<U> = Filter<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Self::All => {}
            Self::Eq(_, value)
            | Self::Ne(_, value)
            | Self::Lt(_, value)
            | Self::Lte(_, value)
            | Self::Gt(_, value)
            | Self::Gte(_, value) => value.texts(visit),
            Self::In(_, values) => values.iter_mut().for_each(|value| value.texts(visit)),
            Self::And(filters) | Self::Or(filters) => filters.iter_mut().for_each(|filter| filter.texts(visit)),
        }
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Self::All => {}
            Self::Eq(field, value)
            | Self::Ne(field, value)
            | Self::Lt(field, value)
            | Self::Lte(field, value)
            | Self::Gt(field, value)
            | Self::Gte(field, value) => {
                visit(field);
                value.fields(visit);
            }
            Self::In(field, values) => {
                visit(field);
                values.iter().for_each(|value| value.fields(visit));
            }
            Self::And(filters) | Self::Or(filters) => filters.iter().for_each(|filter| filter.fields(visit)),
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Filter<U> {
        match self {
            Self::All => Filter::All,
            Self::Eq(field, value) => Filter::Eq(field, value.map(to)),
            Self::Ne(field, value) => Filter::Ne(field, value.map(to)),
            Self::Lt(field, value) => Filter::Lt(field, value.map(to)),
            Self::Lte(field, value) => Filter::Lte(field, value.map(to)),
            Self::Gt(field, value) => Filter::Gt(field, value.map(to)),
            Self::Gte(field, value) => Filter::Gte(field, value.map(to)),
            Self::In(field, values) => Filter::In(field, values.into_iter().map(|value| value.map(to)).collect()),
            Self::And(filters) => Filter::And(filters.into_iter().map(|filter| filter.map(to)).collect()),
            Self::Or(filters) => Filter::Or(filters.into_iter().map(|filter| filter.map(to)).collect()),
        }
    }
}

impl<T> Texts<T> for Change<T> {
    type With<U> = Change<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Self::Set(_, value)
            | Self::Push(_, value)
            | Self::AddToSet(_, value)
            | Self::Pull(_, value)
            | Self::SetOnInsert(_, value)
            | Self::Max(_, value) => value.texts(visit),
            Self::Inc(..) | Self::Unset(_) | Self::CurrentDate(_) => {}
        }
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Self::Set(field, value)
            | Self::Push(field, value)
            | Self::AddToSet(field, value)
            | Self::Pull(field, value)
            | Self::SetOnInsert(field, value)
            | Self::Max(field, value) => {
                visit(field);
                value.fields(visit);
            }
            Self::Inc(field, _) | Self::Unset(field) | Self::CurrentDate(field) => visit(field),
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Change<U> {
        match self {
            Self::Set(field, value) => Change::Set(field, value.map(to)),
            Self::Inc(field, by) => Change::Inc(field, by),
            Self::Unset(field) => Change::Unset(field),
            Self::Push(field, value) => Change::Push(field, value.map(to)),
            Self::AddToSet(field, value) => Change::AddToSet(field, value.map(to)),
            Self::Pull(field, value) => Change::Pull(field, value.map(to)),
            Self::SetOnInsert(field, value) => Change::SetOnInsert(field, value.map(to)),
            Self::CurrentDate(field) => Change::CurrentDate(field),
            Self::Max(field, value) => Change::Max(field, value.map(to)),
        }
    }
}

impl<T> Texts<T> for Op<T> {
    type With<U> = Op<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Self::Find(filter, _)
            | Self::FindOne(filter)
            | Self::FindForUpdate(filter)
            | Self::Count(filter)
            | Self::FindAndDelete(filter, _)
            | Self::DeleteOne(filter)
            | Self::DeleteMany(filter) => filter.texts(visit),
            Self::Insert(document) => document.texts(visit),
            Self::Replace(filter, document, _) | Self::LegacyUpdate(filter, document, _) => {
                filter.texts(visit);
                document.texts(visit);
            }
            Self::UpdateOne(filter, changes, _)
            | Self::UpdateMany(filter, changes)
            | Self::FindAndModify(filter, _, changes, ..) => {
                filter.texts(visit);
                changes.iter_mut().for_each(|change| change.texts(visit));
            }
            Self::Begin(_) | Self::Commit | Self::Abort => {}
        }
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Self::Find(filter, _)
            | Self::FindOne(filter)
            | Self::FindForUpdate(filter)
            | Self::Count(filter)
            | Self::FindAndDelete(filter, _)
            | Self::DeleteOne(filter)
            | Self::DeleteMany(filter) => filter.fields(visit),
            Self::Insert(document) => document.fields(visit),
            Self::Replace(filter, document, _) | Self::LegacyUpdate(filter, document, _) => {
                filter.fields(visit);
                document.fields(visit);
            }
            Self::UpdateOne(filter, changes, _)
            | Self::UpdateMany(filter, changes)
            | Self::FindAndModify(filter, _, changes, ..) => {
                filter.fields(visit);
                changes.iter().for_each(|change| change.fields(visit));
            }
            Self::Begin(_) | Self::Commit | Self::Abort => {}
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Op<U> {
        let all = |changes: Vec<Change<T>>, to: &mut dyn FnMut(T) -> U| {
            changes.into_iter().map(|change| change.map(to)).collect()
        };
        match self {
            Self::Find(filter, sort) => Op::Find(filter.map(to), sort),
            Self::FindOne(filter) => Op::FindOne(filter.map(to)),
            Self::FindForUpdate(filter) => Op::FindForUpdate(filter.map(to)),
            Self::Count(filter) => Op::Count(filter.map(to)),
            Self::Insert(document) => Op::Insert(document.map(to)),
            Self::Replace(filter, document, upsert) => Op::Replace(filter.map(to), document.map(to), upsert),
            Self::UpdateOne(filter, changes, upsert) => Op::UpdateOne(filter.map(to), all(changes, to), upsert),
            Self::UpdateMany(filter, changes) => Op::UpdateMany(filter.map(to), all(changes, to)),
            Self::LegacyUpdate(filter, document, upsert) => Op::LegacyUpdate(filter.map(to), document.map(to), upsert),
            Self::FindAndModify(filter, sort, changes, returning, upsert) => {
                Op::FindAndModify(filter.map(to), sort, all(changes, to), returning, upsert)
            }
            Self::FindAndDelete(filter, sort) => Op::FindAndDelete(filter.map(to), sort),
            Self::DeleteOne(filter) => Op::DeleteOne(filter.map(to)),
            Self::DeleteMany(filter) => Op::DeleteMany(filter.map(to)),
            Self::Begin(isolation) => Op::Begin(isolation),
            Self::Commit => Op::Commit,
            Self::Abort => Op::Abort,
        }
    }
}

impl<T> Texts<T> for Request<T> {
    type With<U> = Request<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        self.op.texts(visit);
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        self.op.fields(visit);
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Request<U> {
        let Self { collection, op, transaction, operation, secondary } = self;
        Request { collection, op: op.map(to), transaction, operation, secondary }
    }
}

impl<T> Texts<T> for Response<T> {
    type With<U> = Response<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Self::Done | Self::Count(_) => {}
            Self::Documents(documents) => documents.iter_mut().for_each(|document| document.texts(visit)),
            Self::Document(document) => document.iter_mut().for_each(|document| document.texts(visit)),
            Self::Inserted(id) => id.texts(visit),
            Self::Updated(result) => result.upserted.iter_mut().for_each(|id| id.texts(visit)),
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Response<U> {
        match self {
            Self::Done => Response::Done,
            Self::Count(count) => Response::Count(count),
            Self::Documents(all) => Response::Documents(all.into_iter().map(|document| document.map(to)).collect()),
            Self::Document(document) => Response::Document(document.map(|document| document.map(to))),
            Self::Inserted(id) => Response::Inserted(id.map(to)),
            Self::Updated(UpdateResult { matched, modified, upserted }) => {
                Response::Updated(UpdateResult { matched, modified, upserted: upserted.map(|id| id.map(to)) })
            }
        }
    }
}
