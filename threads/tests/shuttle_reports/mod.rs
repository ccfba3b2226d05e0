//! Every program against what is written down of it: the manifest, the corpus, the list of public reports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use overtake_models::manifest::Manifest;
use overtake_models::trace::slug;
use overtake_threads::check::{Program, Replayed, Trace, entry, replay, search_kept};
use overtake_threads::programs;
use overtake_threads::programs::reports;

/// Each public report is found again, its repair is proved, what is no bug is proved as it stands, and the canaries are
/// caught: to the last execution.
#[test]
fn every_program_ends_as_the_manifest_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/manifest.txt");
    let text = std::fs::read_to_string(path).expect("threads/manifest.txt; `overtake manifest --write` writes it");
    let committed: Manifest = text.parse().unwrap_or_else(|malformed| panic!("threads/manifest.txt, {malformed}"));
    let (mut entries, mut wrong) = (Vec::new(), Vec::new());
    for program in programs::all() {
        let outcome = search_kept(&program);
        println!("{}: {outcome}, {} decisions at most", program.name(), outcome.longest);
        match entry(&program, &outcome) {
            Ok(entry) => entries.push(entry),
            Err(why) => wrong.push(why),
        }
    }
    wrong.extend(committed.differences(&Manifest { entries }));
    assert!(
        wrong.is_empty(),
        "{}\n\n`overtake manifest --write` writes the manifest anew; look at what changed before you commit it",
        wrong.join("\n")
    );
}

fn corpus() -> BTreeMap<String, Trace> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus/threads"));
    let files =
        std::fs::read_dir(&folder).expect("tests/corpus/threads; `overtake corpus --write` writes it").flatten();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        let trace: Trace = text.parse().unwrap_or_else(|malformed| panic!("{}, {malformed}", path.display()));
        assert_eq!(trace.to_string(), text, "{} is printed as it was read", path.display());
        trace
    };
    files.map(|file| (file.file_name().to_string_lossy().into_owned(), read(file.path()))).collect()
}

#[test]
fn every_trace_of_the_corpus_violates_what_it_says_for_the_reason_that_it_gives() {
    let programs: BTreeMap<String, Program> = programs::all().into_iter().map(|p| (p.name().to_owned(), p)).collect();
    let mut wrong = Vec::new();
    for (name, trace) in corpus() {
        let Some(program) = programs.get(&trace.scenario) else {
            wrong.push(format!("{name}: there is no program {:?}", trace.scenario));
            continue;
        };
        match replay(program, &trace) {
            Replayed::Violates => {}
            other => wrong.push(format!("{name}: {other:?}")),
        }
        if program.expected() != Some(&*trace.violates) || program.repair() != Some(&*trace.fixed_by) {
            wrong.push(format!("{name}: of another property or repair than the program's"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_program_that_must_break_has_a_trace_and_a_repair_that_must_hold() {
    let all = programs::all();
    let names: BTreeSet<&str> = all.iter().map(Program::name).collect();
    assert_eq!(names.len(), all.len(), "no name is there twice");
    let breaks = || all.iter().filter(|program| program.expected().is_some());
    let wanted: BTreeSet<String> = breaks().map(|program| format!("{}.trace", slug(program.name()))).collect();
    let files: BTreeSet<String> = corpus().into_keys().collect();
    assert_eq!(files, wanted, "`overtake corpus --write` writes what is missing");
    for program in breaks() {
        let repair = all.iter().find(|other| program.repair() == Some(other.name()));
        let repair = repair.unwrap_or_else(|| panic!("{:?} is repaired by nothing", program.name()));
        assert_eq!(repair.expected(), None, "{:?} must hold", repair.name());
        assert!(!repair.to_happen().is_empty(), "{:?} says what must happen", repair.name());
    }
    for program in &all {
        assert!(!program.name().contains(['|', '\n']), "{:?} cannot stand in the manifest", program.name());
    }
}

/// At least one report of each class that has one about threads.
#[test]
fn every_class_with_such_a_report_is_there() {
    let classes: BTreeSet<&str> = reports::all().iter().map(|pair| pair.class).collect();
    let wanted = [
        "deadlock",
        "fencing missing",
        "lost wake-up/hang",
        "mutual exclusion broken",
        "orphan node/stuck lock",
        "ownership violation",
        "self-deadlock/reentrancy",
        "two holders after pause/expiry",
    ];
    assert_eq!(classes, BTreeSet::from(wanted));
    // All reports of the list that fit threads, and seven that fit worlds and are told with threads.
    let numbers: BTreeSet<String> = reports::all()
        .iter()
        .map(|pair| pair.faulty.name().trim_start_matches("threads: ").chars().take(3).collect())
        .collect();
    let wanted = "O02 O03 O05 O10 O22 O23 O25 O27 O28 O29 O38 O43 O54 O59 O60 O63 O65 O67 O68 O81 \
                  O18 O19 O24 O40 O46 O61 O62";
    assert_eq!(numbers, wanted.split_whitespace().map(str::to_owned).collect());
}
