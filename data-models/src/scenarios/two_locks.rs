//! Pessimistic locking: two rows, locked in different order.

use overtake_data_recipes::pessimistic::{self, STOCK};
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::doc;
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::pairs::{pair, somebody_is_told, stores, sum, tell};
use crate::property::*;

const SOURCE: &str = "seed 3: locks, deadlocks";

fn two(repaired: bool) -> Scenario {
    let stock = |name: &'static str| doc([("name", name.into()), ("amount", 2.into())]);
    let order = move |names: [&'static str; 2]| {
        move |ctx: Context| async move {
            let taken = match repaired {
                true => pessimistic::take_in_order(&ctx, &names).await,
                false => pessimistic::take_as_they_come(&ctx, &names).await,
            };
            tell(&ctx, taken)
        }
    };
    scenario("")
        .source(SOURCE)
        .stores(stores(Documents::new().with(STOCK, stock("apples")).with(STOCK, stock("pears"))))
        .client("ann", order(["apples", "pears"]))
        .client("ben", order(["pears", "apples"]))
        .properties([
            no_cycle_of_waits(),
            // Each that is told takes one of both.
            ledger("what is taken is gone once", SOURCE, 0).comes_to(|view| Some((4 - sum(view, STOCK, "amount")) / 2)),
            somebody_is_told(),
            everybody_is_done(),
        ])
}

/// The deadlock, and locks in one order.
pub fn scenarios() -> Vec<Scenario> {
    pair(
        "two locks in different order",
        "no cycle of waits",
        "Ann orders apples and pears, Ben pears and apples. Each locks the first and waits for the second, which the other holds. In one \
         order for all there is no cycle.",
        two,
    )
}
