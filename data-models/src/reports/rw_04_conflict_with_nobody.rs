//! RW-04, rails/rails#16449: a counter that counts the version up in secret makes a client conflict with itself.
//!
//! *Mechanism:* the client holds the parent at version 0. It adds a child, which counts the parent's children and its version up in the store;
//! the client's object keeps 0. Its next save is refused, though nobody else has written. *Smallest configuration:* 1 client, parent
//! and child. *Source:* <https://github.com/rails/rails/issues/16449>, <https://github.com/rails/rails/issues/39115>,
//! <https://github.com/magnusvk/counter_culture/pull/429>. *Violated:* a client alone never gets a conflict. *Repair:* the object in
//! memory follows, or the counter leaves the version alone. It is the mirror image of RW-01 and RW-03.
//!
//! Translated from SQL: parent and children are documents.

use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P19";

#[derive(Clone, Copy, Debug)]
enum Way {
    InSecret,
    InMemoryAsWell,
    NotAtAll,
}

async fn client(ctx: Context, way: Way) -> Ended {
    let mut version = read(&ctx, "parents", "p").await?.int("version");
    ctx.documents().insert("children", doc([("parent", "p".into())])).await?;
    let mut counted = vec![inc("children", 1)];
    if !matches!(way, Way::NotAtAll) {
        counted.push(inc("version", 1));
    }
    change(&ctx, "parents", by_id("p"), counted).await?;
    if let Way::InMemoryAsWell = way {
        version += 1;
    }
    let same = and([by_id("p"), eq("version", version)]);
    let saved = change(&ctx, "parents", same, vec![set("title", "new"), set("version", version + 1)]).await?;
    ctx.mark(if saved { "saved" } else { "is told of a conflict" });
    Ok(())
}

/// The faulty program and the repaired ones.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        let parent = doc([("_id", "p".into()), ("title", "old".into()), ("children", 0.into()), ("version", 0.into())]);
        scenario(name)
            .about("A client adds a child to a parent that it holds, and then saves the parent. Nobody else is there.")
            .source("https://github.com/rails/rails/issues/16449")
            .stores(documents(Documents::new().with("parents", parent)))
            .client("the only client", move |ctx| client(ctx, way))
            .properties([
                see::at_most(0, &["is told of a conflict"], "a client alone has no conflict", "rails/rails#16449"),
                no_program_fails(),
                everybody_is_done(),
            ])
    };
    vec![
        world("RW-04 conflict with nobody", Way::InSecret)
            .breaks("a client alone has no conflict")
            .fixed_by("RW-04 conflict with nobody, repaired"),
        world("RW-04 conflict with nobody, repaired", Way::InMemoryAsWell)
            .property(somebody_is(&["saved"], "somebody saves")),
        world("RW-04 conflict with nobody, repaired by leaving the version alone", Way::NotAtAll)
            .property(somebody_is(&["saved"], "somebody saves")),
    ]
}
