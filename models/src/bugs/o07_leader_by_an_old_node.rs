//! O07: connected again with a new session, a leader finds its old node first and leads on.
//!
//! The latch only lists the children when it is connected again. Its node of the old session is still there, since
//! the end of that session is not yet applied, so it leads by it. When the node goes, the latch watches nothing, and
//! the next candidate leads too.
//!
//! Smallest: 2 candidates, 1 expiry that is applied late. Source: <https://github.com/apache/curator/issues/1211>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, is_lost, line, place, reconnect, wait_for};
use crate::property::*;
use crate::scenario::Scenario;
use crate::scenarios::programs::session_lost;

/// Stands as a candidate for as long as its session lives.
async fn stand<const CHECKS_OWNER: bool>(ctx: &Context, own: &mut Option<String>) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    if CHECKS_OWNER && let Some(old) = own.take() {
        let stat = zk.exists(&old).await?;
        let mine = |owner| owner == zk.session_id();
        *own = stat.filter(|s| mine(s.ephemeral_owner)).map(|_| old);
    }
    loop {
        let line = line(ctx, "/latch").await?;
        match own.as_ref().and_then(|own| place(&line, own)) {
            None => *own = Some(enqueue(ctx, "/latch/n-").await?),
            Some(0) => break,
            Some(at) => wait_for(ctx, &line[at - 1]).await?,
        }
    }
    ctx.mark_with("holds", own.as_deref().expect("it is first"));
    session_lost(ctx).await;
    ctx.unmark("holds");
    Err(ZkError::SessionExpired)
}

async fn candidate<const CHECKS_OWNER: bool>(ctx: Context) -> Result<(), ZkError> {
    let mut own = None;
    match stand::<CHECKS_OWNER>(&ctx, &mut own).await {
        Err(error) if is_lost(error) => reconnect(&ctx).await?,
        other => return other,
    }
    give_up_if_lost(stand::<CHECKS_OWNER>(&ctx, &mut own).await)
}

/// The faulty latch and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O07 leader by an old node",
        source: "https://github.com/apache/curator/issues/1211",
        about: "Two candidates whose latch lists the children when it is connected again. With a new session it finds its \
                old node, which is as good as gone, and leads. Repaired: a node of another session is not its own.",
        violates: "grant rests on a live node of the own session",
    }
    .pair(
        |s| s.clients(2, candidate::<false>),
        |s| s.clients(2, candidate::<true>),
        |s| {
            s.node("/latch").expiries(1).properties([
                grant_rests_on_own_live_node(),
                no_program_fails(),
                somebody_holds(),
                Property::sometimes("the other leads in the end", |view| {
                    let leads = view.clients().any(|c| c.is_marked("holds"));
                    leads && view.budget().expiries == 0
                }),
            ])
        },
    )
}
