//! The public reports of the classes expiry race and partial update of several keys.

mod judge;

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    judge::judge_reports(&["EX", "PM"]);
}
