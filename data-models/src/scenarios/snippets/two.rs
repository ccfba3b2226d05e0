//! Snippet 2: find, then `$set` to one more than another variable's.

use overtake_data_recipes::snippets::{one_replace, two_set as two};
use overtake_recipes::store::doc;

use super::*;

fn set(how: u8) -> Scenario {
    world(with_item())
        .clients(2, move |ctx: Context| async move {
            let outer = doc([("amount", 5.into())]);
            tell(
                &ctx,
                match how {
                    0 => two::as_written(&ctx, GUID, None).await,
                    1 => two::as_written(&ctx, GUID, Some(&outer)).await,
                    2 => two::lost_update(&ctx, GUID).await,
                    _ => one_replace::repaired(&ctx, GUID).await,
                },
            )
        })
        .properties([every_addition_counts(1), no_program_fails()])
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let make = |faulty| move |repaired| set(if repaired { 3 } else { faulty });
    [
        pair(
            "snippet 2: the wrong variable",
            "no program fails",
            "The document is basketItem, and what is read is item. There is no such variable.",
            make(0),
        ),
        pair(
            "snippet 2: an outer variable of the wrong name",
            COUNTS,
            "The document is basketItem, and what is read is item, which is some other item of amount 5.",
            make(1),
        ),
        pair(
            "snippet 2: find, then $set",
            COUNTS,
            "With the right variable the amount is still read in one call and set in another: both read 1, both set 2.",
            make(2),
        ),
    ]
    .concat()
}
