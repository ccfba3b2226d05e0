//! The public reports of the classes overtaking response and reorder of messages.

mod judge;

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    judge::judge_reports(&["OV", "RM"]);
}
