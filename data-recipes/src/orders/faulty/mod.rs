//! Consumers that take the queue's order for the order of an order's messages.

pub mod lock_alone;
pub mod read_change_replace;
