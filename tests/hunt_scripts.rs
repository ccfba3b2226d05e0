//! The scripts that spread a hunt over machines, tried on one. Where GNU parallel or Slurm is missing, a test says so and
//! passes; the array script is run in any case, with the variables that Slurm would set.

mod command_line_common;

use std::process::Command;
use std::time::{Duration, Instant};

use command_line_common::{Folder, in_folder, overtake, ran};

const FAULTY: &str = "wake-up taken for my turn";
const SLUG: &str = "wake-up-taken-for-my-turn";

fn script(folder: &Folder, name: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/").to_owned() + name);
    command.env("OVERTAKE", env!("CARGO_BIN_EXE_overtake")).env_remove("PARALLEL");
    in_folder(command, folder)
}

/// Whether the program is there and answers.
fn answers(program: &str, words: &[&str]) -> bool {
    let answer = Command::new(program).args(words).output().is_ok_and(|output| output.status.success());
    if !answer {
        eprintln!("skipped: {program} is not there, or does not answer");
    }
    answer
}

/// What one hunt writes, in the folder `one`.
fn one_hunt(folder: &Folder) -> String {
    let ran = ran(overtake(folder).args(["hunt", FAULTY, "--runs", "1200", "--out", "one"]));
    assert_eq!(ran.code, 1, "{ran:?}");
    folder.read(&format!("one/{SLUG}/progress.jsonl"))
}

#[test]
fn gnu_parallel_runs_the_shards() {
    if !answers("parallel", &["--version"]) {
        return;
    }
    let folder = Folder::new();
    let whole = one_hunt(&folder);
    let mut command = script(&folder, "hunt-parallel");
    let split = ran(command.args(["3", "split", FAULTY, "--runs", "1200"]).env("PARALLEL", "--jobs 2 --will-cite"));
    assert_eq!(split.code, 1, "{split:?}");
    assert_eq!(folder.read(&format!("split/whole/{SLUG}/progress.jsonl")), whole);
    let bad =
        ran(script(&folder, "hunt-parallel").args(["2", "bad", "no such scenario"]).env("PARALLEL", "--will-cite"));
    assert_eq!(bad.code, 5, "{bad:?}");
    assert!(bad.err.contains("shard 1 ended with 5"), "{bad:?}");
    assert_eq!(ran(&mut script(&folder, "hunt-parallel")).code, 2);
}

#[test]
fn the_array_script_does_its_shard() {
    let folder = Folder::new();
    let whole = one_hunt(&folder);
    for task in ["1", "2"] {
        let mut command = script(&folder, "hunt.slurm");
        command.args(["array", FAULTY, "--runs", "1200"]);
        let task = ran(command.env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_TASK_COUNT", "2"));
        assert_eq!(task.code, 0, "{task:?}");
    }
    let merged = ran(overtake(&folder).args(["merge", "array/shard-1", "array/shard-2", "--out", "array/whole"]));
    assert_eq!(merged.code, 1, "{merged:?}");
    assert_eq!(folder.read(&format!("array/whole/{SLUG}/progress.jsonl")), whole);
    let mut bad = script(&folder, "hunt.slurm");
    bad.args(["bad", "no such scenario"]).env("SLURM_ARRAY_TASK_ID", "1").env("SLURM_ARRAY_TASK_COUNT", "2");
    assert_eq!(ran(&mut bad).code, 5);
}

#[test]
fn slurm_runs_the_array() {
    if !answers("sbatch", &["--version"]) || !answers("sinfo", &["--noheader"]) {
        return;
    }
    let folder = Folder::new();
    let whole = one_hunt(&folder);
    let mut command = in_folder(Command::new("sbatch"), &folder);
    command.env("OVERTAKE", env!("CARGO_BIN_EXE_overtake"));
    command.args(["--wait", "--parsable", "--array=1-2", "--time=5", "--output=task-%a.log"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/hunt.slurm"));
    command.args(["array", FAULTY, "--runs", "1200"]);
    let mut job = command.spawn().expect("sbatch starts");
    // A queue may be long; a test need not wait for it.
    let start = Instant::now();
    while job.try_wait().expect("sbatch runs").is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            let _ = job.kill();
            eprintln!("skipped: the queue did not get to the array in two minutes");
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(job.wait().expect("it ended").success(), "{:?}", folder.files("array"));
    let merged = ran(overtake(&folder).args(["merge", "array/shard-1", "array/shard-2", "--out", "array/whole"]));
    assert_eq!(merged.code, 1, "{merged:?}");
    assert_eq!(folder.read(&format!("array/whole/{SLUG}/progress.jsonl")), whole);
}
