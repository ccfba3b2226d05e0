//! RM-03, OptimalBits/bull#347: a queue with priorities runs several jobs at once.
//!
//! *Mechanism:* the queue is one sub-queue for each priority, and each of them starts jobs of its own. Jobs of two priorities on the same
//! entity run at the same time, although the concurrency is 1. *Smallest configuration:* 1 worker, 2 messages of different priority, one
//! key. *Source:* <https://github.com/OptimalBits/bull/issues/347>. *Violated:* running jobs are at most as many as configured, over
//! all priorities, and at most one on an entity. *Repair:* one dispatcher over all of them.
//!
//! The two halves of what is violated are a property each, so the faulty program stands here twice. With a concurrency of 1 the
//! second follows from the first.

use overtake_recipes::store::documents::set;
use overtake_recipes::store::{DataEnvironment, Messages as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P11";

/// The marks of jobs that run, by priority.
const RUNS: [&str; 2] = ["runs a job of priority 1", "runs a job of priority 2"];

/// Counts the entity up, as any job would that reads, works and writes.
async fn job(ctx: &Context, priority: u8, entity: &str) -> Ended {
    let mark = RUNS[usize::from(priority) - 1];
    ctx.mark_with(mark, entity);
    let count = read(ctx, "entities", entity).await?.int("count");
    change(ctx, "entities", by_id(entity), vec![set("count", count + 1)]).await?;
    ctx.unmark(mark);
    Ok(())
}

/// Takes a job and runs it.
async fn run_one(ctx: &Context, queue: &'static str) -> Ended {
    let message = ctx.messages().receive(queue).await?;
    let entity = message.body.as_text().cloned().unwrap_or_default();
    job(ctx, message.priority, &entity).await?;
    ctx.messages().acknowledge(queue, &message).await.map(drop)
}

async fn worker(ctx: Context, one_dispatcher: bool) -> Ended {
    if one_dispatcher {
        run_one(&ctx, "jobs").await?;
        return run_one(&ctx, "jobs").await;
    }
    let level = |queue| {
        let ctx = ctx.clone();
        async move { run_one(&ctx, queue).await }
    };
    let (first, second) = futures_util::future::join(level("jobs 1"), level("jobs 2")).await;
    first.and(second)
}

fn one_at_a_time() -> Property {
    Property::always("one job at a time", "OptimalBits/bull#347", |view| {
        let worker = view.client(0);
        see::kept(!RUNS.iter().all(|mark| worker.is_marked(mark)), || {
            "the worker runs a job of each priority at the same time".into()
        })
    })
}

fn one_on_an_entity() -> Property {
    Property::always("one job on an entity", "OptimalBits/bull#347", |view| {
        let worker = view.client(0);
        let on: Vec<String> = RUNS.iter().filter_map(|mark| see::shown(&worker, mark)).collect();
        match on.iter().enumerate().find(|(i, entity)| on[..*i].contains(entity)) {
            None => Ok(()),
            Some((_, entity)) => Err(format!("the worker runs two jobs on the same {entity} at the same time")),
        }
    })
}

/// The faulty program, once for each half of the property, and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, one_dispatcher| {
        let entity = doc([("_id", "entity".into()), ("count", 0.into())]);
        let queue = |priority| match (one_dispatcher, priority) {
            (true, _) => "jobs",
            (false, 1) => "jobs 1",
            (false, _) => "jobs 2",
        };
        let queues = Messages::default().with(queue(1), "entity", 1).with(queue(2), "entity", 2);
        scenario(name)
            .about("A worker of concurrency 1 finds two jobs of different priority on the same entity.")
            .source("https://github.com/OptimalBits/bull/issues/347")
            .stores(Stores {
                documents: Some(Documents::new().with("entities", entity)),
                messages: Some(queues),
                ..Stores::default()
            })
            .client("worker", move |ctx| worker(ctx, one_dispatcher))
            .properties([
                no_program_fails(),
                somebody_is(&["runs a job of priority 2"], "a job runs"),
                everybody_is_done(),
            ])
    };
    let each_takes_effect = Property::at_rest("each job takes effect", "OptimalBits/bull#347", |view| {
        let count = see::one(view, "entities", "entity").int("count");
        see::kept(count == 2, || format!("two jobs have counted to {count}"))
    });
    let repaired = "RM-03 a job for each priority, repaired";
    vec![
        world("RM-03 a job for each priority", false)
            .property(one_at_a_time())
            .breaks("one job at a time")
            .fixed_by(repaired),
        world("RM-03 a job for each priority, both on one entity", false)
            .property(one_on_an_entity())
            .breaks("one job on an entity")
            .fixed_by(repaired),
        world(repaired, true).properties([one_at_a_time(), one_on_an_entity(), each_takes_effect]),
    ]
}
