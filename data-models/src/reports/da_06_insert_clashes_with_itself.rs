//! DA-06, sboesebeck/morphium#359: an insert that is sent again clashes with itself.
//!
//! *Mechanism:* the insert is applied, its answer is lost; the driver sends it again and gets a duplicate key; the caller is told that nothing
//! was written. *Smallest configuration:* 1 client, one key, one lost answer. *Source:*
//! <https://github.com/sboesebeck/morphium/issues/359>. *Violated:* who is told that nothing was written has written nothing. *Repair:* on
//! a duplicate key after a resend the stored document is compared; or the server knows the call again by an id.

use overtake_recipes::store::documents::Op;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P15";

#[derive(Clone, Copy, Debug)]
enum Way {
    Again,
    Compares,
    CallId,
}

/// The driver: whether the document was inserted.
async fn insert(ctx: &Context, me: &str, way: Way) -> Result<bool, StoreError> {
    let document = doc([("_id", "7".into()), ("by", me.into())]);
    let store = ctx.documents();
    let mut again = false;
    loop {
        let op = Op::Insert(document.clone());
        let inserted = match way {
            Way::CallId => store.retryable(1, "things", op).await,
            _ => store.run("things", op).await,
        };
        match inserted {
            Ok(_) => {
                if again {
                    ctx.mark("written, says the second answer");
                }
                return Ok(true);
            }
            Err(StoreError::Unknown) => again = true,
            Err(StoreError::DuplicateKey) if again && matches!(way, Way::Compares) => {
                let own = insist(|| read(ctx, "things", "7")).await? == document;
                ctx.mark(if own { "found its own" } else { "found another's" });
                return Ok(own);
            }
            Err(StoreError::DuplicateKey) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

async fn client(ctx: Context, way: Way) -> Ended {
    let me = ctx.unique_id();
    match insert(&ctx, &me, way).await? {
        true => ctx.mark("told written"),
        false => ctx.mark_with("told not written", &me),
    }
    Ok(())
}

fn told_not_written() -> Property {
    Property::at_rest("who is told so has written nothing", "sboesebeck/morphium#359", |view| {
        let by = see::one(view, "things", "7").text("by").to_owned();
        let wrong =
            see::who(view, "told not written").find(|c| see::shown(c, "told not written").as_ref() == Some(&by));
        see::kept(wrong.is_none(), || "the caller is told that nothing was written, and the document is its own".into())
    })
}

/// The faulty program and the repaired ones.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, clients, way| {
        scenario(name)
            .about("The answer to an insert is lost, and the second insert finds the first.")
            .source("https://github.com/sboesebeck/morphium/issues/359")
            .stores(documents(Documents::new()))
            .clients(clients, move |ctx| client(ctx, way))
            .timeouts(1)
            .properties([
                told_not_written(),
                no_program_fails(),
                somebody_is(&["told written"], "somebody inserts"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let own = || somebody_is(&["found its own"], "somebody finds its own document");
    let second = || somebody_is(&["told not written"], "somebody comes second");
    let again = || somebody_is(&["written, says the second answer"], "somebody is told by the second answer");
    vec![
        world("DA-06 insert clashes with itself", 1, Way::Again)
            .breaks("who is told so has written nothing")
            .fixed_by("DA-06 insert clashes with itself, repaired"),
        world("DA-06 insert clashes with itself, repaired", 1, Way::Compares).property(own()),
        world("DA-06 insert clashes with itself, beside another", 2, Way::Again)
            .property(second())
            .breaks("who is told so has written nothing")
            .fixed_by("DA-06 insert clashes with itself, beside another, repaired"),
        world("DA-06 insert clashes with itself, beside another, repaired", 2, Way::Compares).properties([
            own(),
            second(),
            somebody_is(&["found another's"], "somebody finds another's document"),
        ]),
        world("DA-06 insert clashes with itself, repaired by an id", 2, Way::CallId).properties([again(), second()]),
    ]
}
