//! A distributed hash table: access by key only, one key at a time.
//!
//! The five operations are those of the posts on distributed hash tables (`SET`, `PUT`, `GET`, `DEL`, `UPDATE`); beside them what
//! every such store has: a batch of reads at one node, touch, increment, and memcached's own `cas`, `replace`, `append`, `prepend`.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use super::StoreError;
use super::value::{Texts, Value};

/// What an item's version is: changed by each store, compared for equality only. Versions of different nodes, and of different
/// lives of one node, have nothing to do with each other (memcached: one counter for each server process).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(pub u64);

/// A node of the table, by number from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u8);

/// How long an item lives if nobody takes it away before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expiration {
    /// Until it is deleted, or evicted.
    Never,
    /// So long. The untimed search lets it expire at any moment.
    After(Duration),
    /// It is stored and gone at once (memcached: a negative time, or one of more than 30 days in seconds).
    AtOnce,
}

/// An item as it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item<T = String> {
    /// The data.
    pub data: Value<T>,
    /// For [`Dht::update`].
    pub version: Version,
}

/// What became of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Updated {
    /// The version matched, the data is stored (STORED).
    Stored,
    /// The item has another version (EXISTS). After a lost answer it may be the one of this very call.
    Moved,
    /// There is no item (NOT_FOUND).
    Absent,
}

/// What a client asks of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request<T = String> {
    /// SET key, data, expiration.
    Set(Node, T, Value<T>, Expiration),
    /// PUT key, data, expiration: only if it is not there (memcached's `add`).
    Put(Node, T, Value<T>, Expiration),
    /// Only if it is there.
    Replace(Node, T, Value<T>, Expiration),
    /// GET key.
    Get(Node, T),
    /// A batch of reads at one node: single look-ups one after the other, no snapshot.
    GetMany(Node, Vec<T>),
    /// DEL key.
    Del(Node, T),
    /// Only if the version is still that (memcached's meta-delete).
    DelIf(Node, T, Version),
    /// UPDATE key, data, version; with an expiration as memcached's `cas` has it.
    Update(Node, T, Value<T>, Version, Option<Expiration>),
    /// Another life for the item.
    Touch(Node, T, Expiration),
    /// A read that gives the item another life (memcached's `gat`).
    GetAndTouch(Node, T, Expiration),
    /// Adds to a number; never creates.
    Increment(Node, T, i64),
    /// Adds elements to the end of a list (memcached appends bytes); never creates.
    Append(Node, T, Value<T>),
    /// The same in front of them (memcached's `prepend`).
    Prepend(Node, T, Value<T>),
    /// Everything at the node is treated as gone.
    Flush(Node),
}

/// What a node answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<T = String> {
    /// SET, Flush.
    Done,
    /// PUT, Replace, DEL, DelIf, Touch, Append, Prepend: whether it was done.
    Was(bool),
    /// GET, GetAndTouch.
    Item(Option<Item<T>>),
    /// GetMany, in the order of the keys.
    Items(Vec<Option<Item<T>>>),
    /// UPDATE.
    Updated(Updated),
    /// Increment: the new number, if there is one.
    Number(Option<i64>),
}

/// A client's handle. The key is `impl AsRef<str>`-like text; the node is the client's own choice, by the ring that it knows.
pub trait Dht: Clone {
    /// Sends a request to its node.
    fn request(&self, request: Request) -> impl Future<Output = Result<Response, StoreError>>;

    /// The node that owns a key, by the ring that this client knows.
    fn owner(&self, key: &str) -> Node;

    /// SET key, data, expiration.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] and [`StoreError::OutOfMemory`]: the old value is gone all the same.
    fn set(&self, key: &str, data: Value, expiration: Expiration) -> impl Future<Output = Result<(), StoreError>> {
        let call = self.request(Request::Set(self.owner(key), key.into(), data, expiration));
        async { call.await.map(drop) }
    }

    /// PUT key, data, expiration: `false` when an item is there already.
    fn put(&self, key: &str, data: Value, expiration: Expiration) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Put(self.owner(key), key.into(), data, expiration)))
    }

    /// Stores only if an item is there.
    fn replace(
        &self,
        key: &str,
        data: Value,
        expiration: Expiration,
    ) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Replace(self.owner(key), key.into(), data, expiration)))
    }

    /// GET key: `None` when there is no item, or when it has expired.
    fn get(&self, key: &str) -> impl Future<Output = Result<Option<Item>, StoreError>> {
        item(self.request(Request::Get(self.owner(key), key.into())))
    }

    /// A batch of reads at one node, answered in the order of the keys.
    fn get_many(&self, node: Node, keys: &[String]) -> impl Future<Output = Result<Vec<Option<Item>>, StoreError>> {
        let call = self.request(Request::GetMany(node, keys.to_vec()));
        async {
            match call.await? {
                Response::Items(items) => Ok(items),
                other => unexpected(&other),
            }
        }
    }

    /// DEL key: whether there was an item.
    fn del(&self, key: &str) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Del(self.owner(key), key.into())))
    }

    /// Deletes only if the version is still that.
    fn del_if(&self, key: &str, version: Version) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::DelIf(self.owner(key), key.into(), version)))
    }

    /// UPDATE key, data, version. What becomes of the item's expiration is the store's rule.
    fn update(&self, key: &str, data: Value, version: Version) -> impl Future<Output = Result<Updated, StoreError>> {
        updated(self.request(Request::Update(self.owner(key), key.into(), data, version, None)))
    }

    /// The same with an expiration that takes the place of the old one.
    fn update_until(
        &self,
        key: &str,
        data: Value,
        version: Version,
        expiration: Expiration,
    ) -> impl Future<Output = Result<Updated, StoreError>> {
        updated(self.request(Request::Update(self.owner(key), key.into(), data, version, Some(expiration))))
    }

    /// Gives the item another life; the version stays. `false` when there is none.
    fn touch(&self, key: &str, expiration: Expiration) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Touch(self.owner(key), key.into(), expiration)))
    }

    /// Adds to a number, and answers the new one; `None` when there is no item.
    fn increment(&self, key: &str, by: i64) -> impl Future<Output = Result<Option<i64>, StoreError>> {
        let call = self.request(Request::Increment(self.owner(key), key.into(), by));
        async {
            match call.await? {
                Response::Number(number) => Ok(number),
                other => unexpected(&other),
            }
        }
    }

    /// Adds elements to the end of a list; `false` when there is no item.
    fn append(&self, key: &str, elements: Value) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Append(self.owner(key), key.into(), elements)))
    }

    /// Puts elements in front of a list; `false` when there is no item.
    fn prepend(&self, key: &str, elements: Value) -> impl Future<Output = Result<bool, StoreError>> {
        was(self.request(Request::Prepend(self.owner(key), key.into(), elements)))
    }
}

async fn was(call: impl Future<Output = Result<Response, StoreError>>) -> Result<bool, StoreError> {
    match call.await? {
        Response::Was(was) => Ok(was),
        other => unexpected(&other),
    }
}

async fn item(call: impl Future<Output = Result<Response, StoreError>>) -> Result<Option<Item>, StoreError> {
    match call.await? {
        Response::Item(item) => Ok(item),
        other => unexpected(&other),
    }
}

async fn updated(call: impl Future<Output = Result<Response, StoreError>>) -> Result<Updated, StoreError> {
    match call.await? {
        Response::Updated(updated) => Ok(updated),
        other => unexpected(&other),
    }
}

fn unexpected<T>(response: &Response) -> T {
    unreachable!("the node answered with {response:?}")
}

impl<T> Request<T> {
    /// The node it goes to.
    pub fn node(&self) -> Node {
        match self {
            Self::Set(node, ..)
            | Self::Put(node, ..)
            | Self::Replace(node, ..)
            | Self::Get(node, ..)
            | Self::GetMany(node, ..)
            | Self::Del(node, ..)
            | Self::DelIf(node, ..)
            | Self::Update(node, ..)
            | Self::Touch(node, ..)
            | Self::GetAndTouch(node, ..)
            | Self::Increment(node, ..)
            | Self::Append(node, ..)
            | Self::Prepend(node, ..)
            | Self::Flush(node) => *node,
        }
    }
}

impl<T> Texts<T> for Request<T> {
    type With<U> = Request<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Self::Set(_, key, data, _) | Self::Put(_, key, data, _) | Self::Replace(_, key, data, _) => {
                visit(key);
                data.texts(visit);
            }
            Self::Update(_, key, data, ..) | Self::Append(_, key, data) | Self::Prepend(_, key, data) => {
                visit(key);
                data.texts(visit);
            }
            Self::Get(_, key)
            | Self::Del(_, key)
            | Self::DelIf(_, key, _)
            | Self::Touch(_, key, _)
            | Self::GetAndTouch(_, key, _)
            | Self::Increment(_, key, _) => visit(key),
            Self::GetMany(_, keys) => keys.iter_mut().for_each(visit),
            Self::Flush(_) => {}
        }
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Self::Set(_, _, data, _)
            | Self::Put(_, _, data, _)
            | Self::Replace(_, _, data, _)
            | Self::Update(_, _, data, ..)
            | Self::Append(_, _, data)
            | Self::Prepend(_, _, data) => data.fields(visit),
            _ => {}
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Request<U> {
        match self {
            Self::Set(node, key, data, until) => Request::Set(node, to(key), data.map(to), until),
            Self::Put(node, key, data, until) => Request::Put(node, to(key), data.map(to), until),
            Self::Replace(node, key, data, until) => Request::Replace(node, to(key), data.map(to), until),
            Self::Get(node, key) => Request::Get(node, to(key)),
            Self::GetMany(node, keys) => Request::GetMany(node, keys.into_iter().map(to).collect()),
            Self::Del(node, key) => Request::Del(node, to(key)),
            Self::DelIf(node, key, version) => Request::DelIf(node, to(key), version),
            Self::Update(node, key, data, version, until) => {
                Request::Update(node, to(key), data.map(to), version, until)
            }
            Self::Touch(node, key, until) => Request::Touch(node, to(key), until),
            Self::GetAndTouch(node, key, until) => Request::GetAndTouch(node, to(key), until),
            Self::Increment(node, key, by) => Request::Increment(node, to(key), by),
            Self::Append(node, key, data) => Request::Append(node, to(key), data.map(to)),
            Self::Prepend(node, key, data) => Request::Prepend(node, to(key), data.map(to)),
            Self::Flush(node) => Request::Flush(node),
        }
    }
}

impl<T> Texts<T> for Item<T> {
    type With<U> = Item<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        self.data.texts(visit);
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Item<U> {
        Item { data: self.data.map(to), version: self.version }
    }
}

impl<T> Texts<T> for Response<T> {
    type With<U> = Response<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Self::Done | Self::Was(_) | Self::Updated(_) | Self::Number(_) => {}
            Self::Item(item) => item.iter_mut().for_each(|item| item.texts(visit)),
            Self::Items(items) => items.iter_mut().flatten().for_each(|item| item.texts(visit)),
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Response<U> {
        match self {
            Self::Done => Response::Done,
            Self::Was(was) => Response::Was(was),
            Self::Updated(updated) => Response::Updated(updated),
            Self::Number(number) => Response::Number(number),
            Self::Item(item) => Response::Item(item.map(|item| item.map(to))),
            Self::Items(items) => {
                Response::Items(items.into_iter().map(|item| item.map(|item| item.map(to))).collect())
            }
        }
    }
}

impl fmt::Display for Expiration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => Ok(()),
            Self::After(life) => write!(f, " for {life:?}"),
            Self::AtOnce => f.write_str(" (expired at once)"),
        }
    }
}

/// As it stands in stories: `UPDATE news [a, b] if version 3`.
impl<T: fmt::Display> fmt::Display for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(_, key, data, until) => write!(f, "SET {key} = {data}{until}"),
            Self::Put(_, key, data, until) => write!(f, "PUT {key} = {data}{until}"),
            Self::Replace(_, key, data, until) => write!(f, "REPLACE {key} = {data}{until}"),
            Self::Get(_, key) => write!(f, "GET {key}"),
            Self::GetMany(_, keys) => {
                f.write_str("GET")?;
                keys.iter().try_for_each(|key| write!(f, " {key}"))
            }
            Self::Del(_, key) => write!(f, "DEL {key}"),
            Self::DelIf(_, key, version) => write!(f, "DEL {key} if version {}", version.0),
            Self::Update(_, key, data, version, until) => {
                write!(f, "UPDATE {key} = {data}{} if version {}", until.unwrap_or(Expiration::Never), version.0)
            }
            Self::Touch(_, key, until) => write!(f, "TOUCH {key}{until}"),
            Self::GetAndTouch(_, key, until) => write!(f, "GET and TOUCH {key}{until}"),
            Self::Increment(_, key, by) => write!(f, "INCREMENT {key} by {by}"),
            Self::Append(_, key, data) => write!(f, "APPEND {key} {data}"),
            Self::Prepend(_, key, data) => write!(f, "PREPEND {key} {data}"),
            Self::Flush(_) => f.write_str("FLUSH"),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (version {})", self.data, self.version.0)
    }
}

impl<T: fmt::Display> fmt::Display for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = |item: &Option<Item<T>>| item.as_ref().map_or("nothing".to_owned(), ToString::to_string);
        match self {
            Self::Done => f.write_str("done"),
            Self::Was(true) => f.write_str("yes"),
            Self::Was(false) => f.write_str("no"),
            Self::Item(found) => f.write_str(&item(found)),
            Self::Items(items) => f.write_str(&items.iter().map(item).collect::<Vec<_>>().join(", ")),
            Self::Updated(Updated::Stored) => f.write_str("stored"),
            Self::Updated(Updated::Moved) => f.write_str("not stored: the version is another"),
            Self::Updated(Updated::Absent) => f.write_str("not stored: there is no item"),
            Self::Number(Some(number)) => write!(f, "{number}"),
            Self::Number(None) => f.write_str("nothing"),
        }
    }
}
