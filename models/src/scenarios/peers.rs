//! The lock that other checkers were given too: the same space, state for state.
//!
//! Spin, TLC, stateright and a hand-written search agree on the numbers of distinct states of this lock, with calls
//! as single steps and with names forgotten that have left the service. Here the same space comes out of an ordinary
//! `async fn`, run over the general ZooKeeper service.

use futures_util::future::{Either, select};
use overtake_recipes::{CreateMode, Environment, Watch, ZooKeeper};
use overtake_sim::program::Context;
use overtake_sim::world::Reductions;

use super::programs::{LOCK, session_lost};
use crate::property::{Property, at_most_one_live_holder, everybody_is_done, somebody_holds};
use crate::scenario::{Scenario, scenario};

/// The reductions under which the other checkers' models have their states.
pub const AS_PEERS: Reductions =
    Reductions { renumber: true, symmetry: false, deliver_first: false, forget_gone: true };

/// What the search has to do in the worst case as in the other checkers' models.
fn properties() -> Vec<Property> {
    vec![at_most_one_live_holder(), somebody_holds(), everybody_is_done()]
}

/// The lock with so many clients and expiries; each client acquires it once.
pub fn peer_lock(clients: usize, expiries: u8) -> Scenario {
    scenario("peer lock")
        .about("The predecessor-watching lock with calls as single steps, as other checkers model it.")
        .node(LOCK)
        .clients(clients, program)
        .expiries(expiries)
        .calls_are_steps()
        .properties(properties())
}

/// Contends until done, or until the session is over.
async fn program(ctx: Context) {
    let contender = Box::pin(contend(ctx.clone()));
    let lost = Box::pin(session_lost(&ctx));
    if let Either::Left(_) = select(lost, contender).await {
        ctx.unmark("holds");
        ctx.mark("lost");
    }
}

/// The lock, with a checkpoint at each await.
async fn contend(ctx: Context) {
    let zk = ctx.zookeeper();
    let Ok(own) = zk.create("/lock/n-", b"", CreateMode::EphemeralSequential).await else { return };
    loop {
        ctx.checkpoint("list", &[&own]);
        let Ok(mut names) = zk.children(LOCK).await else { return };
        names.sort();
        let Some(at) = names.iter().position(|name| own.ends_with(name.as_str())) else { return };
        if at == 0 {
            ctx.mark_with("holds", &own);
            ctx.checkpoint("hold", &[&own]);
            ctx.work("work").await;
            ctx.checkpoint("release", &[&own]);
            if zk.delete(&own, None).await.is_ok() {
                ctx.unmark("holds");
            }
            return;
        }
        let before = format!("{LOCK}/{}", names[at - 1]);
        ctx.checkpoint("watch", &[&own, &before]);
        if let Ok((_, _, mut watch)) = zk.watch_data(&before).await {
            ctx.checkpoint("wait", &[&own, &before]);
            watch.next().await;
        }
    }
}
