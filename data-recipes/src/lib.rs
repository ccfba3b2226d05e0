//! Recipes on hash tables, documents and queues as ordinary `async` Rust, right and faulty.
//!
//! The code here knows nothing of the checker: it sees the world through the traits of [`overtake_recipes::store`] and
//! [`overtake_recipes::Environment`] only, and runs in production with an implementation of them.

pub mod cache;
pub mod carts;
pub mod group;
pub mod lease;
pub mod optimistic;
pub mod orders;
pub mod pessimistic;
pub mod search;
pub mod snippets;
pub mod two_groups;
