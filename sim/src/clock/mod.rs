//! Virtual time: the generator, distributions of lengths of time, and the event queue.

pub mod distribution;
pub mod duration;
pub mod empirical;
pub mod queue;
pub mod rng;

pub use distribution::Distribution;
pub use queue::EventQueue;
pub use rng::Rng;
