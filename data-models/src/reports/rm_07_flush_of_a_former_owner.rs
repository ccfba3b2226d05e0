//! RM-07, evolution-gaming/kafka-flow#828: a former owner of a partition overwrites the snapshot of the new one.
//!
//! *Mechanism:* owner A has come to offset 10, in memory. The partition moves: B recovers the snapshot of offset 5, comes to 20, and stores
//! that. A is told that its partition is revoked, and flushes 10. What B has done is lost at the next recovery. *Smallest
//! configuration:* 2 workers, one key, both owners for a while. *Source:* <https://github.com/evolution-gaming/kafka-flow/pull/828>,
//! <https://github.com/apache/kafka/pull/13667>. *Violated:* the stored offset never decreases. *Repair:* a snapshot is stored only if the
//! stored offset is not greater.

use overtake_recipes::store::documents::{and, set};
use overtake_recipes::store::{Filter, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P21";

/// Recovers, comes to the offset, and stores it. Who is paused on the way is a former owner by then.
async fn owner(ctx: Context, comes_to: i64, conditional: bool) -> Ended {
    let recovered = read(&ctx, "snapshots", "partition").await?.int("offset");
    if recovered >= comes_to {
        ctx.mark("has nothing to do");
        return Ok(());
    }
    ctx.work("processing").await;
    let not_greater = if conditional { Filter::Lte("offset".into(), comes_to.into()) } else { Filter::All };
    let stored =
        change(&ctx, "snapshots", and([by_id("partition"), not_greater]), vec![set("offset", comes_to)]).await?;
    match stored {
        true => ctx.mark_with("has stored", &comes_to.to_string()),
        false => ctx.mark("is refused"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, conditional| {
        let snapshot = doc([("_id", "partition".into()), ("offset", 5.into())]);
        scenario(name)
            .about("A partition moves from one owner to the next, and the former one stores its snapshot when it hears of it.")
            .source("https://github.com/evolution-gaming/kafka-flow/pull/828")
            .stores(documents(Documents::new().with("snapshots", snapshot)))
            .client("A", move |ctx| owner(ctx, 10, conditional))
            .client("B", move |ctx| owner(ctx, 20, conditional))
            .properties([
                Property::always("the stored offset never decreases", "evolution-gaming/kafka-flow#828", |view| {
                    let offset = see::one(view, "snapshots", "partition").int("offset");
                    for owner in see::who(view, "has stored") {
                        let stored = see::shown(&owner, "has stored").and_then(|text| text.parse().ok()).unwrap_or(0);
                        see::kept(offset >= stored, || {
                            format!("{} has stored the offset {stored}, and it is {offset} now", owner.name())
                        })?;
                    }
                    Ok(())
                }),
                no_program_fails(),
                somebody_is(&["has stored"], "somebody stores"),
                everybody_is_done(),
            ])
    };
    vec![
        world("RM-07 flush of a former owner", false)
            .breaks("the stored offset never decreases")
            .fixed_by("RM-07 flush of a former owner, repaired"),
        world("RM-07 flush of a former owner, repaired", true)
            .property(somebody_is(&["is refused"], "a former owner is refused")),
    ]
}
