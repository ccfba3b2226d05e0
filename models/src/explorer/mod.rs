//! The explorer: a browser walks through a scenario or a trace, step by step.
//!
//! It is stateright's own page and server over a [`ScenarioModel`]. What that page does not do is done here:
//!
//! - It evaluates no property in the state that is shown. Every picture has the truth of each of them at its last
//!   state on top, judged as the searches judge it.
//! - It visits nothing until told to. The search is started at once where the states without reductions are few; else
//!   the picture says that it was not. Where it runs, the paths to violations that it offers are not the shortest: the
//!   last violation it meets replaces the ones before.
//! - It knows no fair loops. A property about what happens at last is judged where nothing can happen any more, and at
//!   the end of a trace that repeats for ever; its name says so.
//!
//! Only this machine can reach the server.

mod lanes;
mod model;
mod render;
mod serve;
mod truth;

pub use model::{Action, ScenarioModel, State};
pub use serve::{ExploreError, MOST_SEARCHED, serve_scenario, serve_trace, trace_link};
pub use truth::Truth;
