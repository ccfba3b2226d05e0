//! O79, rust-zookeeper 49c272a: the last zxid that a client has seen is overwritten by events, and time goes back.
//!
//! *Mechanism:* the headers of events and pings carry no zxid, and the client stores it as the last one it has seen. On
//! reconnecting it tells the new server a low zxid, and a server that is behind the client takes it: its own node is
//! missing there, a released lock is shown. *Smallest configuration:* 1 client, 2 servers, one behind, a reconnect after
//! an event. *Source:* <https://github.com/bonifaido/rust-zookeeper/commit/49c272a>. *Violated:* a session never
//! reads a state older than it has seen. *Repair:* only replies count (§2.4); the server refuses a client that is
//! ahead of it (§3.1, Z102), and the client tries another one.

use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::ensemble::Quirks;
use overtake_sim::program::Context;

use super::requests::answered;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const MEMBER: &str = "/member";
const VALUE: &str = "/value";

/// Registers, watches the value, and looks for its own node when it is back after a broken connection.
async fn member(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    match answered(&ctx, || zk.create(MEMBER, b"", CreateMode::Ephemeral)).await {
        // The reply to an earlier try was lost; nobody else creates this node.
        Ok(_) | Err(ZkError::NodeExists) => {}
        Err(error) => return Err(error),
    }
    let mut connection = zk.session_events();
    let (_, _, watch) = answered(&ctx, || zk.watch_data(VALUE)).await?;
    while connection.next().await != WatchedEvent::Session(SessionState::Connected) {}
    let there = answered(&ctx, || zk.exists(MEMBER)).await?;
    drop(watch);
    ctx.mark(if there.is_some() { "sees its node" } else { "misses its node" });
    Ok(())
}

async fn write(ctx: Context) -> Result<(), ZkError> {
    ctx.zookeeper().set_data(VALUE, b"new", None).await.map(drop)
}

fn time_never_goes_back() -> Property {
    Property::always(
        "a session never reads a state older than it has seen",
        "rust-zookeeper 49c272a; ZooKeeper: single system image",
        |view| match view.clients().find(|c| c.is_marked("misses its node")) {
            Some(c) => Err(format!("{} was told that its node is there, and reads now that it is not", c.name())),
            None => Ok(()),
        },
    )
}

/// The faulty client library and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, events_reset_zxid| {
        scenario(name)
            .about(
                "A client registers at the leader, and an event arrives. Its connection breaks, and it reconnects at a \
                 server that has not applied the registration yet.",
            )
            .source("https://github.com/bonifaido/rust-zookeeper/commit/49c272a")
            .node(VALUE)
            .servers(2)
            .quirks(Quirks { events_reset_zxid, ..Quirks::default() })
            .client("member", member)
            .client("writer", write)
            .spared()
            .disconnects(1)
            .properties([
                time_never_goes_back(),
                no_program_fails(),
                somebody_is(&["sees its node"], "a member that was disconnected sees its node"),
                Property::sometimes("a member comes back at the follower", |view| {
                    view.client(0).server() == 1 && view.client(0).is_marked("sees its node")
                }),
            ])
    };
    vec![
        world("O79 zxid taken from events", true)
            .breaks("a session never reads a state older than it has seen")
            .fixed_by("O79 zxid taken from events, repaired"),
        world("O79 zxid taken from events, repaired", false),
    ]
}
