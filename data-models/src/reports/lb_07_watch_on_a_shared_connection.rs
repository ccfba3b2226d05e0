//! LB-07, redis/node-redis#1322: two logical clients watch a key on one connection.
//!
//! *Mechanism:* t1 watches a key; t2 watches it, too, and commits on the same connection, which clears t1's watch; t1 commits as well.
//! *Smallest configuration:* 2 logical clients, one connection, one key. *Source:* <https://github.com/redis/node-redis/issues/1322>,
//! <https://github.com/redis/node-redis/issues/609>, <https://github.com/redis/redis/issues/981>. *Violated:* of two transactions that
//! overlap on one key at most one commits; so what was committed is there. *Repair:* a connection for each transaction.
//!
//! Translated from Redis: the process is one program with two tasks. What the server keeps for a connection is kept with the connection in the
//! program. WATCH of a key reads its version unless the connection watches it already; EXEC is one update at that version, or a
//! plain set when nothing is watched.

use std::cell::Cell;
use std::rc::Rc;

use overtake_recipes::store::{DataEnvironment, Dht as _, Updated, Version};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P25";

/// A connection to the server, which keeps what the connection watches.
#[derive(Clone)]
struct Connection {
    ctx: Context,
    watched: Rc<Cell<Option<Version>>>,
}

impl Connection {
    fn open(ctx: &Context) -> Self {
        Self { ctx: ctx.clone(), watched: Rc::default() }
    }

    async fn watch(&self) -> Ended {
        let version = get(&self.ctx, "foo").await?.version;
        self.watched.set(self.watched.get().or(Some(version)));
        Ok(())
    }

    /// MULTI, SET, EXEC: whether it was done. It clears every watch of the connection.
    async fn exec(&self, value: Value) -> Result<bool, StoreError> {
        match self.watched.take() {
            Some(version) => Ok(self.ctx.dht().update("foo", value, version).await? == Updated::Stored),
            None => put(&self.ctx, "foo", value).await.map(|()| true),
        }
    }
}

async fn transaction(connection: Connection, me: &'static str) -> Ended {
    connection.watch().await?;
    let read = get(&connection.ctx, "foo").await?.data;
    match connection.exec(with(&read, me)).await? {
        true => connection.ctx.mark(if me == "t1" { "t1 committed" } else { "t2 committed" }),
        false => connection.ctx.mark("refused"),
    }
    Ok(())
}

async fn process(ctx: Context, shared: bool) -> Ended {
    let connection = Connection::open(&ctx);
    let other = if shared { connection.clone() } else { Connection::open(&ctx) };
    let other = ctx.spawn_task(transaction(other, "t2"));
    transaction(connection, "t1").await?;
    other.await
}

fn what_was_committed_is_there() -> Property {
    Property::at_rest("what was committed is there", "redis/node-redis#1322", |view| {
        let value = see::data(view, "foo");
        for (mark, element) in [("t1 committed", "t1"), ("t2 committed", "t2")] {
            let lost = see::marked(view, mark) > 0 && !value.strings().iter().any(|e| e == element);
            see::kept(!lost, || format!("{element} has committed, and the value is {value}"))?;
        }
        Ok(())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, shared| {
        scenario(name)
            .about("Two transactions watch a key on one connection. The first EXEC clears the watch of both, and the second succeeds as well.")
            .source("https://github.com/redis/node-redis/issues/1322")
            .stores(table(Dht::seed(1).with("foo", Value::List(Vec::new()))))
            .client("process", move |ctx| process(ctx, shared))
            .properties([
                what_was_committed_is_there(),
                no_program_fails(),
                somebody_is(&["t1 committed"], "t1 commits"),
                somebody_is(&["t2 committed"], "t2 commits"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LB-07 watch on a shared connection", true)
            .breaks("what was committed is there")
            .fixed_by("LB-07 watch on a shared connection, repaired"),
        world("LB-07 watch on a shared connection, repaired", false)
            .property(somebody_is(&["refused"], "somebody is refused")),
    ]
}
