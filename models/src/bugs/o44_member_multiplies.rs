//! O44: a member makes its node again on each reconnect, under a name built from the last.
//!
//! The node carries an id before the member's name. Connected again, the member creates it once more, with the full
//! name of the first as the base: the id that is looked for is another, and so is the name. Each reconnect adds one.
//!
//! Smallest: 1 client, 1 break shorter than the session. Source: <https://github.com/apache/curator/pull/69>.

use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper, names};
use overtake_sim::program::Context;

use super::properties::one_member_one_node;
use super::report::Report;
use super::steps::insist;
use crate::property::*;
use crate::scenario::Scenario;

/// Makes the node, unless it is there, and answers its name.
async fn make(ctx: &Context, id: &str, base: &str) -> Result<String, ZkError> {
    let (zk, name) = (ctx.zookeeper(), format!("{id}-{base}"));
    let path = names::join("/group", &name);
    match insist(|| zk.create(&path, b"", CreateMode::Ephemeral)).await {
        Ok(_) | Err(ZkError::NodeExists) => Ok(name),
        Err(error) => Err(error),
    }
}

/// Is a member for life.
async fn member<const ORIGINAL_BASE: bool>(ctx: Context) -> Result<(), ZkError> {
    let mut events = ctx.zookeeper().session_events();
    let id = ctx.unique_id();
    let mut name = make(&ctx, &id, "member").await?;
    loop {
        if events.next().await == WatchedEvent::Session(SessionState::Connected) {
            name = match ORIGINAL_BASE {
                true => make(&ctx, &id, "member").await?,
                false => make(&ctx, &ctx.unique_id(), &name).await?,
            };
            ctx.mark("made again");
        }
    }
}

/// The faulty member and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O44 member multiplies",
        source: "https://github.com/apache/curator/pull/69",
        about: "A member of a group makes its node again when it is connected again, with the name it had as the base of a \
                new one. Repaired: the name is built from the same id and base each time.",
        violates: "one member, one node",
    }
    .pair(
        |s| s.clients(1, member::<false>),
        |s| s.clients(1, member::<true>),
        |s| {
            s.node("/group").disconnects(1).properties([
                one_member_one_node("/group"),
                no_program_fails(),
                somebody_is(&["made again"], "the node is made again"),
            ])
        },
    )
}
