//! RM-10, brandur/sorg#159: staged jobs are deleted by a range of ids, uncommitted ones as well.
//!
//! *Mechanism:* one transaction takes id 1, another id 2 and commits. The enqueuer reads the staged jobs, finds 2, and enqueues it. The first
//! one commits. The enqueuer deletes all up to 2: job 1 is gone, and nobody has seen it. *Smallest configuration:* 2 writers,
//! 1 enqueuer, 2 rows. *Source:* <https://github.com/brandur/sorg/pull/159>. *Violated:* each committed job is enqueued at
//! least once. *Repair:* exactly the ids that were read are deleted.

use overtake_recipes::Value;
use overtake_recipes::store::{
    Change, DataEnvironment, Documents as _, Filter, Isolation, Messages as _, Returning, doc,
};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::documents::Op;

/// Its pattern.
pub const PATTERN: &str = "P9";

/// Stages a job in a transaction. Its id comes from a sequence, which knows no transactions.
async fn writer(ctx: Context) -> Ended {
    let next = vec![Change::Inc("last".into(), 1)];
    let sequence = ctx.documents().find_and_modify("sequences", by_id("jobs"), next, Returning::After).await?;
    let number = sequence.unwrap_or_default().int("last");
    let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    transaction.insert("staged", doc([("_id", number.into()), ("number", number.into())])).await?;
    transaction.commit().await?;
    ctx.mark_with("has committed", &number.to_string());
    Ok(())
}

async fn enqueuer(ctx: Context, by_range: bool) -> Ended {
    let staged = ctx.documents().find("staged", Filter::All).await?;
    let numbers: Vec<i64> = staged.iter().map(|job| job.int("number")).collect();
    let Some(last) = numbers.iter().max() else { return Ok(()) };
    for number in &numbers {
        ctx.messages().send("jobs", Value::Int(*number), 0).await?;
    }
    let those = match by_range {
        true => Filter::Lte("number".into(), (*last).into()),
        false => Filter::In("number".into(), numbers.iter().map(|number| Value::Int(*number)).collect()),
    };
    ctx.documents().run("staged", Op::DeleteMany(those)).await.map(drop)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, by_range| {
        let sequence = doc([("_id", "jobs".into()), ("last", 0.into())]);
        scenario(name)
            .about("Two writers stage jobs in transactions; an enqueuer reads what is staged, enqueues it, and deletes it.")
            .source("https://github.com/brandur/sorg/pull/159")
            .stores(Stores {
                documents: Some(Documents::new().with("sequences", sequence)),
                messages: Some(Messages::default()),
                ..Stores::default()
            })
            .clients(2, writer)
            .client("enqueuer", move |ctx| enqueuer(ctx, by_range))
            .properties([
                Property::always("each committed job is enqueued", "brandur/sorg#159", |view| {
                    let queues = view.stores().messages.as_ref().expect("the world has queues");
                    let enqueued = queues.unacknowledged("jobs").filter_map(|job| job.body.as_int());
                    let staged = see::all(view, "staged").into_iter().map(|job| job.int("number"));
                    let known: Vec<i64> = enqueued.chain(staged).collect();
                    for writer in see::who(view, "has committed") {
                        let number = see::shown(&writer, "has committed").and_then(|text| text.parse().ok());
                        see::kept(number.is_none_or(|number| known.contains(&number)), || {
                            format!("{} has committed a job that is neither staged nor enqueued", writer.name())
                        })?;
                    }
                    Ok(())
                }),
                no_program_fails(),
                Property::sometimes("both are enqueued", |view| {
                    view.stores().messages.as_ref().is_some_and(|queues| queues.sent("jobs") == 2)
                }),
                everybody_is_done(),
            ])
    };
    vec![
        world("RM-10 deleted by range", true)
            .breaks("each committed job is enqueued")
            .fixed_by("RM-10 deleted by range, repaired"),
        world("RM-10 deleted by range, repaired", false),
    ]
}
