//! Virtual time: where its numbers come from.

pub mod rng;
