//! EX-06, agenda/agenda#260: a job is locked, and waits in a local queue until its lock is over.
//!
//! *Mechanism:* worker A locks two jobs and runs the first. The lock of the second is over by then; worker B locks it and runs it. Then A
//! starts the second from its queue. *Smallest configuration:* 2 workers, 2 jobs, the clock. *Source:*
//! <https://github.com/agenda/agenda/pull/260>. *Violated:* a job runs once per schedule, if it is shorter than the lifetime of a lock.
//! *Repair:* ask for the own lock right before the start, in the step that gives it a new life. *Trap (ours):* look whether the lock is there, and
//! start.
//!
//! A lock that was taken or renewed right before the run lives long enough; one under which a job waits may expire.

use std::time::Duration;

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Updated};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P21";

const LIFE: Expiration = Expiration::After(Duration::from_secs(10));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Starts,
    Looks,
    Renews,
}

fn lock_of(job: &str) -> String {
    format!("lock of {job}")
}

/// Whether the job that has waited may start.
async fn may_start(ctx: &Context, job: &str, way: Way) -> Result<bool, StoreError> {
    let dht = ctx.dht();
    if way == Way::Starts {
        return Ok(true);
    }
    let own = dht.get(&lock_of(job)).await?.filter(|lock| lock.data == Value::from("A"));
    Ok(match own {
        Some(lock) if way == Way::Renews => {
            dht.update_until(&lock_of(job), "A".into(), lock.version, Expiration::Never).await? == Updated::Stored
        }
        own => own.is_some(),
    })
}

/// Locks both jobs, and runs them one after the other.
async fn worker(ctx: Context, way: Way) -> Ended {
    let dht = ctx.dht();
    let first = dht.put(&lock_of("job 1"), "A".into(), Expiration::Never).await?;
    let second = dht.put(&lock_of("job 2"), "A".into(), LIFE).await?;
    if first {
        ctx.work("run job 1").await;
    }
    if second && may_start(&ctx, "job 2", way).await? {
        ctx.mark("ran job 2");
    }
    Ok(())
}

/// Locks the second job, and runs it at once.
async fn other(ctx: Context) -> Ended {
    if ctx.dht().put(&lock_of("job 2"), "B".into(), Expiration::Never).await? {
        ctx.mark("ran job 2");
    }
    Ok(())
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("A worker has locked a job that it cannot start yet. While the job waits in its queue the lock expires.")
            .source("https://github.com/agenda/agenda/pull/260")
            .stores(Dht::seed(1).into())
            .client("worker A", move |ctx| worker(ctx, way))
            .client("worker B", other)
            .key_expiries(1)
            .properties([
                see::at_most(1, &["ran job 2"], "a job runs once", "agenda/agenda#260"),
                no_program_fails(),
                somebody_is(&["ran job 2"], "the job runs"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-06 locked job waits too long", Way::Starts)
            .breaks("a job runs once")
            .fixed_by("EX-06 locked job waits too long, repaired"),
        world("EX-06 locked job waits too long, trap: a look at the lock", Way::Looks)
            .breaks("a job runs once")
            .fixed_by("EX-06 locked job waits too long, repaired"),
        world("EX-06 locked job waits too long, repaired", Way::Renews),
    ]
}
