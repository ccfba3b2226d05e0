//! The public reports of the classes ABA, double apply on retry, and non-atomic steps in libraries.

mod judge;

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    judge::judge_reports(&["AB", "DA", "LB"]);
}
