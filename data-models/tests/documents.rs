//! The scenarios on documents: snippets, optimistic and pessimistic locking, carts.

mod verdicts;

use overtake_data_models::scenarios;
use overtake_models::{Options, Verdict, check};
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

/// The talk's picture, state by state: what each client reads, and what is in the database after each write.
#[test]
fn the_story_of_the_picture_is_the_picture() {
    let all = scenarios::optimistic::scenarios();
    let picture = all.iter().find(|scenario| scenario.name() == "optimistic lock: the picture").unwrap();
    let Verdict::Falsified(findings) = check(picture, &Options::default()).unwrap().verdict else {
        panic!("the picture is not found")
    };
    let story: Vec<&str> = findings[0].taken.iter().map(|taken| taken.text.as_str()).collect();
    let (find, replace) = ("find one of documents where _id = 1", "replace one of documents where _id = 1");
    assert_eq!(
        story,
        [
            format!("client 1 → {find}: {{_id: 1, version: 1, x: 1}}"),
            format!("client 2 → {find}: {{_id: 1, version: 1, x: 1}}"),
            format!("client 1 → {replace} and version = 1 by {{_id: 1, version: 2, x: 2}}: matched 1, modified 1"),
            format!("client 2 → {replace} and version = 1 by {{_id: 1, version: 2, x: 3}}: matched 0, modified 0"),
            format!("client 2 → {find}: {{_id: 1, version: 2, x: 2}}"),
            format!("client 2 → {replace} and version = 2 by {{_id: 1, version: 3, x: 4}}: matched 1, modified 1"),
        ]
    );
}
