//! The five snippets of the talk on atomic updates, word for word in behaviour, each of their slips alone, and their repairs.
//!
//! A snippet stands in the file of its number as `as_written`; each slip is a program of its own that is right but for it. `repaired` is
//! what holds. The talk's own repairs stand as `proposed` where something is still open in them (`semantics` §7.5).

pub mod five_close_payments;
pub mod four_legacy_users;
pub mod one_replace;
pub mod three_insert_or_update;
pub mod two_set;

use std::fmt;

use overtake_recipes::StoreError;
use overtake_recipes::store::Value;

/// The baskets' items: `{guid, itemId, amount}`.
pub const ITEMS: &str = "basketItems";
/// The collection that the talk's third repair writes to by a slip of the keyboard.
pub const ITEMS_MISSPELT: &str = "basketitems";
/// The total of all items: `{total}`.
pub const TOTALS: &str = "totals";
/// The users: `{guid, createdOn}`.
pub const USERS: &str = "users";
/// The payments: `{guid, completedOn}`.
pub const PAYMENTS: &str = "payments";

/// What the language throws, or the store answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// A field of null or undefined.
    TypeError(&'static str),
    /// A variable that is nowhere defined.
    ReferenceError(&'static str),
    /// The store's error.
    Store(StoreError),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TypeError(what) => write!(f, "TypeError: {what}"),
            Self::ReferenceError(name) => write!(f, "ReferenceError: {name} is not defined"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ScriptError {}

impl From<StoreError> for ScriptError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What was found, as the language takes it: a field of nothing is an error.
fn field_of(found: Option<Value>) -> Result<Value, ScriptError> {
    found.ok_or(ScriptError::TypeError("cannot read properties of null"))
}
