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

fn beside_a_delete(how: u8) -> Scenario {
    world(with_item())
        .client("adds", move |ctx: Context| async move {
            tell(
                &ctx,
                match how {
                    0 => two::no_null_check(&ctx, GUID).await,
                    1 => two::result_ignored(&ctx, GUID).await,
                    _ => two::compared(&ctx, GUID).await,
                },
            )
        })
        .client("deletes", deletes)
        .properties([every_addition_counts(1), no_program_fails(), somebody_is_told()])
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
        pair(
            "snippet 2: no null check",
            "no program fails",
            "The amount is compared, so no addition is lost. The item is deleted, and what was found is null: it has no amount.",
            |repaired| beside_a_delete(if repaired { 2 } else { 0 }),
        ),
        pair(
            "snippet 2: the result of $set ignored",
            COUNTS,
            "The amount is compared, so no addition is lost. The item is deleted after it was found: nothing is set, nobody looks at the \
             result, and the customer is told that it was added.",
            |repaired| beside_a_delete(if repaired { 2 } else { 1 }),
        ),
    ]
    .concat()
}
