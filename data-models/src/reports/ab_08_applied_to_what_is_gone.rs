//! AB-08, kubernetes-sigs/cluster-api#6741: a controller re-creates what was deleted, or changes what took its place.
//!
//! *Mechanism:* the controller reads an object and computes what it should be; the object is deleted, or deleted and created anew; the
//! controller applies with create-or-update. *Smallest configuration:* 2 clients, one name. *Source:*
//! <https://github.com/kubernetes-sigs/cluster-api/issues/6741>. *Violated:* what was computed on one incarnation has no effect once that
//! is gone. *Repair:* the uid goes into the patch.
//!
//! Translated: objects are documents by name, with a uid; what is applied says on which uid it was computed.

use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P13";

fn object(uid: &str) -> Value {
    doc([("_id", "machine".into()), ("uid", uid.into())])
}

async fn controller(ctx: Context, names_the_uid: bool) -> Ended {
    let uid = read(&ctx, "objects", "machine").await?.text("uid").to_owned();
    if uid.is_empty() {
        ctx.mark("nothing to do");
        return Ok(());
    }
    let desired = vec![set("desired by", &uid)];
    let applied = match names_the_uid {
        true => change(&ctx, "objects", and([by_id("machine"), eq("uid", &uid)]), desired).await?,
        false => {
            ctx.documents().upsert_one("objects", by_id("machine"), desired).await?;
            true
        }
    };
    ctx.mark(if applied { "applied" } else { "gone" });
    Ok(())
}

async fn user(ctx: Context) -> Ended {
    ctx.documents().delete_one("objects", by_id("machine")).await?;
    if ctx.choose(2).await == 0 {
        return Ok(());
    }
    match ctx.documents().insert("objects", object("second")).await {
        // The controller has made it already.
        Ok(_) | Err(StoreError::DuplicateKey) => Ok(()),
        Err(error) => Err(error),
    }
}

fn applied_to_what_was_read() -> Property {
    Property::always("what is applied was computed on this object", "kubernetes-sigs/cluster-api#6741", |view| {
        let object = see::one(view, "objects", "machine");
        let (uid, by) = (object.text("uid"), object.text("desired by"));
        let is = if uid.is_empty() { "deleted" } else { uid };
        see::kept(by.is_empty() || by == uid, || {
            format!("what was computed on the {by} object is applied to the {is} one")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, names_the_uid| {
        scenario(name)
            .about("A controller creates or updates an object by what it has read of one that is deleted by now.")
            .source("https://github.com/kubernetes-sigs/cluster-api/issues/6741")
            .stores(documents(Documents::new().with("objects", object("first"))))
            .client("controller", move |ctx| controller(ctx, names_the_uid))
            .client("user", user)
            .properties([
                applied_to_what_was_read(),
                no_program_fails(),
                somebody_is(&["applied"], "somebody applies"),
                somebody_is(&["nothing to do"], "somebody finds nothing"),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-08 applied to what is gone", false)
            .breaks("what is applied was computed on this object")
            .fixed_by("AB-08 applied to what is gone, repaired"),
        world("AB-08 applied to what is gone, repaired", true)
            .property(somebody_is(&["gone"], "somebody finds the object gone")),
    ]
}
