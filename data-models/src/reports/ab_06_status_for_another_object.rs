//! AB-06, argoproj/argo-workflows#16774: a status is merged onto another object that has taken over the name.
//!
//! *Mechanism:* the controller works on an object; it is deleted and created again under its name. The update is refused because the uid
//! differs, which is taken for an ordinary version conflict: the controller reads by name, gets the new object, and applies its change
//! at that one's version. *Smallest configuration:* 2 clients, one name, delete and create. *Source:*
//! <https://github.com/argoproj/argo-workflows/issues/16774>, <https://github.com/argoproj/argo-workflows/pull/16775>. *Violated:* a change
//! computed on one incarnation is never applied to another. *Repair:* the incarnation is compared before the change is applied again.
//!
//! Translated: objects are documents by name, with uid and version; a status says on which uid it was computed.

use overtake_recipes::Value;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P13";

fn object(uid: &str) -> Value {
    doc([("_id", "w".into()), ("uid", uid.into()), ("version", 0.into())])
}

async fn controller(ctx: Context, compares: bool) -> Ended {
    let mut seen = read(&ctx, "objects", "w").await?;
    let computed_on = seen.text("uid").to_owned();
    while seen != Value::Null {
        if compares && seen.text("uid") != computed_on {
            break;
        }
        let same = and([by_id("w"), eq("uid", seen.text("uid")), eq("version", seen.int("version"))]);
        if change(&ctx, "objects", same, vec![set("status of", &computed_on), inc("version", 1)]).await? {
            ctx.mark("applied");
            return Ok(());
        }
        ctx.mark("tries again");
        seen = read(&ctx, "objects", "w").await?;
    }
    ctx.mark("gone");
    Ok(())
}

async fn user(ctx: Context) -> Ended {
    change(&ctx, "objects", by_id("w"), vec![inc("version", 1)]).await?;
    ctx.documents().delete_one("objects", by_id("w")).await?;
    ctx.documents().insert("objects", object("second")).await?;
    Ok(())
}

fn status_of_this_object() -> Property {
    Property::always("a status is of this object", "argoproj/argo-workflows#16774", |view| {
        let object = see::one(view, "objects", "w");
        let (uid, of) = (object.text("uid"), object.text("status of"));
        see::kept(of.is_empty() || of == uid, || format!("the {uid} object has a status that was computed on the {of}"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, compares| {
        scenario(name)
            .about("A controller's update is refused because the object was made anew under the same name; it tries again on the new one.")
            .source("https://github.com/argoproj/argo-workflows/issues/16774")
            .stores(documents(Documents::new().with("objects", object("first"))))
            .client("controller", move |ctx| controller(ctx, compares))
            .client("user", user)
            .properties([
                status_of_this_object(),
                no_program_fails(),
                somebody_is(&["applied"], "somebody applies a status"),
                somebody_is(&["tries again"], "somebody tries again"),
                somebody_is(&["gone"], "somebody finds the object gone"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-06 status for another object", false)
            .breaks("a status is of this object")
            .fixed_by("AB-06 status for another object, repaired"),
        world("AB-06 status for another object, repaired", true),
    ]
}
