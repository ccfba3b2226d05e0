//! O15, ShedLock#132: a pause between working out the end of a lease and writing it.
//!
//! *Mechanism:* a task reads its clock and works out until when it will hold; it pauses for longer than that, and
//! writes. The record was free, so the write succeeds: the lease was over before it began. Another finds the record
//! free as well, and both run. *Smallest configuration:* 2 tasks, 1 pause. *Source:*
//! <https://github.com/lukas-krecan/ShedLock/issues/132>. *Violated:* a lease that is over when it is written does not
//! count as acquired. *Repair:* the store's own clock, inside the conditional write.
//!
//! Translated: the clock is a node that counts up, moved by a client of its own; the record is a node with the end of
//! the lease, written by its version. The pause is a request that is served late. Repaired, the write and a check that
//! the clock still stands where it was read are one transaction.

use overtake_recipes::{Environment, Op, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use super::report::Report;
use crate::property::*;
use crate::scenario::Scenario;

const CLOCK: &str = "/clock";
const RECORD: &str = "/record";
const TICKS: u32 = 2;
const LEASE: u32 = 1;

/// The number in a node, 0 in an empty one, and the node's version.
async fn number(ctx: &Context, path: &str) -> Result<(u32, i32), ZkError> {
    let (data, stat) = ctx.zookeeper().get_data(path).await?;
    let number = std::str::from_utf8(&data).ok().and_then(|text| text.parse().ok());
    Ok((number.unwrap_or(0), stat.version))
}

async fn task<const BY_STORE: bool>(ctx: Context) -> Result<(), ZkError> {
    let (now, tick) = number(&ctx, CLOCK).await?;
    let (until, version) = number(&ctx, RECORD).await?;
    if until > now {
        ctx.mark("not now");
        return Ok(());
    }
    let until = (now + LEASE).to_string();
    let write = Op::SetData { path: RECORD.to_owned(), data: until.clone().into_bytes(), version: Some(version) };
    let check = Op::Check { path: CLOCK.to_owned(), version: Some(tick) };
    let ops = if BY_STORE { vec![check, write] } else { vec![write] };
    match ctx.zookeeper().multi(ops).await {
        Ok(_) => {
            ctx.mark_with("runs", &until);
            ctx.work("task").await;
            ctx.unmark("runs");
            Ok(())
        }
        Err(ZkError::BadVersion) => {
            ctx.mark("not now");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

async fn clock(ctx: Context) -> Result<(), ZkError> {
    for tick in 1..=TICKS {
        ctx.zookeeper().set_data(CLOCK, tick.to_string().as_bytes(), None).await?;
    }
    Ok(())
}

/// Nobody runs under a lease that was written when the clock had come to its end.
fn leases_begin_before_they_end() -> Property {
    let (clock, record) = (Text::new(CLOCK), Text::new(RECORD));
    let name = "a lease that is over when written does not count";
    Property::always(name, "lukas-krecan/ShedLock#132", move |view| {
        let zk = view.zookeeper();
        let (Some(tick), Some(written)) = (zk.node(clock), zk.node(record)) else {
            return Ok(());
        };
        let until = zk.data(record).flatten();
        let number = |text: Option<Text>| text.and_then(|text| text.to_string().parse::<u32>().ok()).unwrap_or(0);
        // The clock moved last before the record was written, so it stood then where it stands now.
        if written.mzxid < tick.mzxid || number(zk.data(clock).flatten()) < number(until) {
            return Ok(());
        }
        match view.clients().find(|c| c.mark("runs").flatten().is_some_and(|mine| Some(mine) == until)) {
            None => Ok(()),
            Some(c) => Err(format!("{} runs under a lease that was over before it was written", c.name())),
        }
    })
    .where_marked(&["runs"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O15 lease over when written",
        source: "https://github.com/lukas-krecan/ShedLock/issues/132",
        about: "Two tasks take a lease whose end they work out by a clock that they have read before; one of them pauses in \
                between for longer than the lease. Repaired: the clock is checked by the store as it writes.",
        violates: "a lease that is over when written does not count",
    }
    .pair(
        |s| s.clients(2, task::<false>),
        |s| s.clients(2, task::<true>),
        |s| {
            s.client("clock", clock).node(CLOCK).node(RECORD).zxids().properties([
                leases_begin_before_they_end(),
                no_program_fails(),
                somebody_is(&["runs"], "a task runs"),
                somebody_is(&["not now"], "a task does not get the lease"),
                everybody_is_done(),
            ])
        },
    )
}
