//! Linearizability of recorded histories: known ones, a naive reference, the format.

#[path = "linear/brute.rs"]
mod brute;

use overtake_data_models::linear::{MOST, Malformed, Model, Outcome, Verdict};
use proptest::prelude::*;

fn check_text(text: &str, model: Model) -> Result<Verdict, Malformed> {
    overtake_data_models::linear::check_text(text, model, MOST)
}

fn check(model: Model, text: &str) -> Verdict {
    check_text(text, model).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

#[track_caller]
fn holds(model: Model, text: &str) {
    let verdict = check(model, text);
    assert!(verdict.holds(), "{:?}", verdict.outcome);
}

/// The line with which it goes wrong.
#[track_caller]
fn breaks(model: Model, text: &str) -> usize {
    check(model, text).violation().unwrap_or_else(|| panic!("there should be no order of\n{text}")).line
}

/// One line for several events: `a call read; a return 1`.
fn lines(text: &str) -> String {
    text.replace(';', "\n")
}

#[test]
fn a_read_may_see_a_write_that_has_not_returned() {
    holds(Model::Register, &lines("a call write 1; b call read; b return 1; a return ok"));
    holds(Model::Register, &lines("a call write 1; b call read; b return nil; a return ok"));
}

#[test]
fn a_read_must_see_a_write_that_has_returned() {
    assert_eq!(breaks(Model::Register, &lines("a call write 1; a return ok; b call read; b return nil")), 4);
}

/// Herlihy and Wing, figure 2(b) in the words of a register: two reads that see a write come and go.
#[test]
fn reads_do_not_go_back_from_new_to_old() {
    let seen = "a call write 1; b call read; b return 1; c call read; c return nil; a return ok";
    assert_eq!(breaks(Model::Register, &lines(seen)), 5);
    let beside = "a call write 1; b call read; c call read; b return 1; c return nil; a return ok";
    holds(Model::Register, &lines(beside));
}

/// The other calls of a hash table, on a register with versions.
#[test]
fn counting_touching_and_adding_at_the_ends() {
    let cas = |text: &str| check(Model::Cas, &lines(text)).violation().map(|argument| argument.line);
    let three = "initially 3; a call add 2; a return 5;";
    assert_eq!(cas(&format!("{three} b call read; b return 5")), None);
    assert_eq!(cas(&format!("{three} b call read; b return 3")), Some(5));
    assert_eq!(cas("initially 3; a call add 2; a return 6"), Some(3));
    assert_eq!(cas("a call add 2; a return nil; a call touch; a return no"), None);
    assert_eq!(cas("initially 3; a call add 2; a return nil"), Some(3));
    // Two whose answers are lost may both be in, or one, or none.
    let lost = "initially 0; a call add 1; a return unknown; b call add 1; b return unknown;";
    for read in 0..3 {
        assert_eq!(cas(&format!("{lost} c call read; c return {read}")), None);
    }
    assert_eq!(cas(&format!("{lost} c call read; c return 3")), Some(7));
    // A touch changes nothing that is seen, the version neither; what adds has another version.
    assert_eq!(cas("initially x @7; a call touch; a return yes; a call read; a return x @7"), None);
    assert_eq!(cas("initially x @7; a call append y; a return yes; a call read; a return xy @7"), Some(5));
    let list = "initially [x]; a call append [y]; a return yes; b call prepend [z]; b return yes; c call replace [w]; c return";
    assert_eq!(
        cas("initially x; a call append y; a return yes; b call prepend z; b return yes; a call read; a return zxy"),
        None
    );
    assert_eq!(
        cas("initially x; a call append y; a return yes; b call prepend z; b return yes; a call read; a return xyz"),
        Some(7)
    );
    assert_eq!(cas(&format!("{list} yes; a call read; a return [w]")), None);
    assert_eq!(cas(&format!("{list} no")), Some(7));
    assert_eq!(cas("a call append y; a return yes"), Some(2));
    // Only if the version is that.
    assert_eq!(cas("initially x @7; a call delete @7; a return yes; a call read; a return nil"), None);
    assert_eq!(cas("initially x @7; a call delete @6; a return yes"), Some(3));
    assert_eq!(cas("initially x @7; a call delete @7; a return no"), Some(3));
    assert_eq!(cas("a call delete @7; a return no"), None);
}

#[test]
fn a_lost_answer_may_mean_anything_but_not_both() {
    let begin = "a call write 1; a return ok; b call write 2; b return unknown;";
    holds(Model::Register, &lines(&format!("{begin} a call read; a return 1; a call read; a return 2")));
    holds(Model::Register, &lines(&format!("{begin} a call read; a return 1; a call read; a return 1")));
    let back = format!("{begin} a call read; a return 2; a call read; a return 1");
    assert_eq!(breaks(Model::Register, &lines(&back)), 8);
    // What failed for certain is never seen.
    let failed = "a call write 1; a return failed; b call read; b return 1";
    assert_eq!(breaks(Model::Register, &lines(failed)), 4);
}

/// A process goes on after a lost answer, and the call may still take effect long after.
#[test]
fn an_unanswered_call_may_arrive_late() {
    holds(
        Model::Register,
        &lines(
            "a call write 1; a return unknown; a call write 2; a return ok; b call read; b return 2; b call read; b return 1",
        ),
    );
}

#[test]
fn compare_and_set_by_value() {
    let two = |one: &str, other: &str| {
        lines(&format!("initially 0; a call cas 0 1; b call cas 0 2; a return {one}; b return {other}"))
    };
    holds(Model::Register, &two("yes", "no"));
    holds(Model::Register, &two("no", "yes"));
    assert_eq!(breaks(Model::Register, &two("yes", "yes")), 5);
    assert_eq!(breaks(Model::Register, &two("no", "no")), 5, "the first of the two cannot fail");
}

#[test]
fn versions_are_compared_for_equality_and_grow() {
    let begin = "a call put x; a return yes; a call read; a return x @7;";
    let ends = |text: &str| lines(&format!("{begin} {text}"));
    holds(Model::Cas, &ends("b call update y 7; b return stored; a call read; a return y @12"));
    holds(Model::Cas, &ends("b call update y 6; b return moved; a call read; a return x @7"));
    assert_eq!(breaks(Model::Cas, &ends("b call update y 6; b return stored")), 6);
    assert_eq!(breaks(Model::Cas, &ends("b call update y 7; b return moved")), 6);
    assert_eq!(breaks(Model::Cas, &ends("b call update y 7; b return stored; a call read; a return y @7")), 8);
    assert_eq!(breaks(Model::Cas, &ends("b call delete; b return yes; b call update y 7; b return stored")), 8);
    holds(Model::Cas, &ends("b call delete; b return yes; b call update y 7; b return absent"));
    // Deleted, put again, and the version of before is another item's: ABA.
    let again = "b call delete; b return yes; b call put z; b return yes; a call read; a return z @7";
    assert_eq!(breaks(Model::Cas, &ends(again)), 10);
    holds(
        Model::Cas,
        &lines("a call write x; a return ok @3; a call write y; a return ok @4; a call read; a return y @4"),
    );
    assert_eq!(breaks(Model::Cas, &lines("a call write x; a return ok @3; a call write y; a return ok @3")), 4);
    // A version that nobody has read yet may be guessed right, or wrong, but not both.
    let guessed = |answers: [&str; 2]| {
        let [one, other] = answers;
        lines(&format!("initially x; a call update y 5; a return {one}; a call read; a return {other}"))
    };
    holds(Model::Cas, &guessed(["stored", "y @6"]));
    holds(Model::Cas, &guessed(["moved", "x @4"]));
    assert_eq!(breaks(Model::Cas, &guessed(["moved", "x @5"])), 5);
}

/// The answer of an update was lost, and its own success looks like a conflict (pattern P15): linearizable.
#[test]
fn a_lost_success_looks_like_a_conflict() {
    holds(
        Model::Cas,
        &lines(
            "initially x @1; a call update y 1; a return unknown; a call update y 1; a return moved; a call read; a return y @2",
        ),
    );
}

#[test]
fn counters() {
    holds(Model::Counter, &lines("a call add 1; b call add 1; a return ok; b return ok; a call read; a return 2"));
    let lost = "a call add 1; b call add 1; a return ok; b return ok; a call read; a return 1";
    assert_eq!(breaks(Model::Counter, &lines(lost)), 6, "an update is lost");
    assert_eq!(breaks(Model::Counter, &lines("a call add 1; b call add 1; a return 1; b return 1")), 4);
    let unknown = "initially 5; a call add 1; a return unknown; b call read; b return";
    holds(Model::Counter, &lines(&format!("{unknown} 5")));
    holds(Model::Counter, &lines(&format!("{unknown} 6")));
    assert_eq!(breaks(Model::Counter, &lines(&format!("{unknown} 7"))), 5, "it took effect twice");
}

#[test]
fn sets() {
    holds(Model::Set, &lines("a call add x; b call add y; a return ok; b return ok; a call read; a return [y x]"));
    assert_eq!(breaks(Model::Set, &lines("a call add x; a return yes; b call add x; b return yes")), 4);
    assert_eq!(
        breaks(Model::Set, &lines("initially [x y]; a call remove x; a return ok; a call read; a return [x, y]")),
        5
    );
    assert_eq!(breaks(Model::Set, &lines("a call contains x; a return yes")), 2);
    holds(Model::Set, &lines("a call read; a return []; b call remove x; b return no"));
}

#[test]
fn keys_are_checked_one_by_one() {
    let text =
        "initially x 1; a call write x 2; b call write y 3; a return ok; b return ok; a call read x; b call read y;";
    holds(Model::Kv, &lines(&format!("{text} a return 2; b return 3")));
    let verdict = check(Model::Kv, &lines(&format!("{text} a return 1; b return 4")));
    assert_eq!(verdict.objects, 2);
    let argument = verdict.violation().expect("both keys are wrong");
    assert_eq!((argument.key.as_deref(), argument.line), (Some("x"), 8), "the first of them is told");
}

/// What is open where it goes wrong may still be answered in many ways: the argument does not lean on how it was.
#[test]
fn the_argument_stands_on_the_shortest_beginning() {
    // The answer of the read at line 5 rules out what line 4 needs, and it is line 5 that is told.
    let text = "a call write 1; b call read; c call write 2; a return ok; b return 3; c return ok";
    assert_eq!(breaks(Model::Register, &lines(text)), 5);
}

#[test]
fn an_argument_is_told_in_sentences() {
    let text = "a call write 1\nb call write 2\na return ok\nb return ok\nc call read\nd call write 3\nc return 4\nd return ok\n";
    let verdict = check(Model::Register, text);
    let argument = verdict.violation().expect("nobody writes a 4");
    let told = "There is no order of the calls up to line 7, whatever those do that are open there.\n\
        Without that line there is one: a's write 1 (lines 1 to 3); b's write 2 (lines 2 to 4).\n\
        With it, c's read (lines 5 to 7) was answered 4: at some moment between, the object must hold 4.\n\
        Open there, to have taken effect or not: d's write 3 (lines 6 to 8).\n\
        All that can be the case before its moment was tried:\n  \
        after b's write 2 (lines 2 to 4) it holds 2\n  \
        after a's write 1 (lines 1 to 3) it holds 1\n  \
        after d's write 3 (lines 6 to 8) it holds 3";
    assert_eq!(argument.to_string(), told);
}

#[test]
fn json_lines_say_the_same() {
    let text = r#"
        {"initially": [0]}
        {"process": "a", "call": ["cas", 0, 1]}
        {"process": 7, "call": "cas 0 2"}
        {"process": "a", "return": true}
        {"process": 7, "return": "no"}
        # a comment, and an event in words
        c call read
        {"process": "c", "return": [1]}
        {"process": "c", "call": ["write", "two words # and no comment"]}
        {"process": "c", "return": null}
    "#;
    let error = check_text(text, Model::Register).expect_err("a write is not answered nil");
    assert_eq!(error.line, Some(11));
    holds(Model::Register, &text.replace("\"return\": null", "\"return\": \"ok\""));
    assert_eq!(breaks(Model::Register, &text.replace("[1]", "[2]").replace("null", "\"ok\"")), 9);
}

#[test]
fn jepsens_words_are_understood() {
    let text = r#"{"process": 0, "type": "invoke", "f": "write", "value": 3}
        {"process": 1, "type": "invoke", "f": "cas", "value": [3, 4]}
        {"process": 0, "type": "info", "f": "write", "value": 3}
        {"process": 1, "type": "ok", "f": "cas", "value": [3, 4]}
        {"process": 2, "type": "invoke", "f": "read", "value": null}
        {"process": 2, "type": "ok", "f": "read", "value": 4}
        {"process": 2, "type": "invoke", "f": "cas", "value": [3, 5]}
        {"process": 2, "type": "fail", "f": "cas", "value": [3, 5]}"#;
    holds(Model::Register, text);
    assert_eq!(breaks(Model::Register, &text.replace("\"value\": 4}", "\"value\": 3}")), 6);
    let keyed = r#"{"process": 0, "type": "invoke", "f": "write", "value": ["x", 3]}
        {"process": 0, "type": "ok", "f": "write", "value": ["x", 3]}
        {"process": 0, "type": "invoke", "f": "read", "value": ["x", null]}
        {"process": 0, "type": "ok", "f": "read", "value": ["x", 3]}"#;
    holds(Model::Kv, keyed);
    let set = r#"{"process": 0, "type": "invoke", "f": "add", "value": 3}
        {"process": 0, "type": "ok", "f": "add", "value": 3}
        {"process": 0, "type": "invoke", "f": "read"}
        {"process": 0, "type": "ok", "f": "read", "value": [3]}"#;
    holds(Model::Set, set);
}

#[test]
fn what_is_malformed_is_told_with_its_line() {
    let cases: [(Model, &str, Option<usize>, &str); 17] = [
        (Model::Register, "", None, "no call in it"),
        (Model::Register, "initially 0", None, "no call in it"),
        (Model::Register, "a read", Some(1), "is no event"),
        (Model::Register, "a call", Some(1), "is no event"),
        (Model::Register, "a call read\na call read", Some(2), "its call of line 1 has not returned"),
        (Model::Register, "a call read\na return 1\na return 1", Some(3), "it has no call open"),
        (Model::Register, "a call read\n\n# nothing\nb return 1", Some(4), "it has no call open"),
        (Model::Register, "a call update x 1", Some(1), "is no call of this model"),
        (Model::Register, "a call write 1\na return yes", Some(2), "is no answer to a write"),
        (Model::Register, "a call read\na return 1\ninitially 0", Some(3), "in front of all calls"),
        (Model::Register, "initially 0\ninitially 1\na call read", Some(2), "begins twice"),
        (Model::Cas, "a call update x one", Some(1), "is no version"),
        (Model::Counter, "a call add one", Some(1), "is no whole number"),
        (Model::Set, "a call contains x\na return maybe", Some(2), "is no answer to a contains"),
        (Model::Kv, "a call read", Some(1), "names no key"),
        (Model::Register, "{\"process\": 1}", Some(1), "needs one of"),
        (Model::Register, "{\"process\": 1", Some(1), "no JSON"),
    ];
    for (model, text, line, sentence) in cases {
        let error = check_text(text, model).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.what.contains(sentence), "{text}: {error}");
    }
}

/// A thousand calls by five processes, of which some are never answered.
#[test]
fn long_histories_take_few_configurations() {
    for seed in 0..20 {
        let history = brute::run(Model::Register, 5, 1000, 0.01, seed);
        let verdict = check(Model::Register, &history);
        assert!(verdict.holds() && verdict.operations > 900, "{:?}", verdict.outcome);
        assert!(verdict.configurations < 3000, "{} configurations", verdict.configurations);
    }
    for seed in 0..5 {
        let history = brute::lie(&brute::run(Model::Register, 5, 1000, 0.0, seed));
        let verdict = check(Model::Register, &history);
        assert_eq!(verdict.violation().map(|argument| argument.line), Some(2002));
        assert!(verdict.configurations < 30_000, "{} configurations", verdict.configurations);
    }
}

#[test]
fn a_check_gives_up_where_it_is_told_to() {
    let history = brute::lie(&brute::run(Model::Register, 5, 1000, 0.01, 0));
    let verdict = overtake_data_models::linear::check_text(&history, Model::Register, 1000).expect("well formed");
    assert!(matches!(verdict.outcome, Outcome::Undecided));
    assert_eq!(verdict.configurations, 1001);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// The same verdict as by trying every order, for answers that are made up.
    #[test]
    fn as_by_trying_every_order((model, text) in brute::histories()) {
        let verdict = check(model, &text);
        prop_assert_eq!(verdict.holds(), brute::has_order(model, &text), "{:?}\n{}", model, text);
        if let Some(argument) = verdict.violation() {
            // The line that is told is the first without an order.
            let upto = |line: usize| text.lines().take(line).collect::<Vec<_>>().join("\n");
            prop_assert!(!brute::has_order(model, &upto(argument.line)), "{}\n{}", argument, text);
            prop_assert!(brute::has_order(model, &upto(argument.line - 1)), "{}\n{}", argument, text);
        }
    }

    /// A history that was recorded from one object has an order.
    #[test]
    fn what_was_recorded_from_one_object_holds(
        model in prop::sample::select(&Model::ALL[..]), processes in 1usize..6, calls in 1usize..40, seed: u64
    ) {
        let text = brute::run(model, processes, calls, 0.1, seed);
        let verdict = check(model, &text);
        prop_assert!(verdict.holds(), "{:?}\n{}", verdict.outcome, text);
    }
}
