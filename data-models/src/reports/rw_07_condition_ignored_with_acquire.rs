//! RW-07, hashicorp/consul#432: a write that carries a condition and takes a lock ignores the condition.
//!
//! *Mechanism:* C1 reads index 10; C2 sets the key, which is at 11 then; C1's PUT with `cas=10` and `acquire` answers true, and the value is
//! replaced. *Smallest configuration:* 2 clients, one key. *Source:* <https://github.com/hashicorp/consul/issues/432>. *Violated:* a call
//! that carries a condition never succeeds at another version. *Repair:* both conditions hold, or the call is refused.
//!
//! Translated: the server's handler of a PUT is a call to the document store, in which the key is a document. It also keeps what
//! condition each write carried, for the judge (0 for none).

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P19";

const FIRST: i64 = 10;

/// The server's handler of `PUT ?cas=…&acquire=…`.
async fn put_and_acquire(ctx: &Context, me: &str, cas: i64, honours_both: bool) -> Result<bool, StoreError> {
    let mut conditions = vec![by_id("k"), eq("session", "none")];
    if honours_both {
        conditions.push(eq("index", cas));
    }
    let changes = vec![set("value", me), set("session", me), inc("index", 1), push("conditions", cas)];
    change(ctx, "keys", and(conditions), changes).await
}

async fn locker(ctx: Context, honours_both: bool) -> Ended {
    let me = ctx.unique_id();
    let index = read(&ctx, "keys", "k").await?.int("index");
    match put_and_acquire(&ctx, &me, index, honours_both).await? {
        true => ctx.mark("acquired"),
        false => ctx.mark("refused"),
    }
    Ok(())
}

async fn setter(ctx: Context) -> Ended {
    let changes = vec![set("value", "set"), inc("index", 1), push("conditions", 0)];
    change(&ctx, "keys", by_id("k"), changes).await.map(drop)
}

fn conditions_hold() -> Property {
    Property::always("a condition holds where the call succeeds", "hashicorp/consul#432", |view| {
        let conditions = see::numbers(&see::one(view, "keys", "k"), "conditions");
        let wrong = conditions.iter().zip(FIRST..).find(|(condition, index)| **condition != 0 && *condition != index);
        see::kept(wrong.is_none(), || {
            let (condition, index) = wrong.expect("it is there");
            format!("a write with cas={condition} has succeeded at index {index}")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, honours_both| {
        let key = [("_id", "k".into()), ("value", "old".into()), ("index", FIRST.into()), ("session", "none".into())];
        scenario(name)
            .about("A client takes a lock and writes, on the condition that the key is as it has read it. The server looks at the lock only.")
            .source("https://github.com/hashicorp/consul/issues/432")
            .stores(documents(Documents::new().with("keys", doc(key))))
            .client("C1", move |ctx| locker(ctx, honours_both))
            .client("C2", setter)
            .properties([
                conditions_hold(),
                no_program_fails(),
                somebody_is(&["acquired"], "somebody acquires the lock"),
                everybody_is_done(),
            ])
    };
    vec![
        world("RW-07 condition ignored with acquire", false)
            .breaks("a condition holds where the call succeeds")
            .fixed_by("RW-07 condition ignored with acquire, repaired"),
        world("RW-07 condition ignored with acquire, repaired", true)
            .property(somebody_is(&["refused"], "somebody is refused")),
    ]
}
