//! Hunts write the same bytes whatever the threads, however often they are killed, and on however many machines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use overtake_models::hunt::{Flat, Hunted, Plan, Search, Shard, Stop, Trouble, hunt, merge, rule_of_three};
use overtake_models::replay::{judge, replay};
use overtake_models::sample::{Judge, RandomWalk, SampledRun, Sampler};
use overtake_models::scenario::{Scenario, scenario};
use overtake_models::search::Limits;
use overtake_models::{Trace, property, scenarios};
use overtake_recipes::Environment;
use overtake_sim::program::Context;
use overtake_sim::world::Engine;

/// A folder of the test's own, gone at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("hunting-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    /// Every file below it.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(folder: &Path, from: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    walk(&path, from, files);
                } else {
                    let name = path.strip_prefix(from).expect("below").to_owned();
                    files.insert(name, std::fs::read(&path).expect("a file"));
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(&self.0, &self.0, &mut files);
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn named(name: &str) -> Scenario {
    scenarios::all().into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("no scenario {name:?}"))
}

/// What differs between the hunts of these tests.
#[derive(Clone, Copy)]
struct How {
    search: Search,
    seed: u64,
    runs: Option<u64>,
    flat: Option<Flat>,
    shard: Shard,
    threads: usize,
    shrink: bool,
}

const HOW: How = How {
    search: Search::Random,
    seed: 1,
    runs: Some(3000),
    flat: None,
    shard: Shard::WHOLE,
    threads: 1,
    shrink: false,
};

fn hunted(scenario: &Scenario, how: How, folder: &Path) -> Result<Hunted, Trouble> {
    let world = scenario.world().unwrap();
    let sampler = how.search.sampler(&world, how.seed, 500);
    hunt(&Plan {
        scenario,
        repair: None,
        sampler: sampler.as_ref(),
        seed: how.seed,
        from: 0,
        runs: how.runs,
        time: None,
        flat: how.flat,
        shard: how.shard,
        threads: how.threads,
        memory: 1 << 30,
        folder: folder.to_owned(),
        command: format!("overtake hunt {:?} --seed {}", scenario.name(), how.seed),
        stop: Arc::default(),
        progress: Arc::default(),
        shrink: how.shrink.then(|| Limits { threads: 1, memory: 64 << 20, ..Limits::default() }),
    })
}

fn ok(scenario: &Scenario, how: How, folder: &Folder) -> Hunted {
    hunted(scenario, how, &folder.0).unwrap_or_else(|trouble| panic!("{trouble:?}"))
}

fn faulty() -> Scenario {
    named("wake-up taken for my turn")
}

#[test]
fn threads_do_not_change_a_byte() {
    for search in [Search::Random, Search::Pct(3)] {
        let one = Folder::new();
        let how = How { search, ..HOW };
        let hunted = ok(&faulty(), how, &one);
        assert_eq!((hunted.tally.runs, hunted.stop), (3000, Stop::Runs));
        assert!(!hunted.findings.is_empty(), "{search:?} finds nothing");
        for threads in [2, 3] {
            let other = Folder::new();
            ok(&faulty(), How { threads, ..how }, &other);
            assert!(one.files() == other.files(), "{threads} threads, {search:?}");
        }
    }
}

#[test]
fn another_seed_is_another_hunt() {
    let (one, other) = (Folder::new(), Folder::new());
    ok(&faulty(), HOW, &one);
    ok(&faulty(), How { seed: 2, ..HOW }, &other);
    assert!(one.files() != other.files());
    let mixed = hunted(&faulty(), How { seed: 2, ..HOW }, &one.0);
    assert!(
        matches!(&mixed, Err(Trouble::Mismatch(why)) if why.contains("another search, seed or shard")),
        "{mixed:?}"
    );
}

#[test]
fn a_killed_hunt_goes_on_to_the_same_end() {
    let whole = Folder::new();
    let how = How { shrink: true, ..HOW };
    ok(&faulty(), how, &whole);
    let killed = Folder::new();
    ok(&faulty(), How { runs: Some(700), threads: 2, ..HOW }, &killed);
    // Killed in the middle of a line, before the last finding was written.
    let record = killed.0.join("progress.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.lines().count() > 5);
    let _ = std::fs::remove_dir_all(killed.0.join("found"));
    for end in [text.len() - 1, text.len() / 2, text.find('\n').unwrap() / 2, 0] {
        std::fs::write(&record, &text[..end]).unwrap();
        let hunted = ok(&faulty(), how, &killed);
        assert_eq!(hunted.tally.runs, 3000);
        assert!(hunted.resumed < 700);
        assert!(whole.files() == killed.files(), "cut off at byte {end}");
    }
    // Nothing is left to do.
    let again = ok(&faulty(), how, &killed);
    assert_eq!((again.resumed, again.tally.runs), (3000, 3000));
    assert!(whole.files() == killed.files());
}

#[test]
fn shards_together_are_the_whole() {
    let whole = Folder::new();
    let how = How { shrink: true, ..HOW };
    ok(&faulty(), how, &whole);
    let shards: Vec<Folder> = (1..=3)
        .map(|index| {
            let folder = Folder::new();
            let shard = Shard { index, of: 3 };
            let hunted = ok(&faulty(), How { shard, threads: index as usize, ..how }, &folder);
            assert_eq!(hunted.tally.runs, 1000);
            folder
        })
        .collect();
    let folders: Vec<PathBuf> = shards.iter().map(|folder| folder.0.clone()).collect();
    let merged = Folder::new();
    // In any order, and over what is there already.
    for order in [[0, 1, 2], [2, 0, 1]] {
        let ordered: Vec<PathBuf> = order.iter().map(|&at| folders[at].clone()).collect();
        let told = merge(&ordered, &merged.0).unwrap_or_else(|trouble| panic!("{trouble:?}"));
        assert_eq!((told.tally.runs, told.left_over), (3000, 0));
        assert!(whole.files() == merged.files());
    }
    for (those, sentence) in [
        (&folders[..2], "shard 3/3 is missing"),
        (&[folders.clone(), vec![folders[0].clone()]].concat()[..], "more than once"),
        (&[folders[0].clone(), whole.0.clone()][..], "different hunts"),
        (&[PathBuf::from("nowhere")][..], "no record"),
    ] {
        let refused = merge(those, &merged.0);
        assert!(matches!(&refused, Err(Trouble::Mismatch(why)) if why.contains(sentence)), "{sentence}: {refused:?}");
    }
}

#[test]
fn a_shard_that_is_behind_leaves_runs_over() {
    let (ahead, behind, merged, whole) = (Folder::new(), Folder::new(), Folder::new(), Folder::new());
    let how = |index, runs| How { shard: Shard { index, of: 2 }, runs: Some(runs), ..HOW };
    ok(&faulty(), how(1, 4096), &ahead);
    ok(&faulty(), how(2, 2048), &behind);
    let told = merge(&[ahead.0.clone(), behind.0.clone()], &merged.0).unwrap();
    assert_eq!((told.tally.runs, told.left_over), (2048, 1024));
    ok(&faulty(), How { runs: Some(2048), ..HOW }, &whole);
    assert_eq!(merged.files().get(Path::new("progress.jsonl")), whole.files().get(Path::new("progress.jsonl")));
}

#[test]
fn flat_coverage_ends_a_hunt_at_the_same_run() {
    let scenario = named("predecessor lock, 1 expiry").with_clients(2);
    let how = How { runs: None, flat: Some(Flat::Runs(4000)), ..HOW };
    let (one, two) = (Folder::new(), Folder::new());
    let hunted = ok(&scenario, how, &one);
    assert_eq!(hunted.stop, Stop::Flat);
    assert!(hunted.tally.barren >= 4000);
    assert!(hunted.findings.is_empty() && hunted.unreached.is_empty(), "{hunted:?}");
    assert!(rule_of_three(hunted.tally.runs) < 1e-3);
    ok(&scenario, How { threads: 2, ..how }, &two);
    assert!(one.files() == two.files());
    // Sampling reaches no state that the exhaustive search does not.
    let options = overtake_models::Options {
        reductions: overtake_sim::world::Reductions::NONE,
        ..overtake_models::Options::default()
    };
    let all = scenario.check_with(&options).seen.states as u64;
    let seen = hunted.tally.states.count();
    assert!(hunted.tally.states.is_exact() && seen <= all && seen > all / 2, "{seen} of {all}");
}

#[test]
fn what_is_found_replays_and_is_made_small() {
    let folder = Folder::new();
    let scenario = faulty();
    let hunted = ok(&scenario, How { shrink: true, ..HOW }, &folder);
    for finding in hunted.findings.values() {
        let text = std::fs::read_to_string(&finding.file).unwrap();
        let trace: Trace = text.parse().unwrap();
        assert_eq!(trace, finding.found);
        assert!(trace.found_by.ends_with(&format!("--from {} --runs 1", finding.run)), "{}", trace.found_by);
        let (small, file, stages) = finding.shrunk.as_ref().expect("it was to be made small");
        assert!(stages.iter().all(|stage| stage.proved), "{stages:?}");
        assert!(small.steps.len() <= trace.steps.len());
        assert_eq!(std::fs::read_to_string(file).unwrap(), small.to_string());
        let property = scenario.judged_by().iter().find(|p| p.name == finding.property).unwrap();
        for trace in [&trace, small] {
            let world = scenario.clone().with_clients(trace.clients).world().unwrap();
            let taken = replay(&world, &trace.steps).expect("it replays");
            assert_eq!(judge(&world, &taken, 0, property).as_ref(), Some(&trace.because));
        }
    }
}

#[test]
fn virtual_time_hunts_too() {
    let scenario = overtake_models::timed::roomy(&faulty());
    let (one, two) = (Folder::new(), Folder::new());
    let how = How { search: Search::Timed, runs: Some(200), shrink: true, ..HOW };
    let hunted = ok(&scenario, how, &one);
    assert_eq!(hunted.tally.runs, 200);
    assert!(!hunted.findings.is_empty(), "{:?}", hunted.tally);
    for finding in hunted.findings.values() {
        assert_eq!(finding.found.moments.len(), finding.found.steps.len());
        assert!(finding.shrunk.is_some(), "{:?}", finding.note);
    }
    ok(&scenario, How { threads: 2, ..how }, &two);
    assert!(one.files() == two.files());
}

/// Walks at random until a run violates something; then it is Ctrl-C.
#[derive(Debug)]
struct UntilFound(RandomWalk, Arc<AtomicBool>);

impl Sampler for UntilFound {
    fn name(&self) -> &str {
        "random"
    }

    fn parameters(&self) -> Vec<(String, String)> {
        self.0.parameters()
    }

    fn run(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64) -> SampledRun {
        let run = self.0.run(engine, judge, seed);
        self.1.fetch_or(run.violated.is_some(), Ordering::Relaxed);
        run
    }
}

fn until_found(shard: Shard, folder: &Folder) -> Hunted {
    let scenario = faulty();
    let stop = Arc::new(AtomicBool::new(false));
    let sampler = UntilFound(RandomWalk { limit: 500 }, Arc::clone(&stop));
    let hunted = hunt(&Plan {
        scenario: &scenario,
        repair: None,
        sampler: &sampler,
        seed: 1,
        from: 0,
        runs: Some(100_000),
        time: None,
        flat: None,
        shard,
        threads: 1,
        memory: 1 << 30,
        folder: folder.0.clone(),
        command: "overtake hunt".into(),
        stop,
        progress: Arc::default(),
        shrink: None,
    });
    hunted.unwrap_or_else(|trouble| panic!("{trouble:?}"))
}

#[test]
fn what_is_found_in_a_block_that_is_given_up_is_told_and_merged() {
    let folders = [Folder::new(), Folder::new()];
    let mut firsts = Vec::new();
    for (folder, index) in folders.iter().zip(1..) {
        let shard = Shard { index, of: 2 };
        let hunted = until_found(shard, folder);
        assert_eq!((hunted.stop, hunted.tally.violated.len(), hunted.findings.len()), (Stop::Interrupted, 0, 1));
        firsts.extend(hunted.findings.into_values().map(|finding| finding.run));
    }
    let merged = Folder::new();
    let those: Vec<PathBuf> = folders.iter().map(|folder| folder.0.clone()).collect();
    let told = merge(&those, &merged.0).unwrap();
    assert!(told.tally.violated.is_empty());
    let first = format!(" --from {} --runs 1", firsts.iter().min().unwrap());
    let copied: Vec<Trace> =
        told.findings.values().map(|file| std::fs::read_to_string(file).unwrap().parse().unwrap()).collect();
    assert!(!copied.is_empty() && copied.iter().any(|trace| trace.found_by.ends_with(&first)), "{copied:?}");
}

#[test]
fn a_record_says_a_violation_whose_trace_is_gone() {
    let (folder, merged) = (Folder::new(), Folder::new());
    assert!(!ok(&faulty(), HOW, &folder).findings.is_empty());
    std::fs::remove_dir_all(folder.0.join("found")).unwrap();
    let refused = merge(std::slice::from_ref(&folder.0), &merged.0);
    assert!(matches!(&refused, Err(Trouble::File(why)) if why.contains("cannot read")), "{refused:?}");
}

async fn works_twice(ctx: Context) {
    ctx.work("one").await;
    ctx.work("two").await;
}

async fn works_otherwise(ctx: Context) {
    ctx.work("one").await;
    ctx.work("three").await;
}

#[test]
fn a_hunt_of_another_program_of_the_same_name_is_refused() {
    let folder = Folder::new();
    let before = scenario("works").clients(2, works_twice).properties([property::no_program_fails()]);
    let after = scenario("works").clients(2, works_otherwise).properties([property::no_program_fails()]);
    ok(&before, HOW, &folder);
    assert_eq!(ok(&before, HOW, &folder).resumed, 3000);
    let refused = hunted(&after, HOW, &folder.0);
    assert!(matches!(&refused, Err(Trouble::Mismatch(why)) if why.contains("as it was before")), "{refused:?}");
    let stricter = before.property(property::everybody_is_done());
    let refused = hunted(&stricter, HOW, &folder.0);
    assert!(matches!(&refused, Err(Trouble::Mismatch(why)) if why.contains("as it was before")), "{refused:?}");
}

async fn flips(ctx: Context) {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    ctx.work("start").await;
    ctx.work(["one", "two", "three", "four"][RUNS.fetch_add(1, Ordering::Relaxed) % 4]).await;
}

/// Draws an id, and another one, for as long as it lives: up to the limit of a world, where something is chosen so.
async fn draws_ids(ctx: Context) {
    while ctx.choose(16).await > 0 {
        ctx.unique_id();
    }
}

#[test]
fn a_run_that_needs_more_than_a_world_can_name_ends_and_the_hunt_goes_on() {
    let scenario = scenario("draws").clients(1, draws_ids).properties([property::no_program_fails()]);
    let (one, two) = (Folder::new(), Folder::new());
    let hunted = ok(&scenario, HOW, &one);
    assert!(hunted.tally.outgrown > 100 && hunted.tally.at_rest > 100, "{:?}", hunted.tally);
    assert_eq!(hunted.tally.runs, hunted.tally.outgrown + hunted.tally.at_rest);
    ok(&scenario, How { threads: 2, ..HOW }, &two);
    assert!(one.files() == two.files());
}

#[test]
fn troubles_are_told_in_a_sentence() {
    let folder = Folder::new();
    let flips = scenario("flips").clients(1, flips).properties([property::no_program_fails()]);
    let broken = hunted(&flips, HOW, &folder.0);
    assert!(matches!(&broken, Err(Trouble::Broken(why)) if why.contains("not deterministic")), "{broken:?}");
    let nowhere = hunted(&faulty(), HOW, Path::new("/dev/null/hunt"));
    assert!(matches!(nowhere, Err(Trouble::File(_))), "{nowhere:?}");
    let strange = Folder::new();
    std::fs::create_dir_all(&strange.0).unwrap();
    std::fs::write(strange.0.join("progress.jsonl"), "hello\n").unwrap();
    let refused = hunted(&faulty(), HOW, &strange.0);
    assert!(matches!(&refused, Err(Trouble::Mismatch(why)) if why.contains("line 1")), "{refused:?}");
}
