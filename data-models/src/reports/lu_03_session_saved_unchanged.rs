//! LU-03, woocommerce/woocommerce#11062: a request that changes nothing saves the session.
//!
//! *Mechanism:* a request in the background (for a file that is not there) loads the whole session. A request for the cart loads it, adds
//! an item and saves it. At its end the first saves what it had loaded. *Smallest configuration:* 2 clients, 1 key. *Source:*
//! <https://github.com/woocommerce/woocommerce/issues/11062>. *Violated:* a request that makes no change changes nothing that is
//! stored. *Repair:* save only what was changed.

use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P2";

const BREAKS: &str = "a request that changes nothing changes nothing";

async fn request(ctx: Context, adds: bool, only_when_changed: bool) -> Ended {
    let mut session = read(&ctx, "sessions", "s").await?;
    if adds {
        session.set("item", "bread");
    } else {
        ctx.work("not found").await;
    }
    if adds || !only_when_changed {
        ctx.documents().replace_one("sessions", by_id("s"), session).await?;
    }
    if adds {
        ctx.mark("added");
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, only_when_changed| {
        scenario(name)
            .about("One request adds an item to the session. Another, for a file that is not there, loads the session and saves it at its end.")
            .source("https://github.com/woocommerce/woocommerce/issues/11062")
            .stores(documents(Documents::new().with("sessions", doc([("_id", "s".into())]))))
            .client("cart", move |ctx| request(ctx, true, only_when_changed))
            .client("background", move |ctx| request(ctx, false, only_when_changed))
            .properties([
                Property::always(BREAKS, "woocommerce/woocommerce#11062", |view| {
                    let there = see::one(view, "sessions", "s").at("item").is_some();
                    see::kept(see::marked(view, "added") == 0 || there, || {
                        "the item was added, and a request that adds nothing has taken it away".into()
                    })
                }),
                somebody_is(&["added"], "an item is added"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-03 session saved unchanged", false)
            .breaks(BREAKS)
            .fixed_by("LU-03 session saved unchanged, repaired"),
        world("LU-03 session saved unchanged, repaired", true),
    ]
}
