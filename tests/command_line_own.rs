//! The command line over scenarios of one's own: a stranger's crate has it with one line, and what is wrong with a
//! scenario is said.
//!
//! The program under test is this test binary itself, called with the arguments in an environment variable.

mod command_line_common;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use command_line_common::{Folder, Ran, in_folder, ran};
use overtake::recipes::{CreateMode, ZkError, ZooKeeper};
use overtake::{Context, Environment, Scenario, command_line, property, scenario};
use serde_json::Value;

const ARGS: &str = "OWN_COMMAND_LINE";

/// Asks for the node, and works when nobody has it: the race of all races.
async fn looks_then_creates(ctx: Context) -> Result<(), ZkError> {
    let zookeeper = ctx.zookeeper();
    if zookeeper.exists("/taken").await?.is_none() {
        ctx.mark_with("holds", "/taken");
        ctx.work("work").await;
        ctx.unmark("holds");
    }
    Ok(())
}

/// Does something else every time.
async fn flips(ctx: Context) {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    ctx.work("start").await;
    ctx.work(["one", "two", "three", "four"][RUNS.fetch_add(1, Ordering::Relaxed) % 4]).await;
}

async fn creates(ctx: Context, nodes: usize) -> Result<(), ZkError> {
    ctx.mark("wants");
    for _ in 0..nodes {
        ctx.zookeeper().create("/n-", b"", CreateMode::PersistentSequential).await?;
    }
    Ok(())
}

fn racing(name: &str) -> Scenario {
    scenario(name)
        .clients(2, looks_then_creates)
        .properties([property::at_most_one_believer(), property::somebody_holds()])
}

fn own() -> Vec<Scenario> {
    vec![
        racing("a race").breaks("at most one believer"),
        racing("a race nobody expects"),
        scenario("nothing breaks")
            .clients(1, looks_then_creates)
            .properties([property::at_most_one_believer(), property::somebody_holds()])
            .breaks("at most one believer"),
        scenario("flips").clients(1, flips).properties([property::no_program_fails(), property::everybody_is_done()]),
        scenario("vacuous")
            .clients(1, |ctx| creates(ctx, 4))
            .properties([property::no_program_fails(), property::somebody_holds()]),
        scenario("no property").clients(1, |ctx| creates(ctx, 4)),
        scenario("beyond")
            .clients(1, |ctx| creates(ctx, 70))
            .properties([property::no_program_fails(), property::everybody_is_done()]),
        scenario("no clients").properties([property::no_program_fails()]),
        scenario("large")
            .clients(8, |ctx| creates(ctx, 4))
            .literal_owners()
            .properties([property::no_program_fails(), property::everybody_is_done()]),
    ]
}

/// Not a test but the program: ends the process when it is called as one.
#[test]
fn the_program() {
    let Ok(args) = std::env::var(ARGS) else { return };
    let keep = |s: &Scenario| match args.split_once(" // ") {
        Some((_, names)) => names.split(", ").any(|name| name == s.name()),
        None => true,
    };
    let scenarios = match args.ends_with(" // twins") {
        true => vec![scenario("a lock!"), scenario("A lock")],
        false => own().into_iter().filter(keep).collect(),
    };
    let words = args.split(" // ").next().unwrap_or_default();
    // `command_line` reads the arguments of the process, which are the test harness's here.
    let words = ["own"].into_iter().chain(words.split('|').filter(|word| !word.is_empty()));
    let exit = overtake::CommandLine::new(scenarios).run_from(words);
    std::process::exit(i32::from(exit as u8));
}

/// A stranger's whole main function.
#[allow(dead_code, reason = "that it compiles is the test")]
fn main_of_a_stranger() -> std::process::ExitCode {
    command_line(own())
}

/// The program with arguments between bars; after `//` the names of the scenarios that it has.
fn program(folder: &Folder, args: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["the_program", "--exact", "--nocapture", "--quiet", "--test-threads=1"]).env(ARGS, args);
    in_folder(command, folder)
}

fn run(folder: &Folder, args: &str) -> Ran {
    let mut ran = ran(&mut program(folder, args));
    // What the test harness says first is not the program's.
    if let Some((harness, rest)) = ran.out.split_once("running 1 test\n") {
        assert_eq!(harness.trim(), "");
        ran.out = rest.into();
    }
    ran
}

fn findings(folder: &Folder) -> Vec<String> {
    folder.files("findings")
}

#[test]
fn the_main_job_ends_with_0_when_all_is_as_expected() {
    let folder = Folder::new();
    let ran = run(&folder, " // a race");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("1 scenario: 0 proved, 1 falsified; all as expected"), "{}", ran.out);
    let files = findings(&folder);
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(ran.out.contains(&format!("findings/{}", files[0])), "{}", ran.out);
    let replayed = run(&folder, &format!("replay|findings/{}", files[0]));
    assert_eq!(replayed.code, 0, "{replayed:?}");
}

#[test]
fn the_main_job_tells_what_is_not_as_expected() {
    let folder = Folder::new();
    for (names, code, sentence) in [
        ("a race, a race nobody expects", 1, "expected proved, but"),
        ("a race, nothing breaks", 9, "but every property holds"),
        ("a race, vacuous", 3, "it never happened that"),
        ("a race, flips", 6, "is not deterministic"),
        ("a race, no property", 5, "has no property to check"),
        ("a race, no clients", 5, "has 0 clients"),
        ("a race, beyond", 5, "more than 64 sequence numbers"),
        ("a race, nothing breaks, flips, vacuous", 6, "3 not as expected"),
    ] {
        let ran = run(&folder, &format!(" // {names}"));
        assert_eq!(ran.code, code, "{names}: {ran:?}");
        assert!(ran.out.contains(sentence), "{names}: {}", ran.out);
        assert!(ran.out.contains("← not as expected"), "{names}: {}", ran.out);
    }
}

#[test]
fn the_main_job_as_json() {
    let folder = Folder::new();
    let ran = run(&folder, "--json // a race, nothing breaks");
    let json: Value = ran.json();
    assert_eq!(json["exit"], 9);
    assert_eq!(json["as_expected"], false);
    assert_eq!(json["not_run"], 0);
    let verdicts: Vec<&Value> = json["scenarios"].as_array().unwrap().iter().map(|s| &s["verdict"]).collect();
    assert_eq!(verdicts, ["falsified", "proved"]);
    assert_eq!(json["scenarios"][0]["findings"][0]["property"], "at most one believer");
}

#[test]
fn check_ends_with_the_verdict() {
    let folder = Folder::new();
    for (args, code) in [
        ("check|a race", 1),
        ("check|nothing breaks", 0),
        ("check|vacuous", 3),
        ("check|flips", 6),
        ("check|nothing breaks|vacuous|flips|a race", 6),
    ] {
        let ran = run(&folder, args);
        assert_eq!(ran.code, code, "{args}: {ran:?}");
    }
    run(&folder, "check|no property").is(5, "add one with .property(");
    run(&folder, "check|no clients").is(5, "has 0 clients");
    run(&folder, "check|beyond").is(5, "more than 64 sequence numbers");
    let flips = run(&folder, "check|flips");
    assert!(flips.out.contains("broken") && flips.out.contains("take time, randomness"), "{}", flips.out);
}

#[test]
fn scenarios_that_would_share_a_file_are_refused() {
    let folder = Folder::new();
    run(&folder, "list // twins").is(5, "rename one of them");
}

#[test]
fn manifest_and_corpus_are_written_compared_and_found_to_differ() {
    let folder = Folder::new();
    let names = " // a race, large";
    let small = " // a race";
    assert_eq!(run(&folder, &format!("manifest|--write{small}")).code, 0);
    assert_eq!(run(&folder, &format!("manifest|--check{small}")).code, 0);
    assert_eq!(run(&folder, &format!("corpus|--write{small}")).code, 0);
    assert_eq!(run(&folder, &format!("corpus|--check{names}")).code, 0);
    assert_eq!(folder.files("corpus"), ["a-race.trace"]);
    folder.write("corpus/old.trace", "");
    run(&folder, &format!("corpus|--check{small}")).is(10, "differs from a fresh run");
    let manifest = folder.read("manifest.txt");
    folder.write("manifest.txt", &manifest.replace("a race", "another race"));
    run(&folder, &format!("manifest|--check{small}")).is(10, "differs from a fresh run");
    assert_eq!(run(&folder, &format!("report|--write{small}")).code, 0);
    assert_eq!(run(&folder, &format!("report|--check{small}")).code, 0);
    folder.write("REPORT.md", "nothing\n");
    run(&folder, &format!("report|--check{small}")).is(10, "differs from a fresh run");
}

#[test]
fn what_is_not_as_expected_is_left_out_of_the_manifest() {
    let folder = Folder::new();
    run(&folder, "manifest|--write // a race, nothing breaks").is(1, "every property holds");
    let manifest = folder.read("manifest.txt");
    assert!(manifest.contains("a race |") && !manifest.contains("nothing breaks"), "{manifest}");
}

#[test]
#[cfg(unix)]
fn findings_written_before_ctrl_c_stay() {
    let folder = Folder::new();
    let mut command = program(&folder, "--threads|2 // a race, large");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    while findings(&folder).is_empty() {
        assert!(child.try_wait().expect("it runs").is_none(), "the large scenario is too small");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let mut out = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_to_string(&mut out).expect("a text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{out}");
    assert!(out.contains("interrupted"), "{out}");
    assert_eq!(findings(&folder).len(), 1);
    let large = BufReader::new(out.as_bytes()).lines().map_while(Result::ok).find(|line| line.starts_with("large"));
    assert!(large.expect("its row").contains("held"), "{out}");
}
