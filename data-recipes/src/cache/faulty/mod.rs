//! Caches that keep what is old.

pub mod fill_if_absent;
pub mod invalidate_first;
pub mod plain_fill;
