//! The scenarios on documents: snippets, optimistic and pessimistic locking, carts.

mod verdicts;

use overtake_data_models::scenarios;
use verdicts::judge;

#[test]
fn each_slip_of_the_snippets_is_found_and_its_repair_is_proved() {
    judge(&scenarios::snippets::scenarios());
}

#[test]
fn optimistic_locking_and_its_spoilt_twins_have_their_verdicts() {
    judge(&scenarios::optimistic::scenarios());
}

#[test]
fn pessimistic_locking_and_carts_have_their_verdicts() {
    judge(&scenarios::two_locks::scenarios());
    judge(&scenarios::carts::scenarios());
}
