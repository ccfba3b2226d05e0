//! Searches that show what was not asked last.

pub mod cancel_only;
pub mod debounce;
pub mod last_arrival;
