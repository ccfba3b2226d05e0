//! `overtake odds`: the slide, the arithmetic, exact and sampled answers, refusals.

mod command_line_common;

use command_line_common::{Folder, Ran, overtake, ran};

fn run(args: &[&str]) -> Ran {
    ran(overtake(&Folder::new()).arg("odds").args(args))
}

const SNIPPET: &str = "snippet 1: find, add one, replace";

#[test]
fn the_slide_is_right_once() {
    let told = run(&["--slide"]);
    assert_eq!(told.code, 0, "{}", told.err);
    for part in ["= 1.0 a month: right", "wrong by a factor of 100", "= 0.2"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let json = run(&["--slide", "--json"]).json();
    assert!((json["more"].as_f64().expect("a number") - 0.2).abs() < 1e-12, "{json}");
    assert!((json["off_by"].as_f64().expect("a number") - 100.0).abs() < 1e-9, "{json}");
}

#[test]
fn the_arithmetic_alone() {
    let args = ["--chance", "1e-9", "--rate", "20", "--per", "month", "--things", "500,000", "--cases", "100"];
    let told = run(&args);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("1.0000 a month to be expected"), "{}", told.out);
    let json = run(&[&args[..], &["--json"]].concat()).json();
    assert!((json["incidents"]["expected"].as_f64().expect("a number") - 1.0).abs() < 1e-9, "{json}");
}

#[test]
fn an_exact_answer_names_everything_that_it_rests_on() {
    let args = ["--rate", "20", "--per", "month", "--things", "500000", "--cases", "100", "--latency", "exp:2ms"];
    let told = run(&[&[SNIPPET][..], &args, &["--service", "const:0s"]].concat());
    assert_eq!(told.code, 0, "{}", told.err);
    let lines: Vec<&str> = told.out.lines().collect();
    let place =
        |part: &str| lines.iter().position(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}: {lines:#?}"));
    let order =
        ["wrong is", "latency: exp:2ms", "assumes", "no faults", "solved exactly", "one run", "traffic", "incidents"];
    assert!(order.map(place).is_sorted(), "{}", told.out);
    let last = lines.last().expect("a line");
    assert!(last.starts_with("reproduce: overtake odds ") && last.contains("--latency exp:2ms"), "{last}");
    // What is typed again answers the same.
    let again = last.strip_prefix("reproduce: overtake odds ").expect("a command");
    let again: Vec<&str> = again.split('\'').collect();
    let rest: Vec<&str> = again[2].split_whitespace().collect();
    assert_eq!(again[1], SNIPPET);
    let told = |ran: &Ran| ran.out.lines().find(|line| line.contains("one run")).map(str::to_owned);
    assert_eq!(told(&run(&[&[SNIPPET][..], &rest].concat())), Some(lines[place("one run")].to_owned()));
}

#[test]
fn a_sampled_answer_does_not_depend_on_threads() {
    let answer = |threads: &str| {
        let args =
            ["--per", "hour", "--latency", "lognormal:2ms,0.5", "--within", "20%", "--threads", threads, "--json"];
        let mut json = run(&[&[SNIPPET][..], &args].concat()).json();
        assert_eq!(json["exit"], 0, "{json}");
        assert!(json["low"].as_f64() < json["probability"].as_f64(), "{json}");
        json.as_object_mut().expect("an object").remove("threads");
        json
    };
    assert_eq!(answer("1"), answer("3"));
}

#[test]
fn what_is_proved_has_no_odds() {
    let told = run(&["snippet 1: find, add one, replace, repaired", "--per", "hour"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("0: proved within 2 clients, no faults"), "{}", told.out);
    assert!(told.out.contains("0.0000 a month"), "{}", told.out);
}

#[test]
fn refusals_are_sentences() {
    run(&[]).is(5, "--chance, or --slide");
    run(&["zzz"]).is(5, "no scenario");
    run(&[SNIPPET, "--chance", "0.5", "--per", "hour"]).is(5, "takes no scenario");
    run(&["--chance", "0.5"]).is(5, "needs --per");
    run(&[SNIPPET, "--latency", "5ms"]).is(5, "is no distribution");
    run(&[SNIPPET, "--time", "speed=1s"]).is(5, "is no parameter");
    run(&[SNIPPET, "--time", "latency"]).is(5, "NAME=VALUE");
    run(&[SNIPPET, "--method", "exact", "--per", "hour"]).is(5, "only exponential");
    run(&[SNIPPET, "--method", "race", "--time", "crash-every=exp:1h"]).is(5, "knows no faults");
    for args in
        [&["--rate", "20"][..], &["--within", "20"], &["--per", "soon"], &["--things", "0"], &["--method", "guess"]]
    {
        let told = run(&[&[SNIPPET], args].concat());
        assert_eq!(told.code, 2, "{args:?}: {}", told.err);
    }
    let rare = ["--rate", "1", "--per", "month", "--method", "plain", "--runs", "100"];
    let told = run(&[&[SNIPPET][..], &rare].concat());
    assert_eq!(told.code, 3, "{}", told.out);
    assert!(told.out.contains("no answer: none of"), "{}", told.out);
}
