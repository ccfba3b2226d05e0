//! Two groups, spoilt.

pub mod intent_deleted_early;
pub mod intent_number_ignored;
pub mod intent_plain_delete;
pub mod intent_record_read_first;
pub mod intent_unversioned;
pub mod own_order;
pub mod plain;
pub mod redo_numbers_alone;
pub mod redo_order_alone;
pub mod redo_unversioned;
pub mod unfenced;
