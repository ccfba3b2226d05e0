//! The client library's layer by itself: protected creates, retries across a session, listeners that come late.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use overtake_recipes::client::{Client, ConnectionState, Options, RetryPolicy, listen};
use overtake_recipes::names::join;
use overtake_recipes::{CreateMode, Environment, Op, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::programs::LOCK;
use crate::bugs::properties::{every_node_is_known, no_write_by_a_former_holder, one_member_one_node};
use crate::bugs::steps::{delete_surely, enqueue, give_up_if_lost, turn};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const RESOURCE: &str = "/resource";

fn client(ctx: &Context, policy: RetryPolicy) -> Client<Context> {
    Client::new(ctx.clone(), Options { policy, ..Options::default() })
}

/// Makes one node with protection and keeps it; a call that fails says so.
async fn member(ctx: Context, policy: RetryPolicy) -> Result<(), ZkError> {
    let client = client(&ctx, policy);
    match client.create_protected(LOCK, "member-", CreateMode::EphemeralSequential, &[]).await {
        Ok(name) => ctx.mark_with("node", &join(LOCK, &name)),
        Err(_) => ctx.mark("gave up"),
    }
    Ok(())
}

/// Protected creates (§4.3): one node, whatever was lost; none, when the call fails.
fn protected() -> Vec<Scenario> {
    let members = |what: &str, policy: fn() -> RetryPolicy| {
        scenario(format!("protected create, {what}"))
            .about(
                "A client creates a node with an id in its name and looks for it after each lost reply; the node of a former \
                 session is not adopted.",
            )
            .source("semantics §4.3; CURATOR-498, CURATOR-45")
            .node(LOCK)
            .clients(1, move |ctx| member(ctx, policy()))
            .properties([
                one_member_one_node(LOCK),
                every_node_is_known(LOCK),
                no_wait_without_wake_up(),
                no_program_fails(),
                everybody_is_done(),
            ])
    };
    let patient = || RetryPolicy::exponential(Duration::from_secs(1), 3);
    let stays = || somebody_is(&["node"], "the node is made");
    let fails = || [failed_calls_leave_nothing(LOCK), somebody_is(&["gave up"], "the create fails")];
    vec![
        members("connection lost", patient).disconnects(1).property(stays()),
        members("connection lost twice", patient).disconnects(2).property(stays()),
        members("loss and expiry", patient).disconnects(1).expiries(1).property(stays()),
        members("no retries", RetryPolicy::never).disconnects(1).property(stays()).properties(fails()),
        members("one retry, connection lost twice", || RetryPolicy::once(Duration::from_secs(1)))
            .disconnects(2)
            .property(stays())
            .properties(fails()),
        members("retries until a time", || RetryPolicy::UntilElapsed {
            limit: Duration::from_secs(5),
            pause: Duration::from_secs(1),
        })
        .disconnects(2)
        .property(stays())
        .properties(fails()),
        scenario("blind create, connection lost")
            .about("The same retries around a plain create: the second try makes a second node.")
            .source("Z133")
            .node(LOCK)
            .clients(1, |ctx| async move {
                let (zk, client) = (ctx.zookeeper(), client(&ctx, RetryPolicy::once(Duration::from_secs(1))));
                let path = join(LOCK, "member-");
                let create = || zk.create(&path, b"", CreateMode::EphemeralSequential);
                let made = client.call("blind create", &[], create).await?;
                ctx.mark_with("node", &made);
                Ok::<(), ZkError>(())
            })
            .disconnects(1)
            .properties([
                one_member_one_node(LOCK),
                every_node_is_known(LOCK),
                no_wait_without_wake_up(),
                no_program_fails(),
                stays(),
                everybody_is_done(),
            ])
            .breaks("one member, one node")
            .fixed_by("protected create, connection lost"),
    ]
}

/// Works under the lock: one write, repeated by the policy.
async fn writer(ctx: Context, policy: RetryPolicy) -> Result<(), ZkError> {
    let held = async {
        let own = enqueue(&ctx, "/lock/n-").await?;
        turn(&ctx, LOCK, &own).await?;
        ctx.mark_with("holds", &own);
        let zk = ctx.zookeeper();
        let write = || zk.set_data(RESOURCE, own.as_bytes(), None);
        client(&ctx, policy).call("write", &[&own], write).await?;
        ctx.mark("wrote");
        ctx.work("work").await;
        ctx.unmark("wrote");
        ctx.unmark("holds");
        delete_surely(&ctx, &own).await
    };
    match held.await {
        Err(ZkError::NoNode) => Ok(()),
        done => give_up_if_lost(done),
    }
}

/// A write under a lock, repeated in another session (vespa#3340) and not.
fn across_sessions() -> Vec<Scenario> {
    let writers = |name: &str, policy: fn() -> RetryPolicy| {
        scenario(name)
            .about(
                "Two clients write to a resource under a lock. A write that fails is made again; when the session is over, in \
                 a new one or not at all.",
            )
            .source("https://github.com/vespa-engine/vespa/pull/3340; Curator's SessionFailedRetryPolicy")
            .node(LOCK)
            .node(RESOURCE)
            .clients(2, move |ctx| writer(ctx, policy()))
            .expiries(1)
            .properties([
                no_write_by_a_former_holder(RESOURCE),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_is(&["wrote"], "somebody wrote"),
                everybody_is_done(),
            ])
    };
    vec![
        writers("write retried in a new session", || RetryPolicy::exponential(Duration::from_secs(1), 3))
            .breaks("no write by a former holder")
            .fixed_by("write not retried in a new session"),
        writers("write not retried in a new session", || {
            RetryPolicy::SessionFailed(Box::new(RetryPolicy::exponential(Duration::from_secs(1), 3)))
        }),
    ]
}

/// Leads until the listener says otherwise, and writes what it decided before.
async fn listener(ctx: Context, guarded: bool) -> Result<(), ZkError> {
    let stop = Rc::new(Cell::new(false));
    let (heard, told) = (stop.clone(), ctx.clone());
    listen(&ctx, Duration::ZERO, move |state| {
        if matches!(state, ConnectionState::Suspended | ConnectionState::Lost) {
            heard.set(true);
            told.mark("told to stop");
        }
    });
    let lead = async {
        let own = enqueue(&ctx, "/lock/n-").await?;
        turn(&ctx, LOCK, &own).await?;
        ctx.mark_with("holds", &own);
        ctx.work("decide").await;
        if !stop.get() {
            let set = Op::SetData { path: RESOURCE.to_owned(), data: own.as_bytes().to_vec(), version: None };
            let check = Op::Check { path: own.clone(), version: None };
            let ops = if guarded { vec![check, set] } else { vec![set] };
            let policy = RetryPolicy::exponential(Duration::from_secs(1), 3);
            let zk = ctx.zookeeper();
            client(&ctx, policy).call("write", &[&own], || zk.multi(ops.clone())).await?;
            ctx.mark("wrote");
            ctx.work("work").await;
            ctx.unmark("wrote");
        }
        ctx.unmark("holds");
        delete_surely(&ctx, &own).await
    };
    match lead.await {
        Err(ZkError::NoNode) => Ok(()),
        done => give_up_if_lost(done),
    }
}

/// Connection states, told by a listener in a task of its own (§5.8).
fn listeners() -> Vec<Scenario> {
    let leaders = |name: &str, guarded: bool| {
        scenario(name)
            .about(
                "A leader stops when its connection is suspended or lost. Its listener runs in a task of its own, and may run \
                 after the leader has looked whether to stop.",
            )
            .source("semantics §5.8 and §3.7; CURATOR-206")
            .node(LOCK)
            .node(RESOURCE)
            .clients(2, move |ctx| listener(ctx, guarded))
            .expiries(1)
            .properties([
                no_write_by_a_former_holder(RESOURCE),
                no_program_fails(),
                somebody_is(&["wrote"], "somebody wrote"),
                somebody_is(&["told to stop"], "somebody is told to stop"),
            ])
    };
    vec![
        leaders("listener comes late", false).breaks("no write by a former holder").fixed_by("listener and check"),
        leaders("listener and check", true),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    [protected(), across_sessions(), listeners()].concat()
}
