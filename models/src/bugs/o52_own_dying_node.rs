//! O52, KAFKA-14845: a registration fails because of the client's own node of an earlier session.
//!
//! *Mechanism:* the client creates its node, and the reply is lost with the connection; all that it knows of the
//! session is lost too. It opens another session and creates the same path: it exists, and the owner is unknown.
//! The earlier session is about to end, but the client takes its node for a rival's and fails. *Smallest
//! configuration:* 1 client, 1 lost reply. *Source:* <https://github.com/apache/kafka/pull/13558>. *Violated:* a
//! conflict with a dying node of one's own resolves itself. *Repair:* wait until the owner is gone and try again.
//!
//! The clients of this world have their first session from the start; that the client never learnt of it is
//! rendered by a program that makes no use of it after the loss.

use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const BROKER: &str = "/brokers/1";

async fn register(ctx: Context, patient: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        let session = format!("{:x}", zk.session_id());
        ctx.checkpoint("register", &[&session]);
        match zk.create(BROKER, b"", CreateMode::Ephemeral).await {
            Ok(_) => break,
            Err(ZkError::ConnectionLoss) => zk.connect().await?,
            Err(ZkError::NodeExists) => {
                ctx.mark("conflict");
                match zk.watch_exists(BROKER).await? {
                    (Some(stat), _) if stat.ephemeral_owner == zk.session_id() => break,
                    (Some(_), mut watch) if patient => drop(watch.next().await),
                    (Some(_), _) => return Err(ZkError::NodeExists),
                    (None, _) => {}
                }
            }
            Err(error) => return Err(error),
        }
    }
    ctx.mark_with("registered", BROKER);
    Ok(())
}

fn conflict_resolves_itself() -> Property {
    Property::at_rest("a conflict with a dying own node resolves itself", "KAFKA-14845", |view| {
        match view.clients().find(|c| !c.is_marked("registered")) {
            None => Ok(()),
            Some(c) => Err(format!("{} is not registered, and has no rival", c.name())),
        }
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A broker registers, the reply is lost, and it starts over with a new session. The node of its former \
                 session is still there; the broker takes it for a rival's and gives up.",
            )
            .source("https://github.com/apache/kafka/pull/13558")
            .node("/brokers")
            .disconnects(1)
            .properties([
                conflict_resolves_itself(),
                somebody_is(&["registered"], "the client is registered"),
                somebody_is(&["conflict"], "the client meets its own node"),
            ])
    };
    vec![
        world("O52 own dying node")
            .clients(1, |ctx| register(ctx, false))
            .breaks("a conflict with a dying own node resolves itself")
            .fixed_by("O52 own dying node, repaired"),
        world("O52 own dying node, repaired").clients(1, |ctx| register(ctx, true)),
    ]
}
