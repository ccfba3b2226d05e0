//! The deterministic world of Overtake.
pub mod clock;
pub mod live;
pub mod names;
pub mod program;
mod text;
pub mod world;
pub mod zookeeper;
