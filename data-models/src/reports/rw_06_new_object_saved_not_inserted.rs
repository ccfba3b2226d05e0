//! RW-06, spring-projects/spring-data-mongodb#1553: a new versioned object is saved instead of inserted.
//!
//! *Mechanism:* two clients make objects with one id, their versions unset. The first save of an object is an upsert without a predicate on
//! the version, so the second replaces the first; both get version 0 and both are told success. *Smallest configuration:* 2 clients,
//! one id. *Source:* <https://github.com/spring-projects/spring-data-mongodb/issues/1553>. *Violated:* creating twice is one success and
//! one error. *Repair:* an object without a version is inserted.

use overtake_recipes::store::documents::Op;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P19";

async fn create(ctx: Context, inserts: bool) -> Ended {
    let me = ctx.unique_id();
    let object = doc([("_id", "o".into()), ("by", (&me).into()), ("version", 0.into())]);
    let op = if inserts { Op::Insert(object) } else { Op::Replace(by_id("o"), object, true) };
    match ctx.documents().run("objects", op).await {
        Ok(_) => ctx.mark("created it"),
        Err(StoreError::DuplicateKey) => ctx.mark("refused"),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, inserts| {
        scenario(name)
            .about("Two clients create an object under one id; the second replaces the first's, and both are told that they have created it.")
            .source("https://github.com/spring-projects/spring-data-mongodb/issues/1553")
            .stores(documents(Documents::new()))
            .clients(2, move |ctx| create(ctx, inserts))
            .properties([
                see::at_most(1, &["created it"], "one creation succeeds", "spring-projects/spring-data-mongodb#1553"),
                no_program_fails(),
                somebody_is(&["created it"], "somebody creates it"),
                everybody_is_done(),
            ])
    };
    vec![
        world("RW-06 new object saved, not inserted", false)
            .breaks("one creation succeeds")
            .fixed_by("RW-06 new object saved, not inserted, repaired"),
        world("RW-06 new object saved, not inserted, repaired", true)
            .property(somebody_is(&["refused"], "somebody is refused")),
    ]
}
