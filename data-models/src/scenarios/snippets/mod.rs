//! The five snippets of the talk, each slip alone, and their repairs.

mod five;
mod four;
mod one;
mod three;
mod two;

use overtake_data_recipes::snippets::{ITEMS, ScriptError};
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::doc;
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::pairs::{pair, somebody_is_told, stores, sum, tell};
use crate::property::*;

/// The seed's section with the snippets.
const SOURCE: &str = "seed 3: spot the problem; semantics §7.5";
/// The guid of the item.
const GUID: &str = "g";
/// The item.
const ITEM: &str = "i";
const COUNTS: &str = "every addition counts once";

/// All of them.
pub fn scenarios() -> Vec<Scenario> {
    [one::scenarios(), two::scenarios(), three::scenarios(), four::scenarios(), five::scenarios()].concat()
}

/// A world whose store holds one item of amount 1.
fn with_item() -> Documents {
    Documents::new().with(ITEMS, doc([("guid", GUID.into()), ("itemId", ITEM.into()), ("amount", 1.into())]))
}

fn world(documents: Documents) -> Scenario {
    scenario("").source(SOURCE).stores(stores(documents)).property(everybody_is_done())
}

/// The amounts of all rows, and what was in the row that was taken away, come to what the customers were told.
fn every_addition_counts(initial: i64) -> Property {
    ledger(COUNTS, SOURCE, initial).comes_to(|view| {
        let taken: i64 = view.clients().map(|client| number(&client, "took")).sum();
        Some(sum(view, ITEMS, "amount") + taken)
    })
}

/// Takes the row away, and notes what was in it.
async fn deletes(ctx: Context) -> Result<(), ScriptError> {
    use overtake_data_recipes::snippets::three_insert_or_update::delete;
    use overtake_recipes::store::documents::eq;
    if let Some(amount) = delete(&ctx, eq("guid", GUID)).await? {
        ctx.mark_with("took", &amount.to_string());
    }
    Ok(())
}
