//! Virtual time: the generator, distributions of lengths of time, the event queue, and the clocks of machines, servers and
//! client libraries.

pub mod connection;
pub mod distribution;
pub mod duration;
pub mod empirical;
pub mod library;
pub mod machine;
pub mod queue;
pub mod rng;
pub mod session;

pub use connection::{Alarm, ConnectionClock};
pub use distribution::Distribution;
pub use library::Library;
pub use machine::MachineClock;
pub use queue::EventQueue;
pub use rng::Rng;
pub use session::{Granting, LearnerTouches, SessionTracker};
