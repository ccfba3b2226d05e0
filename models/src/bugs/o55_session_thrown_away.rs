//! O55, go-zookeeper e37691e (relative: samuel/go-zookeeper#133): the client throws its session away on any drop.
//!
//! *Mechanism:* a connection that drops is taken for "session expired", so the client library opens a new session.
//! The nodes of the former one live on until the server's timeout; the recipe, told that they are gone, creates a
//! second one and queues behind its own ghost. *Smallest configuration:* 1 client, 1 short drop. *Source:*
//! <https://github.com/go-zookeeper/zk/commit/e37691e>. *Violated:* a session is given up only on the server's word:
//! a client stands as one candidate, never as two. *Repair:* keep the session's id and reconnect.

use overtake_recipes::lock::search::find;
use overtake_recipes::names::join;
use overtake_recipes::retry::PAUSE;
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::names::{Text, slot_of};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const ELECTION: &str = "/election";

/// The client library after a drop.
async fn recover(ctx: &Context, keeps: bool) -> Result<(), ZkError> {
    match keeps {
        true => ctx.sleep(PAUSE).await,
        false => ctx.zookeeper().connect().await?,
    }
    Ok(())
}

/// The recipe: looks for its node after a lost reply, unless its session, and with it the node, is over.
async fn stand(ctx: Context, keeps: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let id = ctx.unique_id();
    let me = loop {
        let session = zk.session_id();
        let key = [id.as_str(), &format!("{session:x}")];
        ctx.checkpoint("stand", &key);
        let path = join(ELECTION, &format!("{id}-n-"));
        let mode = CreateMode::EphemeralSequential;
        match zk.create(&path, b"", mode).await {
            Ok(path) => break path,
            Err(ZkError::ConnectionLoss) => recover(&ctx, keeps).await?,
            Err(error) => return Err(error),
        }
        if zk.session_id() == session
            && let Some(name) = find(&ctx, "find", &key, ELECTION, &id).await?
        {
            break join(ELECTION, &name);
        }
    };
    ctx.mark("stands");
    ctx.work("lead").await;
    loop {
        ctx.checkpoint("leave", &[&me]);
        match zk.delete(&me, None).await {
            Ok(()) | Err(ZkError::NoNode) => return Ok(()),
            Err(ZkError::ConnectionLoss) => recover(&ctx, keeps).await?,
            Err(error) => return Err(error),
        }
    }
}

fn one_candidate_a_client() -> Property {
    let election = Text::new(ELECTION);
    Property::always("one candidate a client", "go-zookeeper e37691e", move |view| {
        for client in view.clients() {
            let mut own = view.zookeeper().children(election);
            own.retain(|path| view.zookeeper().owner(*path).map(slot_of) == Some(client.slot()));
            if let [ghost, node, ..] = own[..] {
                return Err(format!(
                    "{} stands behind itself: {} and {} are both its own",
                    client.name(),
                    ghost.short(),
                    node.short()
                ));
            }
        }
        Ok(())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A connection drops for a moment. The client library takes its session for expired and opens another; \
                 the candidate of the former session lives on beside the new one.",
            )
            .source("https://github.com/go-zookeeper/zk/commit/e37691e")
            .node(ELECTION)
            .disconnects(1)
            .properties([
                one_candidate_a_client(),
                no_program_fails(),
                somebody_is(&["stands"], "the client stands for election"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O55 session thrown away")
            .clients(1, |ctx| stand(ctx, false))
            .breaks("one candidate a client")
            .fixed_by("O55 session thrown away, repaired"),
        world("O55 session thrown away, repaired").clients(1, |ctx| stand(ctx, true)),
    ]
}
