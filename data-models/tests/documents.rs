//! The scenarios on documents: snippets, optimistic and pessimistic locking, carts.

mod verdicts;

use verdicts::judge;
use overtake_data_models::scenarios;

#[test]
fn each_slip_of_the_snippets_is_found_and_its_repair_is_proved() {
    judge(&scenarios::snippets::scenarios());
}
