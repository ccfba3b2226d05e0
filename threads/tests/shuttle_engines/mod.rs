//! The engines against each other: random small programs have the same outcomes under every search that is complete.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex as Plain};
use std::time::Duration;

use overtake_threads::check::{Engine, Limits, Program, Verdict, program, search};
use overtake_threads::sync::{Part, Role, Shuttle, Threads};
use proptest::prelude::*;

/// One thing that a thread does. Numbers say with which of the two things of its kind.
#[derive(Clone, Copy, Debug)]
enum Act {
    Load(usize),
    Store(usize),
    Add(usize),
    /// Reads and then writes what a mutex guards, in one section.
    Section(usize),
    /// Reads one part of what a mutex guards.
    ReadPart(u32),
    /// Writes one part of it.
    WritePart(u32),
    /// Adds to the other number inside of a section.
    Around(usize),
    /// Two sections, one inside the other.
    Nested(usize),
    /// Waits on the monitor, whatever it guards.
    Wait,
    /// The same, for a time.
    TimedWait,
    Notify,
    Park,
    /// Unparks the first thread.
    Unpark,
    Choose,
    /// Waits for a time inside of a section, or does not: the choice decides what the step uses.
    ChooseWait,
    /// Notifies inside of a section.
    NotifyWithin(usize),
    /// Waits for the end of a thread that it starts, which adds to a number.
    Child(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let two = || 0..2usize;
    prop_oneof![
        3 => two().prop_map(Act::Load),
        3 => two().prop_map(Act::Store),
        2 => two().prop_map(Act::Add),
        2 => two().prop_map(Act::Section),
        2 => (0..2u32).prop_map(Act::ReadPart),
        2 => (0..2u32).prop_map(Act::WritePart),
        2 => two().prop_map(Act::Around),
        1 => two().prop_map(Act::Nested),
        1 => Just(Act::Wait),
        1 => Just(Act::TimedWait),
        1 => Just(Act::Notify),
        1 => Just(Act::Park),
        1 => Just(Act::Unpark),
        1 => Just(Act::Choose),
        1 => Just(Act::ChooseWait),
        1 => two().prop_map(Act::NotifyWithin),
        1 => two().prop_map(Act::Child),
    ]
}

struct Things {
    words: [<Shuttle as Threads>::Word; 2],
    guarded: [<Shuttle as Threads>::Mutex<usize>; 2],
    parts: <Shuttle as Threads>::Mutex<[usize; 2]>,
    bell: <Shuttle as Threads>::Condvar,
    first: Plain<Option<<Shuttle as Threads>::Thread>>,
}

impl Things {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            words: [0, 1].map(|_| Shuttle::word("word", 0)),
            guarded: [0, 1].map(|_| Shuttle::mutex("guarded", 0)),
            parts: Shuttle::mutex("parts", [0, 0]),
            bell: Shuttle::condvar("bell"),
            first: Plain::new(None),
        })
    }
}

/// Does one thing; what it sees is all that makes outcomes differ. `own` is a number that no other act writes.
fn play(things: &Arc<Things>, act: Act, own: usize) -> usize {
    let part = |number: usize, writes| [Part { number: number as u32, writes }];
    match act {
        Act::Load(which) => Shuttle::load(&things.words[which], SeqCst),
        Act::Store(which) => {
            Shuttle::store(&things.words[which], own, SeqCst);
            0
        }
        Act::Add(which) => Shuttle::fetch_add(&things.words[which], 100, SeqCst),
        Act::Section(which) => {
            let mut locked = Shuttle::lock(&things.guarded[which]);
            let seen = *locked;
            *locked = own;
            seen
        }
        Act::Around(which) => {
            let mut locked = Shuttle::lock(&things.guarded[which]);
            let seen = Shuttle::fetch_add(&things.words[1 - which], 100, SeqCst);
            *locked += own;
            seen + *locked
        }
        Act::Nested(which) => {
            let mut outer = Shuttle::lock(&things.guarded[which]);
            let inner = Shuttle::lock(&things.guarded[1 - which]);
            let seen = *outer + *inner;
            *outer = own;
            seen
        }
        Act::ReadPart(which) => {
            let which = which as usize;
            Shuttle::lock_parts(&things.parts, &part(which, false), String::new)[which]
        }
        Act::WritePart(which) => {
            let which = which as usize;
            Shuttle::lock_parts(&things.parts, &part(which, true), String::new)[which] = own;
            0
        }
        Act::Wait => *Shuttle::wait(&things.bell, Shuttle::lock(&things.guarded[0])),
        Act::TimedWait => {
            let (seen, late) =
                Shuttle::wait_timeout(&things.bell, Shuttle::lock(&things.guarded[0]), Duration::from_secs(1));
            2 * *seen + usize::from(late)
        }
        Act::Notify => {
            Shuttle::notify_all(&things.bell);
            0
        }
        Act::Park => {
            Shuttle::park();
            0
        }
        Act::Unpark => {
            let first = things.first.lock().unwrap().clone();
            Shuttle::unpark(&first.expect("there before all others"));
            0
        }
        Act::Choose => Shuttle::choose(2),
        Act::ChooseWait => {
            let locked = Shuttle::lock(&things.guarded[0]);
            if Shuttle::choose(2) == 0 {
                return *locked;
            }
            let (seen, late) = Shuttle::wait_timeout(&things.bell, locked, Duration::from_secs(1));
            1_000 + 2 * *seen + usize::from(late)
        }
        Act::NotifyWithin(which) => {
            let mut locked = Shuttle::lock(&things.guarded[which]);
            Shuttle::notify_all(&things.bell);
            std::mem::replace(&mut *locked, own)
        }
        Act::Child(which) => {
            let theirs = things.clone();
            let child = Shuttle::spawn(Role::Daemon, format!("child of {own}"), move || {
                Shuttle::fetch_add(&theirs.words[which], 1_000, SeqCst)
            });
            Shuttle::join(child)
        }
    }
}

/// The program, and the outcomes that its executions come to. Threads may hang: that is an outcome like others.
fn made(threads: &[Vec<Act>]) -> (Program, Arc<Plain<BTreeSet<String>>>) {
    let outcomes = Arc::new(Plain::new(BTreeSet::new()));
    let (collected, threads) = (outcomes.clone(), threads.to_vec());
    let program = program("a random program", move |stage| {
        let things = Things::new();
        let begun = Arc::new((Shuttle::mutex("begun", false), Shuttle::condvar("begun")));
        let seen = Arc::new(Plain::new(vec![Vec::new(); threads.len()]));
        for (number, acts) in threads.iter().cloned().enumerate() {
            let (things, seen, begun) = (things.clone(), seen.clone(), begun.clone());
            let daemon = Shuttle::spawn(Role::Daemon, format!("thread {number}"), move || {
                if number == 0 {
                    *things.first.lock().unwrap() = Some(Shuttle::current());
                    let mut may = Shuttle::lock(&begun.0);
                    while !*may {
                        may = Shuttle::wait(&begun.1, may);
                    }
                }
                for (place, act) in acts.into_iter().enumerate() {
                    let value = play(&things, act, 10 * (number + 1) + place);
                    seen.lock().unwrap()[number].push(value);
                }
            });
            drop(daemon);
            if number == 0 {
                // It says who it is before there is anybody to unpark it.
                stage.settle();
            }
        }
        *Shuttle::lock(&begun.0) = true;
        Shuttle::notify_all(&begun.1);
        stage.rest();
        let ended = seen.lock().unwrap().clone();
        let last = (Shuttle::load(&things.words[0], SeqCst), Shuttle::load(&things.words[1], SeqCst));
        let parts = *Shuttle::lock(&things.parts);
        // What a deadlock has left locked is not looked at.
        collected.lock().unwrap().insert(format!("{ended:?} {last:?} {parts:?}"));
    });
    (program, outcomes)
}

const MOST: u64 = 20_000;

/// All outcomes, and in how many executions; nothing where there are too many.
fn all(engine: Engine, threads: &[Vec<Act>]) -> Option<(BTreeSet<String>, u64)> {
    let (program, outcomes) = made(threads);
    let outcome = search(engine, &program, Limits { executions: MOST, ..Limits::default() });
    let outcomes = outcomes.lock().unwrap().clone();
    match &outcome.verdict {
        Verdict::Proved => Some((outcomes, outcome.executions)),
        Verdict::Held(why) if why.contains("limit") || why.contains("drawn") => None,
        other => panic!("{other:?}"),
    }
}

fn programs() -> impl Strategy<Value = Vec<Vec<Act>>> {
    let thread = |most| proptest::collection::vec(act(), 1..=most);
    prop_oneof![
        2 => proptest::collection::vec(thread(4), 2..=2),
        1 => proptest::collection::vec(thread(2), 3..=3),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// What the reduction leaves out makes no difference.
    #[test]
    fn reduced_searches_come_to_the_same_outcomes(threads in programs()) {
        let whole = all(Engine::Exhaustive, &threads);
        prop_assume!(whole.is_some());
        let (whole, executions) = whole.unwrap();
        let (reduced, fewer) = all(Engine::Systematic, &threads).expect("no more than without");
        prop_assert_eq!(&reduced, &whole, "{} of {} executions", fewer, executions);
        prop_assert!(fewer <= executions, "{} of {} executions", fewer, executions);
        if let Some((theirs, _)) = all(Engine::Dfs, &threads) {
            prop_assert_eq!(&theirs, &whole, "shuttle's own search");
        }
    }

    /// Enough preemptions are all schedules, and sampled executions come to nothing else.
    #[test]
    fn other_searches_come_to_no_other_outcomes(threads in programs(), seed in any::<u64>()) {
        let whole = all(Engine::Exhaustive, &threads);
        prop_assume!(whole.is_some());
        let (whole, _) = whole.unwrap();
        for engine in [Engine::Random { seed }, Engine::Pct { depth: 3, seed }, Engine::Preemptions(1)] {
            let (program, outcomes) = made(&threads);
            let outcome = search(engine, &program, Limits { executions: 200, ..Limits::default() });
            // A bound that left nothing out proves.
            let bounded = matches!(engine, Engine::Preemptions(_)) && outcome.verdict == Verdict::Proved;
            prop_assert!(bounded || matches!(outcome.verdict, Verdict::Held(_)), "{}: {}", engine.name(), outcome);
            let outcomes = outcomes.lock().unwrap();
            prop_assert!(outcomes.is_subset(&whole), "{}: {:?}", engine.name(), outcomes.difference(&whole));
        }
        let (program, outcomes) = made(&threads);
        search(Engine::Preemptions(20), &program, Limits { executions: MOST, ..Limits::default() });
        prop_assert_eq!(&*outcomes.lock().unwrap(), &whole);
    }
}

/// Things that never make a thread hang, and among which nothing is chosen.
fn plain() -> impl Strategy<Value = Vec<Vec<Act>>> {
    let two = || 0..2usize;
    let act = prop_oneof![
        two().prop_map(Act::Load),
        two().prop_map(Act::Store),
        two().prop_map(Act::Add),
        two().prop_map(Act::Section),
        two().prop_map(Act::Around),
        (0..2u32).prop_map(Act::ReadPart),
        (0..2u32).prop_map(Act::WritePart),
        two().prop_map(Act::NotifyWithin),
        Just(Act::TimedWait),
        Just(Act::Notify),
        two().prop_map(Act::Child),
    ];
    proptest::collection::vec(proptest::collection::vec(act, 1..=3), 2..=2)
}

/// The outcomes by shuttle alone: its own runner and search, without stage, ledger and conductor.
fn bare(threads: &[Vec<Act>]) -> Option<BTreeSet<String>> {
    let outcomes = Arc::new(Plain::new(BTreeSet::new()));
    let (collected, threads) = (outcomes.clone(), threads.to_vec());
    let mut config = shuttle::Config::new();
    config.failure_persistence = shuttle::FailurePersistence::None;
    let runner = shuttle::Runner::new(shuttle::scheduler::DfsScheduler::new(Some(MOST as usize), false), config);
    let executions = runner.run(move || {
        let things = Things::new();
        let seen = Arc::new(Plain::new(vec![Vec::new(); threads.len()]));
        let handles: Vec<_> = threads
            .iter()
            .cloned()
            .enumerate()
            .map(|(number, acts)| {
                let (things, seen) = (things.clone(), seen.clone());
                shuttle::thread::spawn(move || {
                    for (place, act) in acts.into_iter().enumerate() {
                        let value = play(&things, act, 10 * (number + 1) + place);
                        seen.lock().unwrap()[number].push(value);
                    }
                })
            })
            .collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        let ended = seen.lock().unwrap().clone();
        let last = (Shuttle::load(&things.words[0], SeqCst), Shuttle::load(&things.words[1], SeqCst));
        let parts = *Shuttle::lock(&things.parts);
        collected.lock().unwrap().insert(format!("{ended:?} {last:?} {parts:?}"));
    });
    (executions < MOST as usize).then(|| std::mem::take(&mut *outcomes.lock().unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// What the conductor itself leaves out (it does not try locks that are held, and does not wait with unlocks) makes no
    /// difference either.
    #[test]
    fn shuttle_alone_comes_to_the_same_outcomes(threads in plain()) {
        let theirs = bare(&threads);
        prop_assume!(theirs.is_some());
        let (ours, _) = all(Engine::Systematic, &threads).expect("no more than without");
        prop_assert_eq!(ours, theirs.unwrap());
    }
}
