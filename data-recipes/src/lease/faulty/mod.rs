//! The lease, spoilt.

pub mod number_drawn_late;
pub mod plain_delete;
pub mod unfenced;
