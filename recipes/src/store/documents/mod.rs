//! A document store with MongoDB's semantics: atomic for one document, not across documents.

mod texts;
mod words;

use std::future::Future;

use super::StoreError;
use super::value::{Doc, Field, Value};

/// Which documents are meant. Paths reach into nested documents: `items.amount`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter<T = String> {
    /// Every document.
    All,
    /// The value is that. With [`Value::Null`]: it is null **or missing**. A list matches if one of its elements does.
    Eq(Field, Value<T>),
    /// The negation of [`Filter::Eq`]: a missing field is not equal to 20, so it matches.
    Ne(Field, Value<T>),
    /// Less than; values of other types, null and missing never match (type bracketing).
    Lt(Field, Value<T>),
    /// At most.
    Lte(Field, Value<T>),
    /// Greater than.
    Gt(Field, Value<T>),
    /// At least.
    Gte(Field, Value<T>),
    /// One of them.
    In(Field, Vec<Value<T>>),
    /// All of them hold.
    And(Vec<Filter<T>>),
    /// One of them holds.
    Or(Vec<Filter<T>>),
}

/// The value of the field is that.
pub fn eq(field: &'static str, value: impl Into<Value>) -> Filter {
    Filter::Eq(field.into(), value.into())
}

/// The value of the field is not that.
pub fn ne(field: &'static str, value: impl Into<Value>) -> Filter {
    Filter::Ne(field.into(), value.into())
}

/// All of them hold.
pub fn and(filters: impl IntoIterator<Item = Filter>) -> Filter {
    Filter::And(filters.into_iter().collect())
}

/// A change of one document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change<T = String> {
    /// `$set`.
    Set(Field, Value<T>),
    /// `$inc`: a missing field is made; null or another type is an error ([`StoreError::NotANumber`]).
    Inc(Field, i64),
    /// `$unset`.
    Unset(Field),
    /// `$push`: a missing list is made.
    Push(Field, Value<T>),
    /// `$addToSet`: pushes unless it is in.
    AddToSet(Field, Value<T>),
    /// `$pull`: takes all equal elements out.
    Pull(Field, Value<T>),
    /// `$setOnInsert`: only if the upsert inserts.
    SetOnInsert(Field, Value<T>),
    /// `$currentDate`: the server's clock.
    CurrentDate(Field),
    /// `$max`: sets if greater.
    Max(Field, Value<T>),
}

/// `$set` of a field.
pub fn set(field: &'static str, value: impl Into<Value>) -> Change {
    Change::Set(field.into(), value.into())
}

/// `$inc` of a field.
pub fn inc(field: &'static str, by: i64) -> Change {
    Change::Inc(field.into(), by)
}

/// How much of each other concurrent transactions see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isolation {
    /// Each statement sees what is committed by then; written and locked rows are locked until the end, others wait.
    ReadCommitted,
    /// All reads are of the moment of the first; the second writer of a document is aborted ([`StoreError::WriteConflict`]).
    Snapshot,
    /// As if one after the other: a commit is refused when something that was read, or looked for, has changed.
    Serialisable,
}

/// Whether find-and-modify answers the document as it was or as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Returning {
    /// As it was.
    Before,
    /// As it is now.
    After,
}

/// In which order documents are taken: by a field, ascending or descending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// The field.
    pub field: Field,
    /// The largest first.
    pub descending: bool,
}

/// What became of an update or a replace. `matched` counts documents found, `modified` those that really changed: `$set` to the
/// present value gives 1 and 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UpdateResult<T = String> {
    /// Documents found.
    pub matched: u32,
    /// Documents changed.
    pub modified: u32,
    /// The `_id` of the document that the upsert has made.
    pub upserted: Option<Value<T>>,
}

/// What is done to a collection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op<T = String> {
    /// All that match, in the order of their making, or sorted.
    Find(Filter<T>, Option<Sort>),
    /// The first that matches.
    FindOne(Filter<T>),
    /// The first that matches, locked until the transaction ends. What does not exist cannot be locked.
    FindForUpdate(Filter<T>),
    /// How many match.
    Count(Filter<T>),
    /// Makes a document; without `_id` the store draws one.
    Insert(Value<T>),
    /// Exchanges all fields but `_id` of the first that matches; `true`: makes one if none does. A document with operators is
    /// an error.
    Replace(Filter<T>, Value<T>, bool),
    /// Changes the first that matches; `true`: makes one if none does, in two steps where no unique index stands guard.
    UpdateOne(Filter<T>, Vec<Change<T>>, bool),
    /// Changes all that match, one after the other: other operations come in between.
    UpdateMany(Filter<T>, Vec<Change<T>>),
    /// The old shell's `update` with a plain document: **replaces** the first that matches.
    LegacyUpdate(Filter<T>, Value<T>, bool),
    /// Changes the first that matches and answers it.
    FindAndModify(Filter<T>, Option<Sort>, Vec<Change<T>>, Returning, bool),
    /// Deletes the first that matches, and answers it.
    FindAndDelete(Filter<T>, Option<Sort>),
    /// Deletes the first that matches.
    DeleteOne(Filter<T>),
    /// Deletes all that match, one after the other.
    DeleteMany(Filter<T>),
    /// Begins a transaction.
    Begin(Isolation),
    /// Ends a transaction; all of it takes effect at once, or none.
    Commit,
    /// Ends a transaction without effect.
    Abort,
}

/// What a client asks of the store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request<T = String> {
    /// The collection.
    pub collection: &'static str,
    /// What.
    pub op: Op<T>,
    /// The client's transaction of that number; `None`: outside of any.
    pub transaction: Option<u8>,
    /// A number by which the store knows a write that is sent again (retryable writes): it takes effect once, and is answered
    /// as the first time.
    pub operation: Option<u32>,
    /// Reads go to a replica, which may lag.
    pub secondary: bool,
}

/// What the store answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<T = String> {
    /// Begin, Commit, Abort.
    Done,
    /// Find.
    Documents(Vec<Value<T>>),
    /// FindOne, FindForUpdate, FindAndModify, FindAndDelete.
    Document(Option<Value<T>>),
    /// Count, DeleteOne, DeleteMany.
    Count(u32),
    /// Insert: the `_id`.
    Inserted(Value<T>),
    /// Replace, UpdateOne, UpdateMany, LegacyUpdate.
    Updated(UpdateResult<T>),
}

/// A client's handle.
pub trait Documents: Clone {
    /// Sends a request.
    fn request(&self, request: Request) -> impl Future<Output = Result<Response, StoreError>>;

    /// An operation outside of any transaction.
    fn run(&self, collection: &'static str, op: Op) -> impl Future<Output = Result<Response, StoreError>> {
        self.request(Request { collection, op, transaction: None, operation: None, secondary: false })
    }

    /// An operation inside the client's transaction of that number (begins and ends it, too).
    fn within(
        &self,
        transaction: u8,
        collection: &'static str,
        op: Op,
    ) -> impl Future<Output = Result<Response, StoreError>> {
        self.request(Request { collection, op, transaction: Some(transaction), operation: None, secondary: false })
    }

    /// A write that the store knows again by its number, which the client must not use for another.
    fn retryable(
        &self,
        operation: u32,
        collection: &'static str,
        op: Op,
    ) -> impl Future<Output = Result<Response, StoreError>> {
        self.request(Request { collection, op, transaction: None, operation: Some(operation), secondary: false })
    }

    /// A read at a replica.
    fn at_replica(&self, collection: &'static str, op: Op) -> impl Future<Output = Result<Response, StoreError>> {
        self.request(Request { collection, op, transaction: None, operation: None, secondary: true })
    }

    /// The first document that matches.
    fn find_one(
        &self,
        collection: &'static str,
        filter: Filter,
    ) -> impl Future<Output = Result<Option<Value>, StoreError>> {
        let call = self.run(collection, Op::FindOne(filter));
        async { call.await.map(Response::document) }
    }

    /// All documents that match, in the order of their making.
    fn find(&self, collection: &'static str, filter: Filter) -> impl Future<Output = Result<Vec<Value>, StoreError>> {
        let call = self.run(collection, Op::Find(filter, None));
        async { call.await.map(Response::documents) }
    }

    /// Makes a document; answers its `_id`.
    fn insert(&self, collection: &'static str, document: Value) -> impl Future<Output = Result<Value, StoreError>> {
        let call = self.run(collection, Op::Insert(document));
        async {
            match call.await? {
                Response::Inserted(id) => Ok(id),
                other => unreachable!("insert answered with {other:?}"),
            }
        }
    }

    /// Exchanges all fields of the first document that matches.
    fn replace_one(
        &self,
        collection: &'static str,
        filter: Filter,
        document: Value,
    ) -> impl Future<Output = Result<UpdateResult, StoreError>> {
        let call = self.run(collection, Op::Replace(filter, document, false));
        async { call.await.map(Response::updated) }
    }

    /// Changes the first document that matches.
    fn update_one(
        &self,
        collection: &'static str,
        filter: Filter,
        changes: Vec<Change>,
    ) -> impl Future<Output = Result<UpdateResult, StoreError>> {
        let call = self.run(collection, Op::UpdateOne(filter, changes, false));
        async { call.await.map(Response::updated) }
    }

    /// The same; makes a document if none matches.
    fn upsert_one(
        &self,
        collection: &'static str,
        filter: Filter,
        changes: Vec<Change>,
    ) -> impl Future<Output = Result<UpdateResult, StoreError>> {
        let call = self.run(collection, Op::UpdateOne(filter, changes, true));
        async { call.await.map(Response::updated) }
    }

    /// Changes all documents that match, one after the other.
    fn update_many(
        &self,
        collection: &'static str,
        filter: Filter,
        changes: Vec<Change>,
    ) -> impl Future<Output = Result<UpdateResult, StoreError>> {
        let call = self.run(collection, Op::UpdateMany(filter, changes));
        async { call.await.map(Response::updated) }
    }

    /// Changes the first document that matches, and answers it as it was or as it is now.
    fn find_and_modify(
        &self,
        collection: &'static str,
        filter: Filter,
        changes: Vec<Change>,
        returning: Returning,
    ) -> impl Future<Output = Result<Option<Value>, StoreError>> {
        let call = self.run(collection, Op::FindAndModify(filter, None, changes, returning, false));
        async { call.await.map(Response::document) }
    }

    /// Deletes the first document that matches: whether there was one.
    fn delete_one(&self, collection: &'static str, filter: Filter) -> impl Future<Output = Result<bool, StoreError>> {
        let call = self.run(collection, Op::DeleteOne(filter));
        async { call.await.map(|response| response.count() > 0) }
    }
}

impl Response {
    /// The document of a [`Response::Document`].
    ///
    /// # Panics
    /// When it is another response.
    pub fn document(self) -> Option<Value> {
        if let Self::Document(document) = self { document } else { unreachable!("the store answered with {self:?}") }
    }

    /// The documents of a [`Response::Documents`].
    ///
    /// # Panics
    /// When it is another response.
    pub fn documents(self) -> Vec<Value> {
        if let Self::Documents(documents) = self { documents } else { unreachable!("the store answered with {self:?}") }
    }

    /// The result of a [`Response::Updated`].
    ///
    /// # Panics
    /// When it is another response.
    pub fn updated(self) -> UpdateResult {
        if let Self::Updated(result) = self { result } else { unreachable!("the store answered with {self:?}") }
    }

    /// The number of a [`Response::Count`].
    ///
    /// # Panics
    /// When it is another response.
    pub fn count(self) -> u32 {
        if let Self::Count(count) = self { count } else { unreachable!("the store answered with {self:?}") }
    }
}

impl<T> From<Doc<T>> for Value<T> {
    fn from(doc: Doc<T>) -> Self {
        Value::Doc(doc)
    }
}
