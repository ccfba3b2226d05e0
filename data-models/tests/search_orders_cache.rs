//! Searches while typing, messages of different priority, caches in front of a store, linearizability: every scenario has its verdict.

mod judge;

use judge::{judge, judge_with};
use overtake_data_models::scenarios::{cache, linearizable, orders, search};
#[test]
fn searches_have_their_verdicts() {
    let last = "the display belongs to the last input";
    let back = "the display never goes back";
    judge_with(
        &search::scenarios(),
        &[
            ("cart search, last arrival", &[last]),
            ("cart search, cancel only", &[last]),
            ("cart search, debounce", &[last]),
            ("mobile search, last arrival", &[last]),
            ("mobile search, cancel only", &[last]),
            ("mobile search, debounce", &[back]),
        ],
    );
}

#[test]
fn orders_have_their_verdicts() {
    let done = "what was sent is done";
    let in_order = "messages take effect in their order";
    judge_with(
        &orders::scenarios(),
        &[
            ("urgent message overtakes", &[done]),
            ("urgent message, a lock alone", &[done]),
            ("message delivered again", &[done, in_order]),
        ],
    );
}

#[test]
fn caches_have_their_verdicts() {
    let own = "who has written reads it";
    judge_with(
        &cache::scenarios(),
        &[
            ("cache, plain fill", &[own]),
            ("cache, fill if absent", &[own]),
            ("cache, invalidated first", &[own]),
            ("cache, fill by version, evicted", &[own]),
        ],
    );
}

#[test]
fn hash_tables_have_their_verdicts() {
    judge(&linearizable::scenarios());
}
