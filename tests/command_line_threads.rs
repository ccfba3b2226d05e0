//! `overtake threads`, and replaying and shrinking what it finds: exit codes, sentences, JSON.

mod command_line_common;

use command_line_common::{Folder, Ran, overtake, ran};

fn run(folder: &Folder, args: &[&str]) -> Ran {
    ran(overtake(folder).args(args))
}

const TWO: &str = "two instances in one thread";
const TWO_TRACE: &str = "findings/two-instances-in-one-thread--no-wait-without-a-wake-up.trace";
const O43: &str = "threads: O43 node after close";

#[test]
fn a_program_that_breaks_is_told_with_its_circle_and_ends_with_1() {
    let folder = Folder::new();
    let ended = run(&folder, &["threads", TWO]);
    assert_eq!(ended.code, 1, "{ended:?}");
    for told in [
        "falsified (as expected)",
        "violated: no wait without a wake-up",
        "main waits for itself: main waits for /curator/lock/_c_<0>-lock-0, which main made",
        "no thread has to be preempted for it",
        "reproduce: overtake threads 'two instances in one thread' --engine systematic",
    ] {
        assert!(ended.out.contains(told), "{told}: {}", ended.out);
    }
    let replayed = run(&folder, &["replay", TWO_TRACE]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    assert!(replayed.out.contains("violates no wait without a wake-up"), "{}", replayed.out);
}

#[test]
fn a_program_that_holds_ends_with_0_and_a_sample_of_it_with_3() {
    let folder = Folder::new();
    let name = "threads: O43 node after close, repaired";
    assert_eq!(run(&folder, &["threads", name]).code, 0);
    let cut = run(&folder, &["threads", name, "--executions", "2"]);
    assert_eq!(cut.code, 3, "{cut:?}");
    assert!(cut.out.contains("the limit of 2 executions was reached"), "{}", cut.out);
    let short = run(&folder, &["threads", name, "--steps", "3"]);
    assert_eq!(short.code, 3, "{short:?}");
    assert!(short.out.contains("were cut off after 3 decisions"), "{}", short.out);
    let sampled = run(&folder, &["threads", name, "--engine", "pct=2", "--executions", "50", "--seed", "5"]);
    assert_eq!(sampled.code, 3, "{sampled:?}");
    assert!(sampled.out.contains("50 schedules were sampled by shuttle PCT, depth 2, seed 5"), "{}", sampled.out);
    assert!(sampled.out.contains("--engine pct=2 --seed 5 --executions 50"), "{}", sampled.out);
}

#[test]
fn a_report_is_known_by_its_number_and_every_engine_finds_it() {
    let folder = Folder::new();
    for engine in ["systematic", "exhaustive", "preemptions=2", "dfs", "pct=3", "random"] {
        let ended = run(&folder, &["threads", "O43", "--engine", engine, "--json"]);
        assert_eq!(ended.code, 1, "{engine}: {ended:?}");
        let told = &ended.json()["threads"][0];
        assert_eq!((told["name"].as_str(), told["verdict"].as_str()), (Some(O43), Some("falsified")), "{engine}");
        assert_eq!(told["finding"]["property"], "no orphan node", "{engine}");
    }
}

#[test]
fn what_is_not_understood_is_bad_input() {
    let folder = Folder::new();
    for (args, told) in [
        (
            &["threads", "nonsense"][..],
            "there is no program of threads \"nonsense\"; `threads --list` shows all of them",
        ),
        (&["threads", "re-entrance"], "type more of the name"),
        (&["threads", TWO, "--engine", "magic"], "there is no engine \"magic\"; there are systematic,"),
        (&["threads", TWO, "--engine", "pct=0"], "is no number from 1 to 64, which pct needs"),
    ] {
        let ended = run(&folder, args);
        assert_eq!(ended.code, 5, "{ended:?}");
        assert!(ended.err.contains(told), "{told}: {}", ended.err);
    }
    assert_eq!(run(&folder, &["threads", TWO, "--executions", "0"]).code, 2);
}

#[test]
fn a_stale_trace_ends_with_4_and_goes_on_when_asked() {
    let folder = Folder::new();
    assert_eq!(run(&folder, &["threads", "O43"]).code, 1);
    let file = "findings/threads-o43-node-after-close--no-orphan-node.trace";
    let text = folder.read(file);
    let spoilt = text.replace("  closer: locks the node\n", "  closer: eats the node\n");
    assert_ne!(text, spoilt, "{text}");
    folder.write("spoilt.trace", &spoilt);
    let stale = run(&folder, &["replay", "spoilt.trace"]);
    assert_eq!(stale.code, 4, "{stale:?}");
    assert!(
        stale.err.contains("(closer: eats the node) is no longer possible; what can happen there: "),
        "{}",
        stale.err
    );
    assert!(stale.err.contains("closer: locks the node"), "{}", stale.err);
    let on = run(&folder, &["replay", "--go-on", "spoilt.trace"]);
    assert_eq!(on.code, 4, "a stale trace is never a pass: {on:?}");
    assert!(on.err.contains("on it is another story; "), "{}", on.err);
    // A trace that ends too early is stale as well; going on brings it to its end.
    let short: String = text.lines().filter(|line| !line.contains("create")).map(|line| format!("{line}\n")).collect();
    folder.write("short.trace", &short);
    assert_eq!(run(&folder, &["replay", "short.trace"]).code, 4);
    // Nor is one that goes on after its violation, or that speaks of faults, which programs of threads have as steps.
    folder.write("long.trace", &format!("{text}  closer: dances\n"));
    run(&folder, &["replay", "long.trace"]).is(4, "(closer: dances) is no longer possible; it is all over before it");
    folder.write("faults.trace", &text.replace("violates:", "faults: crashes 1\nviolates:"));
    run(&folder, &["replay", "faults.trace"]).is(5, "a trace of threads has no clients, no budget of faults");
    // One with another reason is no pass.
    folder.write("other.trace", &text.replace("because: everybody", "because: nobody"));
    assert_eq!(run(&folder, &["replay", "other.trace"]).code, 9);
    // Worlds have no such thing.
    folder.write("world.trace", "overtake trace 1\nscenario: x\nviolates: y\nbecause: z\nsteps:\n  a\n");
    assert_eq!(run(&folder, &["replay", "--go-on", "world.trace"]).code, 2);
}

#[test]
fn a_long_story_is_made_small() {
    let folder = Folder::new();
    let ended = run(&folder, &["threads", "O68", "--engine", "random", "--seed", "5", "--as-found", "--json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let told = &ended.json()["threads"][0]["finding"];
    let (file, before) = (told["file"].as_str().unwrap().to_owned(), told["steps"].as_array().unwrap().len());
    let shrunk = run(&folder, &["shrink", &file, "--out", "small"]);
    assert_eq!(shrunk.code, 0, "{shrunk:?}");
    let name = file.rsplit('/').next().unwrap();
    let small = folder.read(&format!("small/{name}"));
    let after = small.lines().skip_while(|line| *line != "steps:").count() - 1;
    assert!(after < before, "{after} of {before} steps: {small}");
    assert_eq!(run(&folder, &["replay", &format!("small/{name}")]).code, 0);
    // What does not hold any more is not made small.
    folder.write("stale.trace", &small.replace("handler: ", "eater: "));
    assert_eq!(run(&folder, &["shrink", "stale.trace"]).code, 4);
}

#[test]
fn programs_are_listed() {
    let folder = Folder::new();
    let ended = run(&folder, &["threads", "--list", "--json"]);
    assert_eq!(ended.code, 0);
    let all = ended.json()["threads"].as_array().unwrap().len();
    assert!(all > 60, "{all}");
    let listed = run(&folder, &["list", "O43", "--json"]).json();
    assert_eq!(listed["threads"].as_array().unwrap().len(), 2);
    assert_eq!(listed["scenarios"].as_array().unwrap().len(), 2, "and its twin among the worlds");
}

#[test]
fn other_commands_say_how_to_search_a_program_of_threads() {
    let folder = Folder::new();
    for command in ["check", "hunt", "frontier", "odds", "explore"] {
        let told = format!("{O43:?} is a program of threads; `overtake threads '{O43}'` searches it");
        run(&folder, &[command, O43]).is(5, &told);
    }
}

#[test]
fn findings_that_cannot_be_kept_end_with_8() {
    let folder = Folder::new();
    folder.write("full", "");
    assert_eq!(run(&folder, &["threads", TWO, "--out", "full/inside"]).code, 8);
}
