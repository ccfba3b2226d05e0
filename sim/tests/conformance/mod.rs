//! The case language and what runs it.

pub mod language;
pub mod request;
pub mod world;
