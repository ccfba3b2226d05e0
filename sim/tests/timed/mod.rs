//! Clocks of servers and clients on a test bench, and the language of its cases.

pub mod bench;
pub mod language;
