//! LB-06, valkey-io/valkey-glide-ruby#214: a get inside MULTI throws the watch away.
//!
//! *Mechanism:* the client watches a key, gets it, and begins MULTI. Its library answers a get inside MULTI by hidden commands: DISCARD, which
//! drops the watch, then the get, then MULTI again. Another sets the key. EXEC succeeds. *Smallest configuration:* 2 clients, one key,
//! the connection's state. *Source:* <https://github.com/valkey-io/valkey-glide-ruby/issues/214>,
//! <https://github.com/valkey-io/valkey-glide-ruby/pull/225>. *Violated:* EXEC after WATCH commits only if the key is unchanged since; so
//! what others have set is in what it writes. *Repair:* no hidden commands.
//!
//! Translated from Redis: what the server keeps for a connection (which version it watches) is kept with the connection in the program. WATCH
//! reads the version; EXEC is one update at that version, or a plain set when nothing is watched.

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
struct Connection {
    ctx: Context,
    watched: Option<Version>,
}

impl Connection {
    async fn watch(&mut self) -> Ended {
        self.watched = Some(get(&self.ctx, "shared").await?.version);
        Ok(())
    }

    /// Ends MULTI without effect; the watch is gone.
    fn discard(&mut self) {
        self.watched = None;
    }

    /// The library's get inside MULTI.
    async fn get_inside_multi(&mut self, hidden: bool) -> Result<Value, StoreError> {
        if hidden {
            self.discard();
        }
        Ok(get(&self.ctx, "shared").await?.data)
    }

    /// Commits a set: whether it was done.
    async fn exec(&mut self, value: Value) -> Result<bool, StoreError> {
        match self.watched.take() {
            Some(version) => Ok(self.ctx.dht().update("shared", value, version).await? == Updated::Stored),
            None => put(&self.ctx, "shared", value).await.map(|()| true),
        }
    }
}

async fn transaction(ctx: Context, hidden: bool) -> Ended {
    let mut connection = Connection { ctx: ctx.clone(), watched: None };
    connection.watch().await?;
    let read = connection.get_inside_multi(hidden).await?;
    match connection.exec(with(&read, "transaction")).await? {
        true => ctx.mark_with("added", "transaction"),
        false => ctx.mark("refused"),
    }
    Ok(())
}

async fn other(ctx: Context) -> Ended {
    put(&ctx, "shared", vec!["other"]).await?;
    ctx.mark("set");
    Ok(())
}

fn exec_keeps_what_was_set() -> Property {
    Property::at_rest("EXEC commits only what is unchanged", "valkey-io/valkey-glide-ruby#214", |view| {
        let value = see::data(view, "shared");
        let lost = see::marked(view, "set") > 0 && !value.strings().contains(&"other".to_owned());
        see::kept(!lost, || {
            format!("another has set the key since WATCH, EXEC has succeeded, and the value is {value}")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, hidden| {
        scenario(name)
            .about(
                "A library's hidden DISCARD drops the watch of a transaction, which then commits over another's write.",
            )
            .source("https://github.com/valkey-io/valkey-glide-ruby/issues/214")
            .stores(table(Dht::seed(1).with("shared", Value::List(Vec::new()))))
            .client("transaction", move |ctx| transaction(ctx, hidden))
            .client("other", other)
            .properties([
                exec_keeps_what_was_set(),
                no_program_fails(),
                somebody_is(&["added"], "somebody commits"),
                somebody_is(&["set"], "somebody sets"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LB-06 hidden discard", true)
            .breaks("EXEC commits only what is unchanged")
            .fixed_by("LB-06 hidden discard, repaired"),
        world("LB-06 hidden discard, repaired", false).property(somebody_is(&["refused"], "somebody is refused")),
    ]
}
