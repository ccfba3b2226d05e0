//! Overtake.
