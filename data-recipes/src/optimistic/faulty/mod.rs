//! Spoilt twins of optimistic locking, each wrong in the one thing that its name says.

mod conflict_swallowed;
mod lost_reply;
mod mapped;
mod not_awaited;
mod replace_retried;
mod stale_object;
mod version_not_bumped;
mod version_not_checked;

pub use conflict_swallowed::conflict_swallowed;
pub use lost_reply::lost_reply_as_conflict;
pub use mapped::mapped;
pub use not_awaited::not_awaited;
pub use replace_retried::replace_retried;
pub use stale_object::stale_object;
pub use version_not_bumped::version_not_bumped;
pub use version_not_checked::version_not_checked;
