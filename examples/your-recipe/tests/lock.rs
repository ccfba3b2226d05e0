//! `cargo test` finds the race and proves the repaired lock; `cargo test -- --ignored` shows what a failure looks like.

#[test]
#[ignore = "fails on purpose: the home-made lock has a race, and this is how one learns of it"]
fn the_home_made_lock_is_proved() {
    your_recipe::home_made().prove();
}

#[test]
fn the_race_in_the_home_made_lock_is_found() {
    your_recipe::home_made().falsify("at most one live holder");
}

#[test]
fn the_repaired_lock_is_proved() {
    your_recipe::repaired().prove();
}
