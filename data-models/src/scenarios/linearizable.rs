//! Whether stores are linearizable, as the standalone check of recorded histories has it: each run is judged as a whole. The hash table key by
//! key, the document store document by document.

use std::time::Duration;

use overtake_data_recipes::optimistic::{self, OptimisticError, attempts};
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::documents::{Op, and, eq, inc, set};
use overtake_recipes::store::{DataEnvironment, Dht as _, Documents as _, Expiration, Value, doc};
use overtake_recipes::{StoreError, store::Filter};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents};

use super::pairs::{pair, stores};
use crate::property::*;

const KEY: &str = "x";
const SOURCE: &str = "Herlihy and Wing 1990; semantics §6.1, §6.4";
const LINEARIZABLE: &str = "calls are linearizable";

/// Changes the item by compare-and-set; a conflict and a lost answer are as they are.
async fn updater(ctx: Context) -> Result<(), StoreError> {
    match ctx.dht().get(KEY).await {
        Ok(Some(item)) => match ctx.dht().update(KEY, "u".into(), item.version).await {
            Ok(_) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
            Err(error) => Err(error),
        },
        Ok(None) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn writer(ctx: Context) -> Result<(), StoreError> {
    match ctx.dht().set(KEY, "w".into(), Expiration::Never).await {
        Ok(()) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn reader(ctx: Context) -> Result<(), StoreError> {
    for _ in 0..2 {
        match ctx.dht().get(KEY).await {
            Ok(_) | Err(StoreError::Unknown | StoreError::Unavailable) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn world(name: &str, about: &str, table: Dht) -> Scenario {
    scenario(name)
        .about(about)
        .source(SOURCE)
        .stores(table.with(KEY, "0").into())
        .records_calls()
        .client("writer", writer)
        .client("reader", reader)
        .properties([calls_are_linearizable(&[(KEY, "0")]), no_program_fails(), everybody_is_done()])
}

/// What was answered, or that nothing is known.
fn known<T>(answer: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(StoreError::Unknown | StoreError::Unavailable) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A number that two count up and a third reads.
fn counter(name: &str, about: &str) -> Scenario {
    scenario(name)
        .about(about)
        .source(SOURCE)
        .stores(Dht::seed(1).with(KEY, 0).into())
        .records_calls()
        .clients(2, |ctx: Context| async move {
            if let Some(Some(number)) = known(ctx.dht().increment(KEY, 1).await)? {
                ctx.mark_with("counted", &number.to_string());
            }
            Ok::<(), StoreError>(())
        })
        .client("reader", reader)
        .properties([
            calls_are_linearizable(&[(KEY, "0")]),
            no_program_fails(),
            somebody_is(&["counted"], "somebody counts"),
            everybody_is_done(),
        ])
}

/// A list that is added to at both ends, given another life, and replaced.
fn list() -> Scenario {
    scenario("lists at one node are linearizable")
        .about("A list is appended to and prepended to, touched and replaced, while another reads it. Each call takes effect at one moment.")
        .source(SOURCE)
        .stores(Dht::memcached(1).with(KEY, vec!["a"]).into())
        .records_calls()
        .client("appends", |ctx: Context| async move {
            known(ctx.dht().append(KEY, vec!["b"].into()).await)?;
            known(ctx.dht().touch(KEY, Expiration::After(Duration::from_secs(60))).await).map(drop)
        })
        .client("prepends", |ctx: Context| async move { known(ctx.dht().prepend(KEY, vec!["c"].into()).await).map(drop) })
        .client("replaces", |ctx: Context| async move {
            known(ctx.dht().replace(KEY, vec!["d"].into(), Expiration::Never).await).map(drop)
        })
        .client("reader", |ctx: Context| async move {
            if known(ctx.dht().get(KEY).await)?.flatten().is_some_and(|item| item.data.strings() == ["c", "d", "b"]) {
                ctx.mark("reads all three");
            }
            Ok::<(), StoreError>(())
        })
        .timeouts(1)
        .properties([
            calls_are_linearizable(&[(KEY, "[a]")]),
            no_program_fails(),
            somebody_is(&["reads all three"], "what was added at both ends is read"),
            everybody_is_done(),
        ])
}

/// The collection.
const DOCS: &str = "documents";

fn id() -> Filter {
    eq("_id", 1)
}

fn document() -> Value {
    doc([("_id", 1.into()), ("version", 1.into()), ("x", 0.into())])
}

fn with_documents(documents: Documents) -> Scenario {
    scenario("")
        .source("Herlihy and Wing 1990; semantics §7.1")
        .stores(stores(documents.with(DOCS, document())))
        .records_calls()
        .properties([documents_are_linearizable(vec![(DOCS, document())]), no_program_fails(), everybody_is_done()])
}

/// One writes; another reads, at the server or at a replica that lags.
fn reads(at_the_server: bool) -> Scenario {
    with_documents(Documents::new().with_replica())
        .client("writer", |ctx: Context| async move {
            ctx.documents().update_one(DOCS, id(), vec![inc("x", 1)]).await.map(drop)
        })
        .client("reader", move |ctx: Context| async move {
            for _ in 0..2 {
                let found = match at_the_server {
                    true => ctx.documents().find_one(DOCS, id()).await?,
                    false => ctx.documents().at_replica(DOCS, Op::FindOne(id())).await?.document(),
                };
                if found.is_some_and(|document| document.int("x") == 1) {
                    ctx.mark("reads what was written");
                }
            }
            Ok::<(), StoreError>(())
        })
        .property(somebody_is(&["reads what was written"], "what was written is read"))
}

/// Two set the same field on condition that it is 0.
fn compares(at_once: bool) -> Scenario {
    let documents = Documents::new();
    with_documents(if at_once { documents.looks_first() } else { documents.compares_in_two_steps() })
        .clients(2, |ctx: Context| async move {
            let still = and([id(), eq("x", 0)]);
            if ctx.documents().update_one(DOCS, still, vec![set("x", 7)]).await?.matched == 0 {
                ctx.mark("comes too late");
            }
            Ok::<(), StoreError>(())
        })
        .property(somebody_is(&["comes too late"], "one comes too late"))
}

/// Two add one, and each reads what has come of it.
fn increments(at_once: bool) -> Scenario {
    let documents = Documents::new();
    with_documents(if at_once { documents } else { documents.increments_in_two_steps() })
        .clients(2, |ctx: Context| async move {
            ctx.documents().update_one(DOCS, id(), vec![inc("x", 1)]).await?;
            if ctx.documents().find_one(DOCS, id()).await?.is_some_and(|document| document.int("x") == 2) {
                ctx.mark("reads 2");
            }
            Ok::<(), StoreError>(())
        })
        .property(somebody_is(&["reads 2"], "both additions are read"))
}

/// The helper's finds and replaces, with a conflict in between.
fn helper() -> Scenario {
    with_documents(Documents::new().looks_first())
        .called("the calls of the optimistic lock are linearizable")
        .about(
            "Two clients add by the helper for optimistic locking, over a server that finds in one step and writes in another, judging the \
             filter again. Finds and versioned replaces take effect at one moment each.",
        )
        .clients(2, |ctx: Context| async move {
            let add = |mut item: Value| async move {
                item.set("x", item.int("x") + 1);
                item
            };
            optimistic::as_written(&ctx, DOCS, id(), &attempts(2), add).await?;
            ctx.mark("added");
            Ok::<(), OptimisticError>(())
        })
        .property(somebody_is(&["added"], "somebody adds"))
}

/// What is linearizable, and what takes that away.
pub fn scenarios() -> Vec<Scenario> {
    let tables = vec![
        world(
            "one node is linearizable",
            "A node of a hash table serves calls one by one. What is lost or comes late on the way does not change that.",
            Dht::seed(1),
        )
        .client("updater", updater)
        .timeouts(1),
        world(
            "a node that starts again is not linearizable",
            "A node starts again, empty: what was acknowledged is gone.",
            Dht::seed(1),
        )
        .node_restarts(1)
        .breaks(LINEARIZABLE)
        .kept_within_bounds_of("one node is linearizable"),
        world(
            "another owner is not linearizable",
            "The owner of a key is lost, and another node takes its place, where nothing of the key is known.",
            Dht::seed(2).placed(KEY, 0).rehashing(),
        )
        .node_losses(1)
        .breaks(LINEARIZABLE)
        .kept_within_bounds_of("one node is linearizable"),
        counter(
            "increments at one node are linearizable",
            "Two count a number up, and each is told the new one. A call that is lost or comes late does not change that.",
        )
        .timeouts(1),
        counter(
            "a counter that starts again is not linearizable",
            "A node starts again, empty: who counts then finds no number, and what was counted is gone.",
        )
        .node_restarts(1)
        .breaks(LINEARIZABLE)
        .kept_within_bounds_of("increments at one node are linearizable"),
        list(),
        helper(),
    ];
    [
        tables,
        pair(
            "documents read at a replica",
            LINEARIZABLE,
            "A client reads a document twice while another changes it. A replica that lags shows what was there before the change was \
             acknowledged. Read at the server, each call takes effect at one moment.",
            reads,
        ),
        pair(
            "a filter judged before the write",
            LINEARIZABLE,
            "Two clients set a field on condition that it is 0. A server that judges the filter in one step and writes in another tells both \
             that they have set it. A real server judges it again when it writes.",
            compares,
        ),
        pair(
            "an increment in two steps",
            LINEARIZABLE,
            "Two clients add one. A server that reads in one step and writes the sum in another acknowledges two and keeps one.",
            increments,
        ),
    ]
    .concat()
}
