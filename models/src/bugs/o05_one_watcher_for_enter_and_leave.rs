//! O05: entering and leaving a double barrier share one watcher.
//!
//! Who completes a barrier never waits for "ready", so the event of it is still to be read when it leaves. Its first
//! wait in `leave` is over at once; it takes the event for the departure it waits for, and is out although another
//! member has not called `leave`. (The report tells the first half; how the stray event does harm is reconstructed.)
//!
//! Smallest: 2 members, no faults. Source: <https://github.com/apache/curator/pull/416>.

use futures_util::future::select_all;
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::{Context, SimWatch};

use super::report::Report;
use super::steps::{enqueue, line, node_event, place};
use crate::property::*;
use crate::scenario::Scenario;

const MEMBERS: usize = 2;

async fn enter(ctx: &Context) -> Result<(String, SimWatch), ZkError> {
    let zk = ctx.zookeeper();
    let (ready, mut watch) = zk.watch_exists("/barrier/ready").await?;
    let own = enqueue(ctx, "/barrier/m-").await?;
    if ready.is_none() && line(ctx, "/barrier").await?.len() < MEMBERS {
        node_event(&mut watch).await;
    } else {
        let mode = CreateMode::Persistent;
        match zk.create("/barrier/ready", b"", mode).await {
            Ok(_) | Err(ZkError::NodeExists) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((own, watch))
}

/// The lowest goes last. `watches` is what the monitor listens to.
async fn leave<const LOOKS_AGAIN: bool>(ctx: &Context, own: &str, mut watches: Vec<SimWatch>) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let lowest = place(&line(ctx, "/barrier").await?, own) == Some(0);
    if !lowest {
        zk.delete(own, None).await?;
    }
    loop {
        let mut others = line(ctx, "/barrier").await?;
        others.retain(|path| path != own);
        let awaited = if lowest { others.last() } else { others.first() };
        let Some(awaited) = awaited else { break };
        match zk.watch_data(awaited).await {
            Ok((_, _, watch)) => watches.push(watch),
            Err(ZkError::NoNode) => continue,
            Err(error) => return Err(error),
        }
        let events = watches.iter_mut().map(|watch| Box::pin(watch.next()));
        select_all(events).await;
        if !LOOKS_AGAIN {
            break;
        }
    }
    match lowest {
        true => zk.delete(own, None).await,
        false => Ok(()),
    }
}

async fn member<const SEPARATE: bool>(ctx: Context) -> Result<(), ZkError> {
    ctx.mark("inside");
    let (own, watch) = enter(&ctx).await?;
    ctx.work("work").await;
    ctx.unmark("inside");
    let watches = if SEPARATE { Vec::new() } else { vec![watch] };
    leave::<SEPARATE>(&ctx, &own, watches).await?;
    ctx.mark("left");
    Ok(())
}

/// The faulty barrier and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O05 one watcher for enter and leave",
        source: "https://github.com/apache/curator/pull/416",
        about: "Two members enter a double barrier, work and leave. An event that belongs to entering ends the wait of \
                one that leaves. Repaired: each phase has its watchers, and looks again after each wake-up.",
        violates: "nobody leaves before all call leave",
    }
    .pair(
        |s| s.clients(MEMBERS, member::<false>),
        |s| s.clients(MEMBERS, member::<true>),
        |s| {
            let together =
                Property::always("nobody leaves before all call leave", "apache/curator#416", |view| {
                    match (view.clients().find(|c| c.is_marked("left")), view.clients().find(|c| c.is_marked("inside")))
                    {
                        (Some(out), Some(inside)) => {
                            Err(format!("{} has left, {} has not called leave", out.name(), inside.name()))
                        }
                        _ => Ok(()),
                    }
                });
            s.node("/barrier").properties([
                together.where_marked(&["left", "inside"], 2),
                no_wait_without_wake_up(),
                no_program_fails(),
                everybody_is_done(),
            ])
        },
    )
}
