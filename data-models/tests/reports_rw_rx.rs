//! The public reports of the classes writers beside the version, and retries given up or with stale input.

mod judge;

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    judge::judge_reports(&["RW", "RX"]);
}
