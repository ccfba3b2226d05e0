//! A home-made lock with a race in it, and the repaired one beside it.

use overtake::recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake::{Context, Scenario, property, scenario};

/// One node of a fixed name is the lock: whoever creates it has it. *The race:* after a lost connection nobody knows
/// whether the create took effect, and this lock takes "exists already" for its own success.
pub async fn home_made(ctx: Context) -> Result<(), ZkError> {
    lock(ctx, false).await
}

/// The repair: "exists already" is mine only if the node belongs to my session.
pub async fn repaired(ctx: Context) -> Result<(), ZkError> {
    lock(ctx, true).await
}

async fn lock(ctx: Context, asks_for_the_owner: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mut lost = false;
    loop {
        ctx.checkpoint("try", &[if lost { "lost" } else { "" }]);
        match zk.create("/lock/held", b"", CreateMode::Ephemeral).await {
            Ok(_) => break,
            Err(ZkError::ConnectionLoss) => lost = true,
            Err(ZkError::NodeExists) => {
                let Ok((_, stat, mut watch)) = zk.watch_data("/lock/held").await else { continue };
                let mine = if asks_for_the_owner { stat.ephemeral_owner == zk.session_id() } else { lost };
                if mine {
                    break;
                }
                watch.next().await;
            }
            Err(error) => return Err(error),
        }
    }
    ctx.mark_with("holds", "/lock/held");
    ctx.work("work").await;
    ctx.unmark("holds");
    while zk.delete("/lock/held", None).await == Err(ZkError::ConnectionLoss) {}
    Ok(())
}

/// Two clients, one of whose connections may break once.
pub fn two_clients<F: Future<Output = Result<(), ZkError>> + 'static>(
    name: &str,
    program: impl Fn(Context) -> F + Send + Sync + 'static,
) -> Scenario {
    scenario(name).node("/lock").clients(2, program).disconnects(1).properties([
        property::at_most_one_live_holder(),
        property::no_wait_without_wake_up(),
        property::somebody_holds(),
        property::everybody_is_done(),
    ])
}
