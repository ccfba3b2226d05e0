//! O12, etcd#15247: a stalled old leader ends all sessions after it comes back.
//!
//! *Mechanism:* the leader stalls, another one is elected and keeps the sessions alive. The old one resumes before it
//! notices; by its clock every session is over, and what it proposes is forwarded to the new leader and committed. Live
//! holders lose their keys, waiters are granted. *Smallest configuration:* 3 servers, one of them a deposed leader, 2
//! clients with no fault of their own. *Source:* <https://github.com/etcd-io/etcd/issues/15247>. *Violated:* a session
//! that is being renewed at the current leader never expires. *Repair:* what was proposed in an old term is not taken.
//!
//! Both worlds have the deposed leader (it is follower 1); in one the current leader takes what it proposes. In
//! ZooKeeper the new leader starts every session afresh and refuses proposals of an older epoch (§3.4).

use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::ensemble::{Forwarded, Quirks};
use overtake_sim::program::Context;
use overtake_sim::world::View;

use super::requests::{answered, give_up_if_expired};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

async fn work_under_lock(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("take", &[]);
        match answered(&ctx, || zk.create(LOCK, b"", CreateMode::Ephemeral)).await {
            Ok(_) => break,
            Err(ZkError::NodeExists) => {
                let (there, mut watch) = answered(&ctx, || zk.watch_exists(LOCK)).await?;
                if there.is_some() {
                    watch.next().await;
                }
            }
            Err(error) => return Err(error),
        }
    }
    ctx.mark_with("holds", LOCK);
    ctx.work("work").await;
    ctx.unmark("holds");
    answered(&ctx, || zk.delete(LOCK, None)).await
}

/// Nothing in this world breaks a connection, so every session is renewed all the time.
fn renewed_sessions_never_expire() -> Property {
    Property::always("a session that is being renewed never expires", "etcd#15247", |view| {
        for client in view.clients() {
            if client.session().is_some_and(|session| !view.zookeeper().is_known(session)) {
                return Err(format!("the session of {} is over, though it was being renewed", client.name()));
            }
        }
        Ok(())
    })
}

/// The deposed leader has proposed the end of a session, and it was of no effect.
fn a_late_proposal_is_refused(view: &View<'_>) -> bool {
    let on_its_way = |f: &Forwarded| matches!(f, Forwarded::Expiry { .. });
    view.budget().expiries == 0
        && !view.ensemble().followers[0].forwarded.iter().any(on_its_way)
        && view.clients().all(|c| c.session().is_some_and(|session| view.zookeeper().is_alive(session)))
}

/// The servers with the fault, by the report's property and by what it leads to, and those without.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, old_terms_are_taken, property: Property| {
        scenario(name)
            .about(
                "A server that was the leader, stalled and does not know that another one was elected, finds by its own \
                 clock that a session is over, and proposes its end. The holder of the lock has been in touch with \
                 the new leader all the time.",
            )
            .source("https://github.com/etcd-io/etcd/issues/15247")
            .servers(3)
            .quirks(Quirks { deposed_leader: true, old_terms_are_taken, ..Quirks::default() })
            .clients(2, |ctx| async move { give_up_if_expired(work_under_lock(ctx).await) })
            .attached_to(2)
            .expiries(1)
            .properties([property, no_program_fails(), somebody_holds(), everybody_is_done()])
            .property(Property::sometimes("a late proposal is of no effect", a_late_proposal_is_refused))
    };
    vec![
        world("O12 deposed leader ends sessions", true, renewed_sessions_never_expire())
            .breaks("a session that is being renewed never expires")
            .fixed_by("O12 deposed leader ends sessions, repaired"),
        world("O12 deposed leader ends sessions, repaired", false, renewed_sessions_never_expire()),
        world("O12 deposed leader lets two hold", true, at_most_one_believer())
            .breaks("at most one believer")
            .fixed_by("O12 deposed leader lets two hold, repaired"),
        world("O12 deposed leader lets two hold, repaired", false, at_most_one_believer()),
    ]
}
