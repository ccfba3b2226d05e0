//! The semaphore, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! Three more are public reports: a lease by a stale callback (O02, <https://github.com/python-zk/kazoo/issues/213>), the
//! lease of an acquire that failed (O41, <https://github.com/apache/curator/issues/855>), and two leases for one acquire (O42,
//! <https://github.com/apache/curator/issues/835>).

pub mod blind_lease;
pub mod counts_before_creating;
pub mod waits_by_index;

pub use blind_lease::BlindLease;
pub use counts_before_creating::CountsBeforeCreating;
pub use waits_by_index::WaitsByIndex;
