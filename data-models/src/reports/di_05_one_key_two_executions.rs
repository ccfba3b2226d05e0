//! DI-05, jcagarcia/grape-idempotency#10: two requests with one idempotency key both do the work.
//!
//! *Mechanism:* the key is stored when the work is finished. While the first works, the second finds no key and works, too. *Smallest
//! configuration:* 2 deliveries, 1 key. *Source:* <https://github.com/jcagarcia/grape-idempotency/issues/10>. *Violated:* the work is
//! done at most once a key. *Repair:* a marker "in progress" comes first; who does not get it is refused. *Trap:* the process dies
//! behind its marker, and the key is blocked for ever. A marker that belongs to the same transaction as the work goes with it.

use overtake_recipes::store::documents::eq;
use overtake_recipes::store::{DataEnvironment, Documents as _, Isolation, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P4";

const BREAKS: &str = "the work is done at most once a key";
const DONE: &str = "the work is done";

#[derive(Clone, Copy, Debug)]
enum Way {
    KeyBehindTheWork,
    MarkerFirst,
    OneTransaction,
}

async fn deliver(ctx: Context, way: Way) -> Ended {
    let store = ctx.documents();
    let (key, work) = (doc([("_id", "key".into())]), doc([("key", "key".into()), ("by", ctx.unique_id().into())]));
    let refused = |inserted: Result<(), StoreError>| match inserted {
        Err(StoreError::DuplicateKey) => {
            ctx.mark("refused");
            Ok(true)
        }
        inserted => inserted.map(|()| false),
    };
    match way {
        Way::KeyBehindTheWork => {
            if store.find_one("keys", eq("_id", "key")).await?.is_some() {
                ctx.mark("refused");
                return Ok(());
            }
            store.insert("work", work).await?;
            refused(store.insert("keys", key).await.map(drop))?;
        }
        Way::MarkerFirst => {
            if !refused(store.insert("keys", key).await.map(drop))? {
                store.insert("work", work).await?;
            }
        }
        Way::OneTransaction => {
            let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
            if !refused(transaction.insert("keys", key).await)? {
                transaction.insert("work", work).await?;
                transaction.commit().await?;
            }
        }
    }
    Ok(())
}

/// The faulty program, the repaired one, its trap, and one that keeps both.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("A request is delivered twice, with one idempotency key.")
            .source("https://github.com/jcagarcia/grape-idempotency/issues/10")
            .stores(documents(Documents::new()))
            .clients(2, move |ctx| deliver(ctx, way))
            .properties([
                at_most_one_effect(BREAKS, "jcagarcia/grape-idempotency#10", "work", "key"),
                somebody_is(&["refused"], "a delivery is refused"),
                everybody_is_done(),
            ])
    };
    let with_a_crash = |name: &str, way| {
        world(name, way).crashes(1).property(Property::at_rest(DONE, "own analysis: at least once as well", |view| {
            see::kept(!see::all(view, "work").is_empty(), || {
                "one delivery has died behind its marker, the other was refused: the key is blocked".into()
            })
        }))
    };
    vec![
        world("DI-05 one key, two executions", Way::KeyBehindTheWork)
            .breaks(BREAKS)
            .fixed_by("DI-05 one key, two executions, repaired"),
        world("DI-05 one key, two executions, repaired", Way::MarkerFirst),
        with_a_crash("DI-05 one key, two executions, trap: dies behind its marker", Way::MarkerFirst)
            .breaks(DONE)
            .fixed_by("DI-05 one key, two executions, repaired in one transaction"),
        with_a_crash("DI-05 one key, two executions, repaired in one transaction", Way::OneTransaction),
    ]
}
