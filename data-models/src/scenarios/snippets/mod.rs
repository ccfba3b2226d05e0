//! The five snippets of the talk and its helper for optimistic locking, each slip alone, and their repairs.
//!
//! Each slip that `semantics` §7.5 names, and the scenario in which it is found; `…, repaired` is the twin that is proved. A test compares
//! the table with the scenarios.
//!
//! | of | slip | scenario, or why there is none |
//! |---|---|---|
//! | all | `find` answers a cursor, not a document | `snippet 5: nobody awaits the find`, `snippet 4: nobody awaits the find` |
//! | all | methods that today's driver does not have | none: the call is refused before it is one |
//! | 1 | lost update | `snippet 1: find, add one, replace`, `snippet 1: the lost update alone` |
//! | 1 | replaces the whole document | `snippet 1: beside a coupon`, `snippet 1: the amount compared, the whole item replaced` |
//! | 1 | no null check | `snippet 1: no null check` |
//! | 1 | deleted meanwhile, result ignored | `snippet 1: the replaced item is gone` |
//! | 1, repair | missing item unnoticed | `snippet 1: the slide's $inc, its result ignored` |
//! | 1, repair | no bound | `snippet 1: $inc −1 without a bound` |
//! | 1, repair | lost reply, sent again | `snippet 1: $inc sent again`; proved with the id in the document: `snippet 1: $inc sent again, its id in the document` |
//! | 1, repair | null amount | `snippet 1: $inc on null` |
//! | 1, repair | a total in another document | `snippet 1: $inc and a total elsewhere` |
//! | 2 | the wrong variable | `snippet 2: the wrong variable`, `snippet 2: an outer variable of the wrong name` |
//! | 2 | lost update | `snippet 2: find, then $set` |
//! | 2 | no null check | `snippet 2: no null check` |
//! | 2 | result ignored | `snippet 2: the result of $set ignored` |
//! | 2, repair | as in snippet 1 | the same `$inc` |
//! | 3 | two rows | `snippet 3: as written, two rows`, `snippet 3: find, then insert` |
//! | 3 | the wrong variable | `snippet 3: the wrong variable` |
//! | 3 | no operator | `snippet 3: as written, a row without its item`, `snippet 3: an update without an operator` |
//! | 3 | lost update | `snippet 3: the amount of the read` |
//! | 3 | deleted between | `snippet 3: deleted between look and update` |
//! | 3 | another's basket | `snippet 3: another customer's basket` |
//! | 3, repair | needs a unique index | `snippet 3: the slide's upsert without a unique index` |
//! | 3, repair | the clash reaches the caller | `snippet 3: an upsert whose filter holds more than the index` |
//! | 3, repair | whose guid won | `snippet 3: whose guid it is` |
//! | 3, repair | lost reply, sent again | `snippet 3: the upsert sent again` |
//! | 3, repair | revives a deleted row | `snippet 3: an upsert revives what was deleted` |
//! | 3, repair | the collection misspelt | `snippet 3: the slide's misspelt collection` |
//! | 4 | no await on find | `snippet 4: nobody awaits the find` |
//! | 4 | no await on update | `snippet 4: nobody awaits the update` |
//! | 4 | look, then act | `snippet 4: look, then mark` |
//! | 4, repair | null in JavaScript and in the filter | `snippet 4: a user without a date` |
//! | 4, repair | the time zone of the date | none: a moment is a number here, and clocks have no zones |
//! | 4, repair | nothing matched means two things | `snippet 4: nothing matched` |
//! | 5 | inverted filter | `snippet 5: the inverted filter`, `snippet 5: as written, the find awaited` |
//! | 5 | no await on find | `snippet 5: nobody awaits the find` |
//! | 5 | no multi | `snippet 5: one payment only` |
//! | 5 | stale list: completed since | `snippet 5: a stale list` |
//! | 5 | stale list: opened again since | `snippet 5: opened again` |
//! | 5 | `now` is the client's clock | `snippet 5: the client's clock` |
//! | 5 | `now` is nowhere defined | as the variable of snippet 2: `snippet 2: the wrong variable` |
//! | 5 | no await on update, result ignored | as in snippet 4: `snippet 4: nobody awaits the update` |
//! | 5, repair | a brace is missing | none: it is no program |
//! | 5, repair | keeps the inversion, no multi | `snippet 5: the slide's repair keeps the inverted filter`, `snippet 5: one payment only` |
//! | 5, repair | not atomic, not covered by retryable writes | `snippet 5: stopped half way` |
//! | 5, repair | payments created during the run | no mistake, and proved to be caught or not: `snippet 5: a payment opened during the run` |
//! | 5, repair | timestamps differ | `snippet 5: two documents, two times` |
//! | 5, repair | the other side looks at the guid alone | `snippet 5: the other side looks at nothing` |
//! | 5, repair | which payments were closed | `snippet 5: which payments were closed` |
//! | helper | its result is assigned, and not awaited | `optimistic lock: nobody awaits the update` |
//! | helper | a lambda and a filter that do not compile | none: it is no program |
//! | helper | `FirstAsync` throws | `optimistic lock: a document that is gone` |
//! | helper | `Items?.First` throws, or is null | as in snippet 1: `snippet 1: no null check` |
//! | helper | the attempts are used up | `optimistic lock: attempts used up`; with the hundred in `tests/documents.rs`; what holds: `optimistic lock: a hundred attempts` |
//! | helper | no back-off | no mistake alone; the policy around the wrong calls: `optimistic lock: the replace alone is tried again` |
//! | helper | the filter is not repeated | `optimistic lock: the filter not repeated` |
//! | helper | writers beside the scheme | `optimistic lock: a writer beside the scheme` ($inc), `optimistic lock: a $set beside the scheme`, `optimistic lock: a migration beside the scheme` (update of many) |
//! | helper | drops what it does not know | `optimistic lock: fields that the program does not know` |
//! | helper | side effects in the function | `optimistic lock: a side effect in the retried function` |
//! | helper | lost reply | `optimistic lock: no answer taken for a conflict` |
//! | helper | `ModifiedCount` for `MatchedCount` | no mistake while the version always changes; when it does not: `optimistic lock: the version not raised` |
//! | helper | deleted meanwhile is an error | `optimistic lock: a document that is gone` |
//! | helper | made again, the version starts again | `optimistic lock: deleted and made again` |
//! | helper | spoilt on purpose | `optimistic lock: the version not checked`, `optimistic lock: retried with the stale object`, `optimistic lock: the conflict swallowed`, `optimistic lock: the picture` |
//! | odds | the second line of the slide | none: it is arithmetic, see `overtake odds` |

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
