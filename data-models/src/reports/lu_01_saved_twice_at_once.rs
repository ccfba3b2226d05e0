//! LU-01, Automattic/mongoose#2367: saving the same document twice at once overrides one of the two.
//!
//! *Mechanism:* both read the document, with money 0; one saves money 5, the other money 10; both are acknowledged. *Smallest
//! configuration:* 2 clients, 1 key, no fault. *Source:* <https://github.com/Automattic/mongoose/issues/2367>. *Violated:* the final
//! money is the initial plus the acknowledged. *Repair:* increment at the server, or save by the version and read again.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::{and, eq, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

#[derive(Clone, Copy, Debug)]
enum Way {
    Whole,
    Increment,
    Version,
}

async fn save(ctx: Context, by: i64, way: Way) -> Ended {
    loop {
        ctx.checkpoint("save", &[&by.to_string()]);
        let done = match way {
            Way::Increment => change(&ctx, "docs", by_id("doc"), vec![inc("money", by)]).await?,
            Way::Whole | Way::Version => {
                let mut document = read(&ctx, "docs", "doc").await?;
                let version = document.int("version");
                document.set("money", document.int("money") + by);
                document.set("version", version + 1);
                let filter =
                    if let Way::Version = way { and([by_id("doc"), eq("version", version)]) } else { by_id("doc") };
                ctx.documents().replace_one("docs", filter, document).await?.matched > 0
            }
        };
        if done {
            ctx.mark_with("acknowledged", &by.to_string());
            return Ok(());
        }
    }
}

/// The faulty program and the repaired ones.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("Two requests read a document and save it with more money in it, the first 5, the second 10.")
            .source("https://github.com/Automattic/mongoose/issues/2367")
            .stores(documents(
                Documents::new().with("docs", doc([("_id", "doc".into()), ("money", 0.into()), ("version", 0.into())])),
            ))
            .client("five", move |ctx| save(ctx, 5, way))
            .client("ten", move |ctx| save(ctx, 10, way))
            .properties([
                ledger("the money is what was acknowledged", "Automattic/mongoose#2367", 0)
                    .comes_to(|view| Some(see::one(view, "docs", "doc").int("money"))),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-01 saved twice at once", Way::Whole)
            .breaks("the money is what was acknowledged")
            .fixed_by("LU-01 saved twice at once, repaired"),
        world("LU-01 saved twice at once, repaired", Way::Increment),
        world("LU-01 saved twice at once, repaired by version", Way::Version),
    ]
}
