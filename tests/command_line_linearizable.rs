//! `overtake linearizable`: exit codes, sentences, JSON.

mod command_line_common;

use command_line_common::{Folder, Ran, overtake, ran};

fn run(history: &str, args: &[&str]) -> Ran {
    let folder = Folder::new();
    folder.write("history.txt", history);
    ran(overtake(&folder).args(["linearizable", "history.txt"]).args(args))
}

const LOST: &str = "a call add 1\nb call add 1\na return ok\nb return ok\na call read\na return 1\n";

#[test]
fn a_history_with_an_order_ends_with_0() {
    let ended = run(&LOST.replace("return 1", "return 2"), &["--model", "counter"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.starts_with("linearizable as a counter: 3 calls; "), "{}", ended.out);
}

#[test]
fn a_history_without_one_ends_with_1_and_an_argument() {
    let ended = run(LOST, &["--model", "counter"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let told = "not linearizable as a counter: 3 calls; ";
    assert!(ended.out.starts_with(told), "{}", ended.out);
    assert!(
        ended.out.contains("a's read (lines 5 to 6) was answered 1: at some moment between, the counter must be at 1")
    );
    assert!(ended.out.contains("it is at 2"), "{}", ended.out);
}

#[test]
fn keys_are_told() {
    let history = "a call write x 1\na return ok\nb call read y\nb return 1\n";
    let ended = run(history, &["--model", "kv"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.out.contains("There is no order of the calls on y up to line 4"), "{}", ended.out);
}

#[test]
fn json_has_the_argument() {
    let ended = run(LOST, &["--model", "counter", "--json"]);
    assert_eq!(ended.code, 1);
    let told = ended.json();
    assert_eq!(told["verdict"], "not linearizable");
    assert_eq!(told["argument"]["line"], 6);
    assert_eq!(told["argument"]["needs"], "the counter must be at 1");
    let held = run("a call read\na return 0\n", &["--model", "counter", "--json"]).json();
    assert_eq!(held["verdict"], "linearizable");
    assert!(held["argument"].is_null());
}

#[test]
fn too_much_to_try_is_undecided() {
    let ended = run(LOST, &["--model", "counter", "--configurations", "1"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.out.starts_with("undecided"), "{}", ended.out);
}

#[test]
fn what_is_malformed_ends_with_5_and_one_sentence() {
    let ended = run("a call read\nb return 1\n", &["--model", "register"]);
    ended.is(5, "history.txt, line 2: process b returns, but it has no call open");
    assert_eq!(ended.err.lines().count(), 1);
    run("# nothing\n", &["--model", "register"]).is(5, "history.txt: there is no call in it");
    run("a call jump\n", &["--model", "set"]).is(5, "line 1: \"jump\" is no call of this model; it has add E");
    let folder = Folder::new();
    let missing = ran(overtake(&folder).args(["linearizable", "nowhere.txt", "--model", "set"]));
    missing.is(5, "cannot read nowhere.txt");
}

#[test]
fn the_model_must_be_one() {
    for args in [&["--model", "queue"][..], &[]] {
        let ended = run(LOST, args);
        assert_eq!(ended.code, 2, "{ended:?}");
    }
    assert!(run(LOST, &["--model", "queue"]).err.contains("register, cas, counter, set, kv"));
}
