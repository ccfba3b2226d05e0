//! O50, ZOOKEEPER-1208: an ephemeral node stays although its session is long gone.
//!
//! *Mechanism:* one connection sends closeSession and, without waiting, a create of an ephemeral node. The server checks
//! the session when a request comes in, but forgets it only when the close is through. The close commits, then the
//! create commits: a node whose owner never ends. *Smallest configuration:* 1 client that sends a create right
//! behind its close. *Source:* <https://issues.apache.org/jira/browse/ZOOKEEPER-1208>. *Violated:* no ephemeral node
//! without a live owner. *Repair:* the session is marked closing when the close comes in, and later requests are refused.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::ensemble::Quirks;
use overtake_sim::program::Context;

use super::steps::is_lost;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const NODE: &str = "/member";

/// Both requests are on the wire before either is answered.
async fn close_and_create(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let close = zk.close();
    let create = zk.create(NODE, b"", CreateMode::Ephemeral);
    close.await?;
    ctx.mark("closed");
    match create.await {
        Err(error) if !is_lost(error) => return Err(error),
        Err(_) => ctx.mark("refused"),
        Ok(_) => {}
    }
    Ok(())
}

fn no_ephemeral_without_owner() -> Property {
    Property::always("no ephemeral node without a live owner", "ZOOKEEPER-1208", |view| {
        let zk = view.zookeeper();
        let ownerless = |path: &_| zk.owner(*path).is_some_and(|session| !zk.is_known(session));
        match zk.nodes().map(|(path, _)| path).find(ownerless) {
            Some(path) => Err(format!("{} belongs to a session that is over", path.short())),
            None => Ok(()),
        }
    })
}

/// The servers with the fault and those without.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, close_checked_late| {
        scenario(name)
            .about(
                "A client closes its session and, on the same connection and without waiting, creates an ephemeral \
                 node. The server has taken both before the close is through.",
            )
            .source("https://issues.apache.org/jira/browse/ZOOKEEPER-1208")
            .quirks(Quirks { close_checked_late, ..Quirks::default() })
            .clients(1, close_and_create)
            .properties([
                no_ephemeral_without_owner(),
                no_program_fails(),
                somebody_is(&["closed"], "the session is closed"),
            ])
    };
    vec![
        world("O50 create behind close", true)
            .breaks("no ephemeral node without a live owner")
            .fixed_by("O50 create behind close, repaired"),
        world("O50 create behind close, repaired", false).property(somebody_is(&["refused"], "the create is refused")),
    ]
}
