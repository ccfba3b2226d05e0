//! The deterministic world of Overtake.
pub mod names;
pub mod zookeeper;
