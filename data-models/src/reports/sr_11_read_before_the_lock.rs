//! SR-11, bavix/laravel-wallet#124: the balance is read before the lock is taken.
//!
//! *Mechanism:* C1 loads the wallet (100). C2 takes the lock, withdraws 50, gives the lock back. C1 takes the lock, uses the 100 that it has, and
//! withdraws. *Smallest configuration:* 2 clients, one key, a lock that works. *Source:*
//! <https://github.com/bavix/laravel-wallet/issues/124>. *Violated:* the balance is the sum of the ledger. *Repair:* read again under the
//! lock.
//!
//! Translated: wallet and ledger are documents, the lock is a key of the hash table, taken by PUT.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::set;
use overtake_recipes::store::{DataEnvironment, Dht as _, Documents as _, Expiration, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P9";

const FIRST: i64 = 100;
const AMOUNT: i64 = 50;

async fn withdraw(ctx: Context, reads_again: bool) -> Ended {
    let mut balance = read(&ctx, "wallets", "w").await?.int("balance");
    loop {
        ctx.checkpoint("lock", &[&balance.to_string()]);
        if ctx.dht().put("lock", "taken".into(), Expiration::Never).await? {
            break;
        }
        ctx.mark("waits");
    }
    if reads_again {
        balance = read(&ctx, "wallets", "w").await?.int("balance");
    }
    change(&ctx, "wallets", by_id("w"), vec![set("balance", balance - AMOUNT)]).await?;
    ctx.documents().insert("ledger", doc([("withdrawn", AMOUNT.into())])).await?;
    ctx.dht().del("lock").await.map(drop)
}

fn the_balance_is_the_sum() -> Property {
    Property::at_rest("the balance is the sum of the ledger", "bavix/laravel-wallet#124", |view| {
        let (balance, withdrawn) =
            (see::one(view, "wallets", "w").int("balance"), see::sum(&see::all(view, "ledger"), "withdrawn"));
        see::kept(balance == FIRST - withdrawn, || {
            format!("{withdrawn} of {FIRST} are withdrawn, and {balance} are left")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, reads_again| {
        let wallet = Documents::new().with("wallets", doc([("_id", "w".into()), ("balance", FIRST.into())]));
        scenario(name)
            .about("Two withdrawals go one after the other under a lock. The second has read the balance before it had the lock.")
            .source("https://github.com/bavix/laravel-wallet/issues/124")
            .stores(Stores { dht: Some(Dht::seed(1)), ..documents(wallet) })
            .clients(2, move |ctx| withdraw(ctx, reads_again))
            .properties([
                the_balance_is_the_sum(),
                no_program_fails(),
                somebody_is(&["waits"], "somebody waits"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-11 read before the lock", false)
            .breaks("the balance is the sum of the ledger")
            .fixed_by("SR-11 read before the lock, repaired"),
        world("SR-11 read before the lock, repaired", true),
    ]
}
