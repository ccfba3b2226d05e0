//! The command line over the built-in scenarios: exit codes, messages, JSON, Ctrl-C.

mod command_line_common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use command_line_common::{Folder, Ran, overtake, ran};
use serde_json::Value;

/// Runs the program in an empty folder.
fn run(args: &[&str]) -> Ran {
    run_in(&Folder::new(), args)
}

fn run_in(folder: &Folder, args: &[&str]) -> Ran {
    ran(overtake(folder).args(args))
}

/// A trace of the corpus.
fn trace() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let files = std::fs::read_dir(folder).expect("the corpus").flatten();
    let traces = files.map(|f| f.path()).filter(|path| path.is_file());
    let texts = traces.map(|path| std::fs::read_to_string(path).expect("a text"));
    let mut texts: Vec<String> = texts.filter(|text| steps(text) > 4).collect();
    texts.sort_by_key(|text| (text.len(), text.clone()));
    texts.swap_remove(0)
}

/// Number of steps.
fn steps(trace: &str) -> usize {
    trace.lines().skip_while(|line| *line != "steps:").count().saturating_sub(1)
}

fn with_line(trace: &str, key: &str, value: &str) -> String {
    let replace = |line: &str| match line.starts_with(key) {
        true => format!("{key} {value}\n"),
        false => format!("{line}\n"),
    };
    trace.lines().map(replace).collect()
}

#[test]
fn help_tells_every_exit_code() {
    let help = run(&["--help"]);
    assert_eq!(help.code, 0);
    for (exit, meaning) in overtake::Exit::TABLE {
        assert!(help.out.contains(&format!("{:>3}  {meaning}", exit as u8)), "{}", help.out);
    }
}

#[test]
fn the_readme_has_every_exit_code() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the readme");
    let table = readme.split_once("## Exit codes").expect("a table of exit codes").1;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok());
    let codes: Vec<u8> = rows.collect();
    let wanted: Vec<u8> = overtake::Exit::TABLE.iter().map(|(exit, _)| *exit as u8).collect();
    assert_eq!(codes, wanted);
}

#[test]
fn what_is_not_understood_is_a_usage_error() {
    for args in [
        &["chek"][..],
        &["check"],
        &["check", "lock", "--threads", "0"],
        &["check", "lock", "--clients", "many"],
        &["check", "lock", "--memory", "lots"],
        &["check", "lock", "--time", "soon"],
        &["check", "lock", "--order", "random"],
        &["explore", "lock", "--port", "70000"],
        &["manifest", "--write", "--check"],
        &["--colour"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("--help"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn list_tells_name_bounds_expected_verdict_and_what_happens() {
    let all = run(&["list"]);
    assert_eq!(all.code, 0);
    for scenario in overtake::scenarios() {
        let told = |line: &str| {
            [scenario.name(), &scenario.bounds(), scenario.paragraph()].iter().all(|part| line.contains(part))
        };
        assert!(all.out.lines().any(told), "{:?} is not in the list", scenario.name());
    }
    let json = run(&["list", "predecessor lock", "--json"]).json();
    let first = &json["scenarios"][0];
    assert_eq!(first["name"], "predecessor lock");
    for key in ["bounds", "expected", "about", "source", "fixed_by", "properties"] {
        assert!(first.get(key).is_some(), "{key}: {first}");
    }
    run(&["list", "zzz"]).is(5, "zzz");
}

#[test]
fn check_tells_parameters_verdict_and_how_to_see_it_again() {
    let ran = run(&["check", "PREDECESSOR LOCK", "--expiries", "1", "--threads", "1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "predecessor lock");
    let place = |part: &str| lines.iter().position(|line| line.contains(part)).expect(part);
    let order =
        ["bounds      3 clients, 1 expiry", "reductions", "verdict     proved", " states,", "one in 10^", "reproduce:"];
    assert!(order.map(place).is_sorted(), "{}", ran.out);
    let last = lines.last().unwrap();
    assert_eq!(*last, "reproduce: overtake check 'predecessor lock' --clients 3 --expiries 1 --threads 1");
}

#[test]
fn reductions_and_orders_change_no_verdict_and_fewer_reductions_see_more_states() {
    let states = |args: &[&str]| {
        let mut all = vec!["check", "predecessor lock", "--json"];
        all.extend(args);
        let ran = run(&all);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.json()["scenarios"][0]["states"].as_u64().expect("a number")
    };
    let all = states(&[]);
    assert_eq!(states(&["--order", "dfs"]), all);
    let none = states(&["--no-reductions"]);
    assert_eq!(states(&["--no-symmetry", "--no-renumber", "--no-deliver-first"]), none);
    for flag in ["--no-symmetry", "--no-deliver-first"] {
        let more = states(&[flag]);
        assert!(all < more && more <= none, "{flag}: {all} {more} {none}");
    }
}

/// Level by level six clients need a million states for a lost update; the search that chooses finds it at once, and is named.
#[test]
fn a_search_that_grows_is_told_of_the_search_that_chooses() {
    let folder = Folder::new();
    let check = |more: &[&str]| {
        let peers = ["check", "group by plain SET, calls as steps", "--no-reductions", "--threads", "1"];
        let ran = run_in(&folder, &[&peers, more].concat());
        assert_eq!(ran.code, 1, "{}", ran.err);
        ran.out
    };
    let (few, many, auto) =
        (check(&["--clients", "3"]), check(&["--clients", "6"]), check(&["--clients", "6", "--order", "auto"]));
    assert!(many.contains("more than 100,000 states level by level: --order auto"), "{many}");
    assert!(!few.contains("hint ") && !auto.contains("hint "), "{few}\n{auto}");
    assert!(auto.contains("violated: every key is in the group") && auto.contains("a probe of "), "{auto}");
}

#[test]
fn a_violation_is_told_written_and_replays() {
    let folder = Folder::new();
    let scenario = trace().lines().find_map(|l| l.strip_prefix("scenario: ").map(str::to_owned)).unwrap();
    let ran = run_in(&folder, &["check", &scenario, "--out", "here/and there"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("violated: "), "{}", ran.out);
    let written = folder.files("here/and there");
    assert_eq!(written.len(), 1, "{written:?}");
    let file = format!("here/and there/{}", written[0]);
    assert!(ran.out.contains(&format!("overtake replay '{file}'")), "{}", ran.out);
    let replayed = run_in(&folder, &["replay", &file]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(replayed.out.contains("violates "), "{}", replayed.out);
    let json = run_in(&folder, &["replay", &file, "--json"]).json();
    assert_eq!(json["traces"][0]["outcome"], "violates");
}

#[test]
fn names_are_found_or_asked_for() {
    run(&["check", "lock"]).is(5, "type more of the name");
    run(&["check", "predecesor lock"]).is(5, "did you mean \"predecessor lock\"");
    run(&["check", "zzz"]).is(5, "`list` shows all of them");
    run(&["explore", "zzz"]).is(5, "`list` shows all of them");
}

#[test]
fn bounds_that_no_world_has_are_refused() {
    run(&["check", "predecessor lock", "--clients", "0"]).is(5, "it takes 1 to 12");
    run(&["check", "predecessor lock", "--clients", "13"]).is(5, "it takes 1 to 12");
    run(&["check", "predecessor lock", "--expiries", "16"]).is(5, "takes 0 to 15");
    run(&["check", "predecessor lock", "--crashes", "1000"]).is(5, "takes 0 to 15");
}

#[test]
fn what_is_cut_off_is_held_and_says_why() {
    let large = ["check", "predecessor lock", "--clients", "8", "--expiries", "3"];
    for (limit, value, why) in [("--memory", "2MiB", "stopped: memory"), ("--time", "200ms", "stopped: time")] {
        let mut args = large.to_vec();
        args.extend([limit, value]);
        let ran = run(&args);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.out.contains("held") && ran.out.contains(why), "{}", ran.out);
        let repeat = ran.out.lines().last().unwrap();
        assert!(repeat.ends_with(&format!("{limit} {value}")), "{repeat}");
    }
}

#[test]
fn json_has_the_same_keys_whatever_the_verdict() {
    let keys = |value: &Value| -> Vec<String> { value.as_object().expect("an object").keys().cloned().collect() };
    let held = run(&["check", "predecessor lock", "--clients", "8", "--time", "1ms", "--json"]);
    let proved = run(&["check", "predecessor lock", "--json"]);
    assert_eq!((held.code, proved.code), (3, 0));
    let (held, proved) = (held.json(), proved.json());
    assert_eq!(keys(&held), ["exit", "not_run", "scenarios"]);
    assert_eq!(held["exit"], 3);
    let (held, proved) = (&held["scenarios"][0], &proved["scenarios"][0]);
    assert_eq!(keys(held), keys(proved));
    for key in [
        "as_expected",
        "bounds",
        "bytes",
        "collision_odds",
        "depth",
        "expected",
        "findings",
        "name",
        "program_runs",
        "reproduce",
        "seconds",
        "states",
        "transitions",
        "verdict",
        "why",
    ] {
        assert!(proved.get(key).is_some(), "{key}: {proved}");
    }
    assert_eq!((&proved["verdict"], &proved["as_expected"]), (&"proved".into(), &true.into()));
    assert_eq!((&held["verdict"], &held["as_expected"]), (&"held".into(), &false.into()));
}

#[test]
fn traces_that_cannot_be_replayed_say_why_and_where() {
    let folder = Folder::new();
    let trace = trace();
    let mut stale: Vec<&str> = trace.lines().collect();
    let first = stale.iter().position(|line| *line == "steps:").unwrap() + 1;
    stale.insert(first, "  client 1 ← a reply that nobody sent");
    let renamed = with_line(&trace, "scenario:", "no such thing");
    let twisted = with_line(&trace, "because:", "the moon is full");
    let other = with_line(&trace, "violates:", "peace on earth");
    let crowded = with_line(&trace, "clients:", "99");
    let short = trace.lines().take(first).collect::<Vec<_>>().join("\n");
    for (name, text, code, sentence) in [
        ("stale", stale.join("\n").as_str(), 4, "step 1 (client 1 ← a reply that nobody sent) is no longer possible"),
        ("empty", "", 5, "empty: line 1: a trace starts with the line"),
        ("nonsense", "overtake trace 1\n\nnonsense\n", 5, "nonsense: line 3: "),
        ("newer", "overtake trace 9\n", 5, "a version that this program does not read"),
        ("renamed", &renamed, 5, "no such thing"),
        ("other", &other, 5, "no property \"peace on earth\""),
        ("crowded", &crowded, 5, "cannot have 99 clients"),
        ("twisted", &twisted, 9, "for another reason"),
        ("short", &short, 9, "no longer violate"),
    ] {
        folder.write(name, text);
        run_in(&folder, &["replay", name]).is(code, sentence);
        let json = run_in(&folder, &["replay", name, "--json"]);
        assert_eq!(json.code, code, "{name}");
        assert!(json.json()["traces"][0]["sentence"].as_str().unwrap().contains(sentence), "{name}");
    }
    run_in(&folder, &["replay", "nowhere"]).is(5, "cannot read nowhere");
    folder.write("fine", &trace);
    run_in(&folder, &["replay", "fine", "empty", "stale"]).is(5, "empty: line 1");
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    folder.write("taken", "a file where a folder should be");
    let scenario = trace().lines().find_map(|l| l.strip_prefix("scenario: ").map(str::to_owned)).unwrap();
    run_in(&folder, &["check", &scenario, "--out", "taken"]).is(8, "cannot write taken");
    run_in(&folder, &["check", &scenario, "--out", "taken/below"]).is(8, "choose a place that can be written");
    if std::path::Path::new("/dev/full").exists() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        ran(overtake(&folder).arg("list").stdout(full)).is(8, "cannot write the output");
    }
}

#[test]
fn nobody_who_reads_on_is_no_error() {
    let folder = Folder::new();
    let mut child = overtake(&folder).arg("list").stdout(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}

#[test]
fn committed_files_are_compared_with_a_fresh_run() {
    let folder = Folder::new();
    run_in(&folder, &["manifest", "--check"]).is(5, "cannot read models/manifest.txt");
    folder.write("bad", "a | b\n");
    run_in(&folder, &["manifest", "--check", "--path", "bad"]).is(5, "bad: line 1");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/models/manifest.txt");
    let text = std::fs::read_to_string(manifest).expect("the manifest");
    folder.write("short", &text.lines().take(4).collect::<Vec<_>>().join("\n"));
    let short = run_in(&folder, &["manifest", "--check", "--path", "short"]);
    short.is(10, "--write writes it anew");
    assert!(short.out.contains("is not in the manifest"), "{}", short.out);
}

#[test]
fn the_port_of_the_explorer_may_be_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    run(&["explore", "predecessor lock", "--port", &port]).is(7, &format!("port {port} is taken"));
    let folder = Folder::new();
    folder.write("some.trace", &trace());
    run_in(&folder, &["explore", "some.trace", "--port", &port]).is(7, "choose another one with --port");
    run_in(&folder, &["explore", "some.trace", "--clients", "2"]).is(2, "leave yours out");
    run_in(&folder, &["explore", "none.trace"]).is(5, "cannot read none.trace");
    folder.write("stale.trace", &trace().replace("steps:\n", "steps:\n  the moon falls\n"));
    run_in(&folder, &["explore", "stale.trace", "--port", "0"]).is(4, "step 1 (the moon falls)");
}

#[test]
fn the_explorer_serves_a_scenario_and_a_trace() {
    let folder = Folder::new();
    folder.write("some.trace", &trace());
    for what in ["predecessor lock", "some.trace"] {
        let mut command = overtake(&folder);
        let mut child = command.args(["explore", what, "--port", "0"]).stdout(Stdio::piped()).spawn().expect("starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        let link = lines.find(|line| line.contains("http://127.0.0.1:")).expect("a link");
        let address = link.trim().trim_start_matches("http://").split('/').next().expect("an address").to_owned();
        let mut stream = TcpStream::connect(&address).expect("it listens");
        write!(stream, "GET /.states/ HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        child.kill().expect("it runs");
        child.wait().expect("ends");
        assert!(answer.starts_with("HTTP/1.1 200"), "{what}: {answer}");
        assert!(answer.contains("client 1"), "{what}: {answer}");
        assert_eq!(link.contains("#/steps/"), what != "predecessor lock", "{link}");
    }
}

#[test]
fn no_colours_in_a_pipe() {
    for args in [&["list"][..], &["check", "predecessor lock"], &["--help"], &["check", "zzz"]] {
        let ran = run(args);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{args:?}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_long_run_honestly() {
    let folder = Folder::new();
    let args = ["check", "predecessor lock", "--clients", "9", "--expiries", "5", "--no-reductions", "--time", "5m"];
    let mut command = overtake(&folder);
    let mut child =
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill");
    assert!(sent.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the rest");
    assert_eq!(child.wait().expect("ends").code(), Some(130), "{rest}");
    assert!(rest.contains("held") && rest.contains("stopped: interrupted"), "{rest}");
}
