//! Hunts, their shards, shrinking and frontiers, from the command line.

mod command_line_common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use command_line_common::{Folder, overtake, ran};
use overtake::Trace;

const FAULTY: &str = "wake-up taken for my turn";
const SLUG: &str = "wake-up-taken-for-my-turn";
const RIGHT: &str = "predecessor lock, 1 expiry";

fn run(folder: &Folder, words: &[&str]) -> command_line_common::Ran {
    ran(overtake(folder).args(words))
}

/// Files below a folder of the test's, with what is in them.
fn all(folder: &Folder, below: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::from(below)];
    while let Some(path) = open.pop() {
        let name = path.display().to_string();
        match folder.files(&name) {
            inside if inside.is_empty() => files.push((path.strip_prefix(below).unwrap().into(), folder.read(&name))),
            inside => open.extend(inside.into_iter().map(|file| path.join(file))),
        }
    }
    files.sort();
    files
}

#[test]
fn a_hunt_prints_what_it_drew_first_and_how_to_see_it_again_last() {
    let folder = Folder::new();
    let ran = run(&folder, &["hunt", FAULTY, "--runs", "2000", "--threads", "2"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let place = |text: &str| ran.out.find(text).unwrap_or_else(|| panic!("no {text:?} in {}", ran.out));
    assert!(place("seed 1") < place("chance of a fault") && place("chance of a fault") < place("2,000 runs are done"));
    assert!(
        place("violated") > place("distinct")
            && place("faults      expiries 1 → expiries 1, minimal") > place("distinct")
    );
    let last = ran.out.lines().last().unwrap();
    assert_eq!(
        last,
        "reproduce: overtake hunt 'wake-up taken for my turn' --clients 3 --expiries 1 --steps 1000 --seed 1 --runs 2000"
    );
    // The finding replays, made small and as it was found, and the command that it names finds it again.
    let name = format!("{SLUG}--grants-in-order-of-creation.trace");
    for file in [format!("hunts/{SLUG}/{name}"), format!("hunts/{SLUG}/found/{name}")] {
        assert_eq!(run(&folder, &["replay", &file]).code, 0, "{file}");
    }
    let text = folder.read(&format!("hunts/{SLUG}/found/{name}"));
    let trace: Trace = text.parse().unwrap();
    let (_, words) = trace.found_by.split_once(&format!("'{FAULTY}' ")).expect("the command");
    let mut again: Vec<&str> = vec!["hunt", FAULTY, "--out", "again", "--no-shrink"];
    again.extend(words.split(' '));
    assert_eq!(run(&folder, &again).code, 1);
    assert_eq!(folder.read(&format!("again/{SLUG}/found/{name}")), text);
}

#[test]
fn a_hunt_without_findings_is_no_proof() {
    let folder = Folder::new();
    for search in ["random", "pct"] {
        let ran = run(&folder, &["hunt", RIGHT, "--runs", "3000", "--search", search, "--out", search]);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.out.contains("at most 1.0e-3 of all runs") && ran.out.contains("no proof"), "{}", ran.out);
        assert!(!ran.out.contains("proved"), "{}", ran.out);
    }
    let json = run(&folder, &["hunt", RIGHT, "--flat", "2000", "--clients", "2", "--json"]).json();
    assert_eq!(json["exit"], 3);
    assert_eq!(json["hunts"][0]["stopped"], "flat");
    assert_eq!(json["hunts"][0]["findings"], serde_json::json!([]));
}

#[test]
fn shards_are_joined_to_what_one_hunt_writes() {
    let folder = Folder::new();
    let hunt = ["hunt", FAULTY, "--runs", "1500", "--search", "pct"];
    let with = |more: &[&str]| run(&folder, &[&hunt[..], more].concat());
    assert_eq!(with(&["--out", "whole"]).code, 1);
    for index in ["1", "2", "3"] {
        let ran = with(&["--shard", &format!("{index}/3"), "--threads", index, "--out", &format!("part-{index}")]);
        assert!([1, 3].contains(&ran.code), "{ran:?}");
        assert!(ran.out.contains(&format!("{index} of 3")), "{}", ran.out);
    }
    let merged = run(&folder, &["merge", "part-1", "part-2", "part-3", "--out", "merged"]);
    assert_eq!(merged.code, 1, "{merged:?}");
    assert!(all(&folder, "whole") == all(&folder, "merged"));
    run(&folder, &["merge", "part-1", "part-3", "--out", "other"]).is(5, "shard 2/3 is missing");
    run(&folder, &["merge", "nowhere", "--out", "other"]).is(5, "cannot read nowhere");
    folder.write("file", "");
    run(&folder, &["merge", "part-1", "part-2", "part-3", "--out", "file"]).is(8, "cannot make");
}

#[test]
#[cfg(unix)]
fn a_hunt_that_is_killed_goes_on_to_the_same_end() {
    let folder = Folder::new();
    let words = ["hunt", FAULTY, "--runs", "60000", "--no-shrink", "--out"];
    assert_eq!(run(&folder, &[&words[..], &["whole"]].concat()).code, 1);
    let lines = |out: &str| {
        let record = format!("{out}/{SLUG}/progress.jsonl");
        folder.files(&format!("{out}/{SLUG}")).contains(&"progress.jsonl".into()).then(|| folder.read(&record))
    };
    for (signal, out) in [("-KILL", "killed"), ("-INT", "interrupted")] {
        let mut command = overtake(&folder);
        command.args(words).arg(out).args(["--threads", "1"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        while lines(out).is_none_or(|text| text.lines().count() < 14) {
            assert!(child.try_wait().expect("it runs").is_none(), "the hunt is too short");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill").success());
        child.wait().expect("it ends");
        assert_ne!(lines("whole"), lines(out), "it was not killed in time");
        let ran = run(&folder, &[&words[..], &[out]].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.out.contains("resumed     after"), "{}", ran.out);
        assert!(all(&folder, "whole") == all(&folder, out), "{signal}");
    }
}

#[test]
fn what_cannot_be_hunted_is_said() {
    let folder = Folder::new();
    let hunt = |words: &[&str]| run(&folder, &[&["hunt"], words].concat());
    hunt(&["no such thing at all"]).is(5, "there is no scenario");
    hunt(&[FAULTY, "--expiries", "99"]).is(5, "takes 0 to 15");
    hunt(&[FAULTY, "--clients", "99"]).is(5, "99 clients");
    for words in [
        &[FAULTY, "--shard", "4/3"][..],
        &[FAULTY, "--shard", "1/3", "--flat", "9"],
        &[FAULTY, "--runs", "0"],
        &[FAULTY, "--runs", "99999999999999999999"],
        &[FAULTY, "--depth", "0"],
        &[FAULTY, "--steps", "0"],
        &[],
    ] {
        assert_eq!(hunt(words).code, 2, "{words:?}");
    }
    hunt(&[FAULTY, "--runs", "9", "--out", "/dev/null/x"]).is(8, "cannot ");
    hunt(&[FAULTY, "--runs", "9"]);
    hunt(&[FAULTY, "--runs", "9", "--seed", "2"]).is(5, "choose another folder or remove it");
}

#[test]
fn a_frontier_is_a_small_table() {
    let folder = Folder::new();
    let ran = run(&folder, &["frontier", FAULTY, "--expiries", "1", "--disconnects", "1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let row = |start: &str| ran.out.lines().find(|line| line.starts_with(start)).map(str::to_owned);
    assert!(row("expiries 1 ").expect("a row").contains("breaks"), "{}", ran.out);
    assert!(ran.out.contains("survives"), "{}", ran.out);
    assert!(ran.out.ends_with("--clients 3 --total 2 --expiries 1 --disconnects 1\n"), "{}", ran.out);
    let json = run(&folder, &["frontier", RIGHT, "--clients", "2", "--expiries", "2", "--json"]).json();
    assert_eq!(json["breaks"], serde_json::json!([]));
    assert_eq!(json["survives"], serde_json::json!([{"expiries": 2}]));
    let cut = run(&folder, &["frontier", RIGHT, "--total", "0", "--memory", "1"]);
    assert_eq!(cut.code, 3, "{cut:?}");
    assert!(cut.out.contains("not decided"), "{}", cut.out);
}

/// A dozen from all over the corpus; `overtake shrink tests/corpus/*.trace` does all of them, in seconds.
#[test]
fn findings_of_the_corpus_do_not_grow() {
    let folder = Folder::new();
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus).unwrap().flatten().map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "trace"));
    files.sort();
    let sample: Vec<&PathBuf> = files.iter().step_by(files.len() / 12).collect();
    let ran = ran(overtake(&folder).arg("shrink").args(&sample).args(["--out", "small"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    for file in sample {
        let name = file.file_name().unwrap().to_string_lossy();
        let before: Trace = std::fs::read_to_string(file).unwrap().parse().unwrap();
        let after: Trace = folder.read(&format!("small/{name}")).parse().unwrap();
        assert!(after.all_steps().len() <= before.all_steps().len(), "{name}");
        assert!(after.clients <= before.clients, "{name}");
        assert_eq!((&after.violates, &after.fixed_by), (&before.violates, &before.fixed_by), "{name}");
        let replayed = run(&folder, &["replay", &format!("small/{name}")]);
        assert_eq!(replayed.code, 0, "{name}: {replayed:?}");
    }
}
