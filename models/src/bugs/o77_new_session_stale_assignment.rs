//! O77, helix#1118: two masters, because a new session reads from a server that is behind.
//!
//! *Mechanism:* A's session expires, and its mastership is given to B. A opens a new session at a server that has not
//! applied that yet, reads its old assignment, and acts as master beside B. *Smallest configuration:* 2 clients, a
//! follower that is behind, 1 expiry. *Source:* <https://github.com/apache/helix/issues/1118>. *Violated (by the
//! report's own words):* the first decision of a new session uses a state not older than its creation.
//!
//! In ZooKeeper that very property holds without any `sync`: a session's opening is a transaction, and the client is told
//! when its own server has applied it (§3.1), so nothing older can be read; it is proved here in every world. What
//! remains is a read that is stale against what others have been told *since*: B's assignment comes behind A's
//! opening, B is told and writes, and A's server has not heard. The harm is judged at the resource that the master writes
//! to: it takes a write of an earlier master after one of a later.
//!
//! *Repair:* the report's is `sync` before the first read. That cures reads that are behind when they are made. It does
//! not cure an assignment that changes between the read and the write, and so the world with `sync` alone still
//! breaks. The resource has to compare: the assignment's czxid is the token, and it refuses the earlier master.

use overtake_recipes::names::{contenders, join};
use overtake_recipes::{
    CreateMode, Environment, FencedResource, SessionState, Token, Watch, WatchedEvent, ZkError, ZooKeeper,
};
use overtake_sim::ensemble::Ensemble;
use overtake_sim::names::Who;
use overtake_sim::program::Context;
use overtake_sim::world::Link;

use super::requests::{answered, give_up_if_expired};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const ASSIGNMENTS: &str = "/assignments";
const LIVE: &str = "/a";

/// What a client does about a read that may be stale.
#[derive(Clone, Copy)]
struct Care {
    syncs: bool,
    fenced: bool,
}

/// Writes to the resource as the master by the assignment.
async fn act(ctx: &Context, assignment: &str, care: Care) -> Result<(), ZkError> {
    let mut token = Token::None;
    if care.fenced {
        let zk = ctx.zookeeper();
        let stat = answered(ctx, || zk.exists(assignment)).await?.ok_or(ZkError::NoNode)?;
        token = Token::Czxid(stat.czxid);
    }
    match ctx.resource().write(assignment, token).await {
        Ok(()) => ctx.mark("wrote"),
        Err(_) => ctx.mark("refused"),
    }
    Ok(())
}

/// The master, until its session is over; then whatever the assignments say.
async fn a(ctx: Context, care: Care) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let wish = join(ASSIGNMENTS, "a-");
    let own = answered(&ctx, || zk.create(&wish, b"", CreateMode::PersistentSequential)).await?;
    answered(&ctx, || zk.create(LIVE, b"", CreateMode::Ephemeral)).await?;
    let mut events = zk.session_events();
    while events.next().await != WatchedEvent::Session(SessionState::Expired) {}
    zk.connect().await?;
    ctx.mark("has a new session");
    if care.syncs {
        answered(&ctx, || zk.sync(ASSIGNMENTS)).await?;
    }
    let assigned = contenders(answered(&ctx, || zk.children(ASSIGNMENTS)).await?);
    match assigned.last() {
        Some(latest) if join(ASSIGNMENTS, latest) == own => act(&ctx, &own, care).await,
        _ => {
            ctx.mark("knows that it is deposed");
            Ok(())
        }
    }
}

/// Waits until A has been there and is gone, and takes over.
async fn b(ctx: Context, care: Care) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mut came = false;
    loop {
        ctx.checkpoint("look", &[if came { "came" } else { "" }]);
        let (there, mut watch) = answered(&ctx, || zk.watch_exists(LIVE)).await?;
        if there.is_none() && came {
            break;
        }
        while !matches!(watch.next().await, WatchedEvent::Node { .. }) {}
        came = true;
    }
    let wish = join(ASSIGNMENTS, "b-");
    let own = answered(&ctx, || zk.create(&wish, b"", CreateMode::PersistentSequential)).await?;
    act(&ctx, &own, care).await
}

/// Whether the server has applied the opening of the session, so that it can answer nothing older to it.
fn has_applied_opening(ensemble: &Ensemble, server: u8, session: Who) -> bool {
    ensemble.at(server).is_known(session)
}

fn no_state_older_than_the_session() -> Property {
    Property::always("a session reads no state older than its creation", "helix#1118; §3.1", |view| {
        for client in view.clients().filter(|c| c.link() == Link::Up) {
            if client.session().is_some_and(|session| !has_applied_opening(view.ensemble(), client.server(), session)) {
                return Err(format!("the server of {} does not know of its session yet", client.name()));
            }
        }
        Ok(())
    })
}

/// Without care, with `sync` alone, and with tokens.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, care: Care| {
        scenario(name)
            .about(
                "A master's session expires, and another takes over. The first opens a new session at a follower that is \
                 behind, reads there that it is the master, and acts.",
            )
            .source("https://github.com/apache/helix/issues/1118")
            .node(ASSIGNMENTS)
            .servers(2)
            .resource()
            .client("A", move |ctx| async move { give_up_if_expired(a(ctx, care).await) })
            .attached_to(1)
            .client("B", move |ctx| b(ctx, care))
            .spared()
            .expiries(1)
            .properties([
                no_overtaken_write(),
                no_state_older_than_the_session(),
                no_program_fails(),
                somebody_is(&["wrote"], "a master writes"),
                somebody_is(&["knows that it is deposed"], "a deposed master knows it"),
            ])
    };
    let repaired = "O77 new session, stale assignment, repaired";
    let breaks = "no overtaken write";
    vec![
        world("O77 new session, stale assignment", Care { syncs: false, fenced: false })
            .breaks(breaks)
            .fixed_by(repaired),
        world("O77 new session, stale assignment, sync alone", Care { syncs: true, fenced: false })
            .breaks(breaks)
            .fixed_by(repaired),
        world(repaired, Care { syncs: true, fenced: true })
            .property(somebody_is(&["refused"], "a deposed master is refused")),
    ]
}

#[cfg(test)]
mod tests {
    use overtake_sim::ensemble::{Ensemble, LEADER};
    use overtake_sim::names::who;
    use overtake_sim::zookeeper::ZooKeeper;

    use super::has_applied_opening;

    /// A server that told a client of its session too early would be noticed.
    #[test]
    fn a_session_is_not_known_at_a_server_that_has_not_applied_its_opening() {
        let mut ensemble = Ensemble::new(ZooKeeper::default(), 1);
        let session = who(0, 1);
        ensemble.open_session(session);
        assert!(has_applied_opening(&ensemble, LEADER, session));
        assert!(!has_applied_opening(&ensemble, 1, session));
        ensemble.commit(1, &mut Vec::new());
        assert!(has_applied_opening(&ensemble, 1, session));
    }
}
