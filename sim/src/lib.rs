//! The deterministic world of Overtake.
pub mod clock;
pub mod ensemble;
pub mod live;
pub mod names;
pub mod program;
pub mod resource;
pub mod stores;
mod text;
pub mod world;
pub mod zookeeper;
