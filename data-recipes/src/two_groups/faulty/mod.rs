//! Two groups, spoilt.

pub mod own_order;
pub mod plain;
pub mod unfenced;
