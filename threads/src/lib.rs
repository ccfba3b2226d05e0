//! The recipes for threads: the blocking face that Curator's users know, over the same async code.
//!
//! There is one implementation of each protocol, in `overtake-recipes`. Here the calling thread runs its future and sleeps
//! on a [wake-up cell](wake::WakeCell) until the client's event thread has something for it. All that locks and waits goes
//! through the [door](sync::Threads), so the same code runs on real threads, under shuttle and under loom.
//!
//! Whom a client talks to is a [`Service`](client::Service). The only one there is today is the simulated server (feature
//! `check`): an adapter to a real one is still to be written.
//!
//! ```
//! # #[cfg(feature = "check")] {
//! use overtake_threads::client::{Hub, Options};
//! use overtake_threads::{Client, Error, InterProcessLock, InterProcessMutex, Simulated, Std};
//!
//! // Threads of the operating system, over a simulated server.
//! let hub = Hub::<Std, _>::new(Simulated::new(2, &["/lock"]), 2);
//! let work = |place| {
//!     let client = Client::start(&hub, place, Options::default());
//!     std::thread::spawn(move || {
//!         let mutex = InterProcessMutex::new(&client, "/lock");
//!         mutex.acquire()?;
//!         // The section: one thread at a time, of all clients.
//!         mutex.release()?;
//!         client.close();
//!         Ok::<(), Error>(())
//!     })
//! };
//! for thread in [work(0), work(1)] {
//!     thread.join().expect("it does not panic").expect("it gets the lock");
//! }
//! # }
//! ```
#![allow(clippy::type_complexity, reason = "types are generic over the engine that runs them, and so long")]

pub mod block_on;
#[cfg(feature = "check")]
pub mod chapter;
#[cfg(feature = "check")]
pub mod check;
pub mod client;
pub mod error;
#[cfg(feature = "check")]
pub mod faulty;
pub mod gate;
pub mod latch;
pub mod multi;
pub mod mutex;
pub mod owners;
#[cfg(feature = "check")]
pub mod programs;
pub mod read_write;
pub mod revoke;
pub mod semaphore;
#[cfg(feature = "check")]
pub mod simulated;
pub mod sync;
pub mod wake;

pub use block_on::{Interrupt, Interrupted};
pub use client::Client;
pub use error::Error;
pub use latch::LeaderLatch;
pub use multi::InterProcessMultiLock;
pub use mutex::{InterProcessLock, InterProcessMutex};
pub use read_write::InterProcessReadWriteLock;
pub use semaphore::{InterProcessSemaphoreMutex, InterProcessSemaphoreV2, Lease};
#[cfg(feature = "check")]
pub use simulated::Simulated;
pub use sync::{Std, Threads};
