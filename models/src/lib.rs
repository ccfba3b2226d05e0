//! Scenarios and properties as models, and the searches over them.
pub mod bugs;
pub mod check;
pub mod explorer;
pub mod frontier;
pub mod hunt;
pub mod manifest;
pub mod odds;
pub mod plots;
pub mod property;
pub mod prove;
pub mod replay;
pub mod report;
pub mod sample;
pub mod scenario;
pub mod scenarios;
pub mod search;
pub mod shrink;
pub mod space;
pub mod story;
pub mod throughput;
pub mod timed;
pub mod trace;

pub use check::{Checked, Finding, Options, Order, Verdict, check};
pub use property::Property;
pub use scenario::{Expected, Scenario, scenario};
pub use trace::Trace;
