//! The public reports of the class stale reads and stale fills of a cache.

mod judge;

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    judge::judge_reports(&["SR"]);
}
