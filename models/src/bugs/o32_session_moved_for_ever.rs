//! O32, ZOOKEEPER-710: every write of a connected client is refused with SessionMoved, for ever.
//!
//! *Mechanism:* a client asks a slow follower for its session, gives up and reconnects at another server. The follower's
//! older question reaches the leader last, and the leader records the follower as the session's server. Every write
//! over the live connection is then refused with SessionMoved, and the connection stays. *Smallest configuration:* 1
//! client, 3 servers, two revalidations that change places. *Source:*
//! <https://issues.apache.org/jira/browse/ZOOKEEPER-710>. *Violated:* a client with a live connection can make progress or
//! is disconnected. *Repair:* the server closes the connection instead (§3.6); coming back records the right server.

use overtake_recipes::retry::PAUSE;
use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::ensemble::Quirks;
use overtake_sim::program::Context;
use overtake_sim::world::{ClientView, Link};

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const VALUE: &str = "/value";

async fn write(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("write", &[]);
        match zk.set_data(VALUE, b"mine", None).await {
            Ok(_) => break,
            Err(ZkError::ConnectionLoss | ZkError::SessionMoved) => ctx.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
    }
    ctx.mark("written");
    Ok(())
}

/// The servers with the fault and those without.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, moved_keeps_connection| {
        scenario(name)
            .about(
                "A client that has lost its connection asks a follower for its session, goes away before the answer, \
                 and reconnects elsewhere. The follower's question reaches the leader last: to the leader, the \
                 session is at the follower.",
            )
            .source("https://issues.apache.org/jira/browse/ZOOKEEPER-710")
            .node(VALUE)
            .servers(3)
            .quirks(Quirks { asks_and_leaves: true, moved_keeps_connection, ..Quirks::default() })
            .clients(1, write)
            .disconnects(2)
            .properties([
                Property::eventually("a connected client makes progress", "ZOOKEEPER-710", |view| {
                    view.clients().all(|c| c.is_marked("written"))
                }),
                no_program_fails(),
                Property::sometimes("a session is recorded where it is not", |view| {
                    let elsewhere = |c: &ClientView<'_>| {
                        c.session().is_some_and(|session| view.ensemble().owner(session) != c.server())
                    };
                    view.clients().any(|c| c.link() == Link::Up && elsewhere(&c))
                }),
            ])
    };
    vec![
        world("O32 session moved for ever", true)
            .breaks("a connected client makes progress")
            .fixed_by("O32 session moved for ever, repaired"),
        world("O32 session moved for ever, repaired", false),
    ]
}
