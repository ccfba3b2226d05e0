//! O42: an acquire that starts over keeps the lease that it made before.
//!
//! The lease is made, the session is replaced, and the list does not show the lease. The acquire makes another, and
//! hands out both, of which one is nobody's.
//!
//! Smallest: 1 client, 1 expiry. Source: <https://github.com/apache/curator/issues/835>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::names::{Text, slot_of};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, is_lost, reconnect, turn};
use crate::property::*;
use crate::scenario::Scenario;

/// Takes the one permit and answers the leases that it has made for it.
async fn acquire<const GIVES_BACK: bool>(ctx: &Context) -> Result<Vec<String>, ZkError> {
    let mut leases = vec![enqueue(ctx, "/leases/l-").await?];
    match turn(ctx, "/leases", &leases[0]).await {
        Err(error) if is_lost(error) => reconnect(ctx).await?,
        answer => return answer.map(|_| leases),
    }
    if GIVES_BACK {
        for lease in leases.drain(..) {
            match ctx.zookeeper().delete(&lease, None).await {
                Err(ZkError::NoNode) => {}
                answer => answer?,
            }
        }
    }
    leases.push(enqueue(ctx, "/leases/l-").await?);
    turn(ctx, "/leases", &leases[leases.len() - 1]).await?;
    Ok(leases)
}

async fn user<const GIVES_BACK: bool>(ctx: Context) -> Result<(), ZkError> {
    match acquire::<GIVES_BACK>(&ctx).await {
        Ok(leases) => {
            ctx.mark_with("leases", if leases.len() == 1 { "one" } else { "two" });
            ctx.work("work").await;
            ctx.unmark("leases");
            Ok(())
        }
        Err(error) => give_up_if_lost(Err(error)),
    }
}

/// The faulty semaphore and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let (parent, one) = (Text::new("/leases"), Text::new("one"));
    let lives_up = move |view: &overtake_sim::world::View<'_>| {
        let zk = view.zookeeper();
        for client in view.clients() {
            let Some(handed_out) = client.mark("leases") else {
                continue;
            };
            if !client.session().is_some_and(|session| zk.is_alive(session)) {
                continue;
            }
            let handed_out = if handed_out == Some(one) { 1 } else { 2 };
            let own = |path: &Text| zk.owner(*path).is_some_and(|who| slot_of(who) == client.slot());
            let alive = zk.children(parent).iter().filter(|path| own(path)).count();
            if alive != handed_out {
                return Err(format!("{} was handed out {handed_out}, and {alive} of its nodes exist", client.name()));
            }
        }
        Ok(())
    };
    Report {
        name: "O42 more leases than asked for",
        source: "https://github.com/apache/curator/issues/835",
        about: "A client takes the one permit of a semaphore; when the session is replaced it starts over. The lease of the \
                first try is handed out beside that of the second. Repaired: it is given back before the second.",
        violates: "leases handed out are there",
    }
    .pair(
        |s| s.clients(1, user::<false>),
        |s| s.clients(1, user::<true>),
        |s| {
            s.node("/leases").expiries(1).properties([
                Property::always("leases handed out are there", "CURATOR-315", lives_up).where_marked(&["leases"], 1),
                no_program_fails(),
                Property::sometimes("a lease is handed out after the expiry", |view| {
                    view.budget().expiries == 0 && view.clients().any(|c| c.is_marked("leases"))
                }),
                everybody_is_done(),
            ])
        },
    )
}
