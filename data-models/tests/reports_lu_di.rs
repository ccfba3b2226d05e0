//! The public reports on lost updates, duplicates and deadlocks.

mod judge;

#[test]
fn lost_updates_are_found_and_their_repairs_are_proved() {
    judge::judge_reports(&["LU"]);
}

#[test]
fn duplicates_are_found_and_their_repairs_are_proved() {
    judge::judge_reports(&["DI"]);
}

#[test]
fn deadlocks_are_found_and_their_repairs_are_proved() {
    judge::judge_reports(&["DL"]);
}
