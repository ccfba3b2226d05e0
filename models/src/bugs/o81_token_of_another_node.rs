//! O81, CURATOR-537: the path that is offered as a fencing token changes under its reader.
//!
//! *Mechanism:* a leader reads the path of its node to use it as a token. Meanwhile a reset, after a reconnect, has
//! stored the path of a new node, which does not lead. The token looks valid, and leadership was never granted for
//! it. *Smallest configuration:* 1 client, 2 threads, 1 reconnect. *Source:*
//! <https://github.com/apache/curator/pull/414>. *Violated:* the token is the path of the node by which leadership
//! was granted. *Repair:* remember the path at the grant.
//!
//! The threads are tasks of one client.

use std::cell::RefCell;
use std::rc::Rc;

use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LATCH: &str = "/latch";

async fn stand(ctx: &Context) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    zk.create("/latch/n-", b"", CreateMode::EphemeralSequential).await
}

/// Stands anew after a reconnect.
async fn resets(ctx: Context, our_path: Rc<RefCell<String>>) {
    let mut events = ctx.zookeeper().session_events();
    while events.next().await != WatchedEvent::Session(SessionState::Connected) {}
    let old = our_path.borrow().clone();
    let _ = ctx.zookeeper().delete(&old, None).await;
    if let Ok(new) = stand(&ctx).await {
        ctx.mark("stands anew");
        *our_path.borrow_mut() = new;
    }
}

async fn lead(ctx: Context, remembers: bool) -> Result<(), ZkError> {
    // The only candidate leads at once. One that has lost its first connection gives up.
    let granted = match stand(&ctx).await {
        Err(ZkError::ConnectionLoss) => return Ok(()),
        granted => granted?,
    };
    ctx.mark_with("granted", &granted);
    let our_path = Rc::new(RefCell::new(granted.clone()));
    ctx.spawn(resets(ctx.clone(), our_path.clone()));
    ctx.work("prepare a write").await;
    let token = if remembers { granted } else { our_path.borrow().clone() };
    ctx.mark_with("token", &token);
    Ok(())
}

fn tokens_are_grants() -> Property {
    Property::always("the token is that of the grant", "CURATOR-537", |view| {
        for client in view.clients() {
            let (granted, token) = (client.mark("granted").flatten(), client.mark("token").flatten());
            if let (Some(granted), Some(token)) = (granted, token)
                && granted != token
            {
                return Err(format!(
                    "{} was granted leadership by {}, and its token is {}",
                    client.name(),
                    granted.short(),
                    token.short()
                ));
            }
        }
        Ok(())
    })
    .where_marked(&["token"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A leader reads the path of its node to write under it. A reset after a reconnect has put the path of \
                 another node there, by which nobody leads.",
            )
            .source("https://github.com/apache/curator/pull/414")
            .node(LATCH)
            .disconnects(1)
            .properties([
                tokens_are_grants(),
                no_program_fails(),
                somebody_is(&["token"], "a token is read"),
                somebody_is(&["stands anew"], "the leader stands anew"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O81 token of another node")
            .clients(1, |ctx| lead(ctx, false))
            .breaks("the token is that of the grant")
            .fixed_by("O81 token of another node, repaired"),
        world("O81 token of another node, repaired").clients(1, |ctx| lead(ctx, true)),
    ]
}
