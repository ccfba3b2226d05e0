//! Groups, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! *Slip* numbers count the slips of the posts (`semantics §6.6`; seed 2 in `docs/sources.md`).

pub mod absence_forgotten;
pub mod blind_retry;
pub mod found_written_back;
pub mod items_for_keys;
pub mod key_before_item;
pub mod node_order;
pub mod plain_set;
pub mod unbounded;
