//! Stores for data, as client traits: a distributed hash table, documents, messages, a search endpoint.
//!
//! The types are generic over how they hold text: programs use [`String`], the simulator keeps the names inside a text apart.
//! A production client implements each trait's one method `request`; everything else is written on top of it.

pub mod dht;
pub mod documents;
pub mod messages;
pub mod search;
mod value;

use std::fmt;

pub use dht::{Dht, Expiration, Item, Node, Updated, Version};
pub use documents::{Change, Documents, Filter, Isolation, Returning, UpdateResult};
pub use messages::{Message, Messages};
pub use search::Search;
pub use value::{Doc, Field, Texts, Value, doc};

use crate::Environment;

/// Why a call to a store failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StoreError {
    /// No answer came in time. The call may have taken effect, may do so later, or never will.
    Unknown,
    /// The node or server cannot be reached. Nothing was done.
    Unavailable,
    /// A document with the same value under a unique index is there (E11000). Nothing was done.
    DuplicateKey,
    /// Another transaction has written the same document; this one is aborted (error 112, TransientTransactionError).
    WriteConflict,
    /// The transaction is over or was never begun.
    NoTransaction,
    /// The operation needs a number, and the value is none.
    NotANumber,
    /// The value is larger than the store takes.
    TooLarge,
    /// The store has no room and does not evict.
    OutOfMemory,
    /// The request is malformed.
    BadRequest,
    /// The store was stopped in the middle: some of the documents are changed, others are not.
    HalfDone,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no answer in time",
            Self::Unavailable => "unavailable",
            Self::DuplicateKey => "duplicate key",
            Self::WriteConflict => "write conflict",
            Self::NoTransaction => "no such transaction",
            Self::NotANumber => "not a number",
            Self::TooLarge => "too large",
            Self::OutOfMemory => "out of memory",
            Self::BadRequest => "bad request",
            Self::HalfDone => "stopped half done",
        })
    }
}

impl std::error::Error for StoreError {}

/// The surroundings of a recipe that works on data.
pub trait DataEnvironment: Environment {
    /// The distributed hash table.
    type Dht: Dht + 'static;
    /// The document store.
    type Documents: Documents + 'static;
    /// The queues.
    type Messages: Messages + 'static;
    /// The search endpoint.
    type Search: Search + 'static;

    /// The distributed hash table.
    fn dht(&self) -> Self::Dht;
    /// The document store.
    fn documents(&self) -> Self::Documents;
    /// The queues.
    fn messages(&self) -> Self::Messages;
    /// The search endpoint.
    fn search(&self) -> Self::Search;
}
