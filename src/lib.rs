//! Overtake finds the order of events in which one operation overtakes another: two holders of one lock, lost
//! updates, lost wake-ups.
//!
//! You write the code of one client as ordinary `async` Rust against a [`Context`]. Overtake runs it through every
//! order of events that the server, the wires and the faults allow, and either proves that nothing goes wrong within
//! stated bounds, or hands out the shortest story of how it does, as a file that replays for ever.
//!
//! Everything that a crate with recipes of its own needs is here: [`scenario()`] and its builder, the properties of
//! [`property`], the client traits of [`recipes`], the search in [`check()`], and the whole command line over the
//! crate's own scenarios in [`command_line`].
//!
//! ```
//! use overtake::recipes::ZooKeeper;
//! use overtake::{Context, Options, Verdict, check, property, scenario};
//!
//! async fn holds_without_asking(ctx: Context) {
//!     let _ = ctx.zookeeper().exists("/lock").await;
//!     ctx.mark_with("holds", "/lock");
//!     ctx.work("work").await;
//!     ctx.unmark("holds");
//! }
//!
//! # use overtake::recipes::Environment;
//! let race = scenario("no lock at all")
//!     .node("/lock")
//!     .clients(2, holds_without_asking)
//!     .properties([property::at_most_one_live_holder(), property::somebody_holds()]);
//! let checked = check(&race, &Options::default())?;
//! assert!(matches!(checked.verdict, Verdict::Falsified(_)));
//! # Ok::<(), String>(())
//! ```

mod cli;
mod guard;
mod runs;
pub mod traces;

pub use cli::{CommandLine, Exit, command_line};
pub use overtake_models::{
    Checked, Expected, Finding, Options, Order, Property, Scenario, Trace, Verdict, check, property, scenario, search,
};
pub use overtake_recipes as recipes;
pub use overtake_recipes::Environment;
pub use overtake_sim::program::{Context, JoinHandle, Program, ProgramResult};
pub use overtake_sim::world::{Budget, Reductions, View, World};
pub use runs::check_all;

/// Every scenario that comes with Overtake: locks and other recipes on ZooKeeper, data in stores, public bug reports.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = overtake_models::scenarios::all();
    all.extend(overtake_data_models::all());
    all
}

/// The scenarios on hash tables, documents and queues.
pub use overtake_data_models as data_models;
/// Recipes on hash tables, documents and queues.
pub use overtake_data_recipes as data_recipes;
/// The built-in scenarios and the machinery behind the facade.
pub use overtake_models as models;
/// The deterministic world behind the facade.
pub use overtake_sim as sim;
/// Blocking recipes for threads, and the searches over their schedules.
pub use overtake_threads as threads;
