//! RX-07, scireum/sirius-biz#607: an optimistic loop without versions, which would not read again anyway.
//!
//! *Mechanism:* the entity is not marked as versioned, so no conflict is ever raised; and if one were, the loop does not read the entity again
//! before the next try. *Smallest configuration:* 2 clients, one key. *Source:* <https://github.com/scireum/sirius-biz/pull/607>.
//! *Violated:* concurrent increments are all there. *Repair:* both. *Traps:* each half: with the mark alone the loop never ends, with the
//! reading alone nothing changes.

use overtake_recipes::Environment;
use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P18";

async fn increment(ctx: Context, versioned: bool, reads_again: bool) -> Ended {
    let mut entity = read(&ctx, "entities", "e").await?;
    loop {
        let (version, number) = (entity.int("version"), entity.int("number"));
        ctx.checkpoint("try", &[&version.to_string(), &number.to_string()]);
        let which = if versioned { and([by_id("e"), eq("version", version)]) } else { by_id("e") };
        let new = vec![set("number", number + 1), set("version", version + 1)];
        if change(&ctx, "entities", which, new).await? {
            ctx.mark("incremented");
            return Ok(());
        }
        ctx.mark("tries again");
        if reads_again {
            entity = read(&ctx, "entities", "e").await?;
        }
    }
}

fn increments_are_there() -> Property {
    Property::at_rest("increments are all there", "scireum/sirius-biz#607", |view| {
        let (number, told) = (see::one(view, "entities", "e").int("number"), see::marked(view, "incremented"));
        see::kept(number == told, || format!("{told} increments have succeeded, and the number is {number}"))
    })
}

/// The faulty program, its two halves of a repair, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, versioned, reads_again| {
        let entity = doc([("_id", "e".into()), ("number", 0.into()), ("version", 0.into())]);
        scenario(name)
            .about(about)
            .source("https://github.com/scireum/sirius-biz/pull/607")
            .stores(documents(Documents::new().with("entities", entity)))
            .clients(2, move |ctx| increment(ctx, versioned, reads_again))
            .properties([increments_are_there(), everybody_ends(), no_program_fails(), everybody_is_done()])
    };
    vec![
        world(
            "RX-07 two mistakes hide each other",
            "Two clients increment in a loop that waits for a conflict, and no conflict is ever raised.",
            false,
            false,
        )
        .breaks("increments are all there")
        .fixed_by("RX-07 two mistakes hide each other, repaired"),
        world(
            "RX-07 two mistakes hide each other, trap: the version alone",
            "Conflicts are raised, and the loop tries again with what has just been refused.",
            true,
            false,
        )
        .breaks("everybody ends")
        .fixed_by("RX-07 two mistakes hide each other, repaired"),
        world(
            "RX-07 two mistakes hide each other, trap: reading again alone",
            "The loop would read again after a conflict, and none is raised.",
            false,
            true,
        )
        .breaks("increments are all there")
        .fixed_by("RX-07 two mistakes hide each other, repaired"),
        world(
            "RX-07 two mistakes hide each other, repaired",
            "Conflicts are raised, and the loop reads again.",
            true,
            true,
        )
        .property(somebody_is(&["tries again"], "somebody tries again")),
    ]
}
