//! O51, ZOOKEEPER-2355: a follower says that it has what it has not, and an ephemeral node stays there for ever.
//!
//! *Mechanism:* a follower that synchronises writes down the last zxid before it has read what leads to it, and fails.
//! The session closes meanwhile. The follower starts again and reports the high zxid, so the leader sends nothing:
//! the deletion is missing, for readers there and, once it leads, for everybody. *Smallest configuration:* 3 servers, a
//! fault in the middle of synchronising. *Source:* <https://issues.apache.org/jira/browse/ZOOKEEPER-2355>. *Violated:*
//! replicas with equal zxid have equal trees. *Repair:* the zxid is written down when the data is in.

use overtake_recipes::{CreateMode, Environment, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::ensemble::Quirks;
use overtake_sim::program::Context;
use overtake_sim::zookeeper;

use super::requests::answered;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const NODE: &str = "/member";

async fn come_and_go(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.create(NODE, b"", CreateMode::Ephemeral).await?;
    zk.close().await
}

/// Waits until the node has been there and is gone.
async fn see_it_go(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mut came = false;
    loop {
        ctx.checkpoint("look", &[if came { "came" } else { "" }]);
        let (there, mut watch) = answered(&ctx, || zk.watch_exists(NODE)).await?;
        if there.is_none() && came {
            break;
        }
        if there.is_some() {
            ctx.mark("saw it come");
        }
        while !matches!(watch.next().await, WatchedEvent::Node { .. }) {}
        came = true;
    }
    ctx.mark("saw it go");
    Ok(())
}

/// A path at which two trees differ: one that is missing in one of them, if there is any.
fn difference(a: &zookeeper::ZooKeeper, b: &zookeeper::ZooKeeper) -> Option<String> {
    let paths = || a.nodes().chain(b.nodes()).map(|(path, _)| path);
    let missing = paths().find(|path| a.node(*path).is_some() != b.node(*path).is_some());
    let differs = |path: &_| a.node(*path) != b.node(*path) || a.data(*path) != b.data(*path);
    missing.or_else(|| paths().find(differs)).map(|path| path.short())
}

/// Any two servers that say that they have applied the same transactions have the same tree. Source: ZOOKEEPER-2355.
pub fn equal_zxids_equal_trees() -> Property {
    Property::always("replicas with equal zxid have equal trees", "ZOOKEEPER-2355", |view| {
        let servers = view.ensemble();
        for a in 0..servers.servers() as u8 {
            for b in 0..a {
                let (a, b) = (servers.at(a), servers.at(b));
                if a.last_zxid() == b.last_zxid()
                    && let Some(path) = difference(a, b)
                {
                    return Err(format!("two servers say that they have the same transactions, and differ at {path}"));
                }
            }
        }
        Ok(())
    })
}

/// The servers with the fault and those without.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, resync_trusts_zxid| {
        scenario(name)
            .about(
                "A follower falls out and synchronises while a client comes and goes. It claims the zxid of the client's \
                 end, and has not applied it: whoever waits there for the client's node to go, waits for ever.",
            )
            .source("https://issues.apache.org/jira/browse/ZOOKEEPER-2355")
            .servers(3)
            .quirks(Quirks { resync_trusts_zxid, ..Quirks::default() })
            .client("member", come_and_go)
            .client("observer", see_it_go)
            .attached_to(1)
            .stays()
            .resyncs(1)
            .properties([
                equal_zxids_equal_trees(),
                no_program_fails(),
                somebody_is(&["saw it go"], "the node is seen to go"),
            ])
    };
    vec![
        world("O51 zxid before its data", true)
            .breaks("replicas with equal zxid have equal trees")
            .fixed_by("O51 zxid before its data, repaired"),
        world("O51 zxid before its data, repaired", false).property(Property::at_rest(
            "who saw the node come sees it go",
            "ZOOKEEPER-2355",
            |view| match view.clients().find(|c| c.is_marked("saw it come") && !c.is_marked("saw it go")) {
                Some(waits) => Err(format!("{} waits for ever", waits.name())),
                None => Ok(()),
            },
        )),
    ]
}
