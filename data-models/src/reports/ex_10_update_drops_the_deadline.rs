//! EX-10, GluuFederation/oxCore#199 (the same: redis-om-node#236): an update drops what is left of the time to live.
//!
//! *Mechanism:* a key is stored with a time to live. It is updated by a delete and an add, or by a statement without one: it lives for ever.
//! *Smallest configuration:* 1 client, 1 key, the clock. *Source:* <https://github.com/GluuFederation/oxCore/issues/199>,
//! <https://github.com/redis/redis-om-node/issues/236>. *Violated:* an update keeps the deadline unless it sets one. *Repair:* an
//! update that keeps it. *Trap:* read what is left and write it back: the key expires between the two, and is revived.

use std::time::Duration;

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P22";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    DeletesAndAdds,
    CarriesWhatIsLeft,
    Updates,
}

/// Changes the session, if it is there.
async fn client(ctx: Context, way: Way) -> Ended {
    let dht = ctx.dht();
    let Some(session) = dht.get("session").await? else { return Ok(()) };
    match way {
        Way::DeletesAndAdds => {
            if dht.del("session").await? {
                dht.put("session", "changed".into(), Expiration::Never).await?;
            }
        }
        // What is left came with the read.
        Way::CarriesWhatIsLeft => {
            let left = Expiration::After(Duration::from_secs(60));
            dht.set("session", "changed".into(), left).await?;
        }
        Way::Updates => drop(dht.update("session", "changed".into(), session.version).await?),
    }
    ctx.mark("changed");
    Ok(())
}

fn updates_keep_the_deadline() -> Property {
    Property::always("an update keeps the deadline", "GluuFederation/oxCore#199", |view| {
        let Some(session) = hash_table(view).item("session") else { return Ok(()) };
        see::kept(session.until != Expiration::Never, || "the session lives for ever".into())?;
        see::kept(view.budget().key_expiries > 0, || "the session has expired, and is there again".into())
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("A session with a time to live is updated. The update says nothing of the time to live.")
            .source("https://github.com/GluuFederation/oxCore/issues/199")
            .stores(Dht::seed(1).with_expiring("session", "new").into())
            .client("client", move |ctx| client(ctx, way))
            .key_expiries(1)
            .properties([
                updates_keep_the_deadline(),
                no_program_fails(),
                somebody_is(&["changed"], "the session is changed"),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-10 update drops the deadline", Way::DeletesAndAdds)
            .breaks("an update keeps the deadline")
            .fixed_by("EX-10 update drops the deadline, repaired"),
        world("EX-10 update drops the deadline, trap: read what is left", Way::CarriesWhatIsLeft)
            .breaks("an update keeps the deadline")
            .fixed_by("EX-10 update drops the deadline, repaired"),
        world("EX-10 update drops the deadline, repaired", Way::Updates),
    ]
}
