//! `cargo test` proves the repaired lock; `cargo test -- --ignored` shows what `prove()` prints when it cannot.

use your_recipe::{home_made, repaired, two_clients};

#[test]
fn the_repaired_lock_is_proved() {
    two_clients("repaired lock", repaired).prove();
}

#[test]
#[ignore = "fails on purpose: the home-made lock has a race, and this is how one finds out"]
fn the_home_made_lock_is_proved() {
    two_clients("home-made lock", home_made).prove();
}
