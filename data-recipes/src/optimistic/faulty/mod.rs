//! Spoilt twins of optimistic locking, each wrong in the one thing that its name says.

mod conflict_swallowed;
mod lost_reply;
mod stale_object;
mod version_not_bumped;
mod version_not_checked;

pub use conflict_swallowed::conflict_swallowed;
pub use lost_reply::lost_reply_as_conflict;
pub use stale_object::stale_object;
pub use version_not_bumped::version_not_bumped;
pub use version_not_checked::version_not_checked;
