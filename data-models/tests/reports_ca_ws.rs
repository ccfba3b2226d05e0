//! The public reports of the classes check-then-act and write skew.

mod judge;

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    judge::judge_reports(&["CA", "WS"]);
}
