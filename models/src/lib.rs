//! Scenarios and properties as models, and the searches over them.
pub mod property;
pub mod search;
pub mod space;
