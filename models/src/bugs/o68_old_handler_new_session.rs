//! O68, apache/helix#641: the handler of an old session creates a node in a new one.
//!
//! *Mechanism:* a handler is started for a session and is slow. The session expires and another is opened. The late
//! handler creates its live-instance node, in the other session; the handler of that session meets a node that it
//! did not make. *Smallest configuration:* 1 client, 1 expiry, a slow handler. *Source:*
//! <https://github.com/apache/helix/issues/641>. *Violated:* an action decided for a session executes in that session
//! or fails. *Repair:* give the expected session to the write.

use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const INSTANCE: &str = "/live/instance";

/// Handles a new session: makes the instance live. The data says for which session that was decided.
async fn handle(ctx: Context, checks: bool) {
    let zk = ctx.zookeeper();
    let session = zk.session_id();
    ctx.work("the handler is slow").await;
    if checks && zk.session_id() != session {
        return;
    }
    let decided = format!("{session:x}");
    let _ = zk.create(INSTANCE, decided.as_bytes(), CreateMode::Ephemeral).await;
    ctx.mark("handled");
}

async fn participate(ctx: Context, checks: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mut events = zk.session_events();
    ctx.spawn(handle(ctx.clone(), checks));
    while events.next().await != WatchedEvent::Session(SessionState::Expired) {}
    zk.connect().await?;
    ctx.mark("second session");
    ctx.spawn(handle(ctx.clone(), checks));
    Ok(())
}

fn decided_where_done() -> Property {
    let instance = Text::new(INSTANCE);
    Property::always("what is decided for a session is done in it", "apache/helix#641", move |view| {
        let owner = view.zookeeper().owner(instance);
        let decided = view.zookeeper().data(instance).flatten();
        match (owner, decided) {
            (Some(owner), Some(decided)) if decided.who[0] != owner => {
                Err(format!("{} was decided for session {} and made in another", instance.short(), decided.short()))
            }
            _ => Ok(()),
        }
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A session expires while its handler is about to make the instance live. The handler goes on and makes \
                 the node in the next session.",
            )
            .source("https://github.com/apache/helix/issues/641")
            .node("/live")
            .expiries(1)
            .properties([
                decided_where_done(),
                no_program_fails(),
                somebody_is(&["handled"], "an instance is made live"),
                somebody_is(&["second session"], "there is a second session"),
            ])
    };
    vec![
        world("O68 old handler, new session")
            .clients(1, |ctx| participate(ctx, false))
            .breaks("what is decided for a session is done in it")
            .fixed_by("O68 old handler, new session, repaired"),
        world("O68 old handler, new session, repaired").clients(1, |ctx| participate(ctx, true)),
    ]
}
