//! O53, Box engineering blog: a service that restarts quickly uses the node of its former session again.
//!
//! *Mechanism:* the service starts again before its former session has ended. Its create says that the node is
//! there, so it only writes its data. Then the former session ends, and the node vanishes under the running service.
//! *Smallest configuration:* 1 client, 1 restart within the session's timeout. *Source:*
//! <https://blog.box.com/a-gotcha-when-using-zookeeper-ephemeral-nodes>. *Violated:* my registration belongs to my
//! session. *Repair:* delete the node and create it again.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties_b::registration_belongs_to_the_session;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const SERVICE: &str = "/services/web";

async fn serve(ctx: Context, anew: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        match zk.create(SERVICE, b"address", CreateMode::Ephemeral).await {
            Ok(_) => break,
            Err(ZkError::NodeExists) => ctx.mark("found a node"),
            Err(error) => return Err(error),
        }
        let written = match anew {
            true => zk.delete(SERVICE, None).await,
            false => zk.set_data(SERVICE, b"address", None).await.map(drop),
        };
        match written {
            Ok(()) if anew => {}
            Ok(()) => break,
            // It went with its session just now.
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    ctx.mark_with("registered", SERVICE);
    ctx.work("serve").await;
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A service dies and is back before its session has ended. It finds its node and writes its data; the \
                 node still belongs to the former session and goes with it.",
            )
            .source("https://blog.box.com/a-gotcha-when-using-zookeeper-ephemeral-nodes")
            .node("/services")
            .crashes(1)
            .restarts(1)
            .properties([
                registration_belongs_to_the_session(),
                no_program_fails(),
                somebody_is(&["found a node"], "the service finds a node of its own"),
                somebody_is(&["registered"], "the service is registered"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O53 old node reused")
            .clients(1, |ctx| serve(ctx, false))
            .breaks("the registration belongs to the session")
            .fixed_by("O53 old node reused, repaired"),
        world("O53 old node reused, repaired").clients(1, |ctx| serve(ctx, true)),
    ]
}
