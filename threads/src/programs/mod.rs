//! Programs of threads that searches look at: the small parts, the seed's notes, the public reports.
pub mod common;
pub mod controls;
pub mod memory;
pub mod reports;
