//! The threads of a hunt, and the one that writes down what they find in the order of the runs.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;

use overtake_sim::clock::rng::Rng;
use overtake_sim::program::ProgramError;
use overtake_sim::world::{Engine, Reductions, World};

use super::block::{Block, Violated, end_of_block};
use super::find::{self, Finding};
use super::record::{Head, Record, Tally};
use super::{MOST_RUNS, Plan, Trouble};
use crate::property::Property;
use crate::sample::{Ended, Judge, SampledRun};

/// Why a hunt is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All runs are done.
    Runs,
    /// The time is up.
    Time,
    /// Coverage has gone flat.
    Flat,
    /// Ctrl-C.
    Interrupted,
}

/// What a hunt has come to.
#[derive(Debug)]
pub struct Hunted {
    /// All blocks added up, those of earlier parts of the hunt among them.
    pub tally: Tally,
    /// The first run that violates each property, by the property's name.
    pub findings: BTreeMap<String, Finding>,
    /// Names of the `sometimes` properties that no run reached.
    pub unreached: Vec<&'static str>,
    /// Why it is over.
    pub stop: Stop,
    /// Runs that were done before this part of the hunt.
    pub resumed: u64,
}

/// The seed of a run.
pub(super) fn seed_of(hunt: u64, run: u64) -> u64 {
    Rng::new(hunt).fork(run).next_u64()
}

/// What a thread has to tell.
enum Told {
    /// A block, whole or given up half-way, with the first run that violates each property.
    Block {
        block: Block,
        whole: bool,
        found: Vec<(u64, SampledRun)>,
    },
    Broken(String),
    Panic(Box<dyn Any + Send>),
}

/// What the threads share.
struct Shared<'a> {
    plan: &'a Plan<'a>,
    /// The next run that nobody has taken.
    next: Mutex<u64>,
    end: u64,
    start: Instant,
    /// Raised when no more runs are wanted.
    over: AtomicBool,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        let time = || self.plan.time.is_some_and(|time| self.start.elapsed() >= time);
        self.over.load(Ordering::Relaxed) || self.plan.stop.load(Ordering::Relaxed) || time()
    }

    fn take(&self) -> Option<Range<u64>> {
        let mut next = self.next.lock().expect("next");
        let from = *next;
        if from >= self.end || self.is_over() {
            return None;
        }
        *next = end_of_block(from, self.plan.sampler.runs_a_block()).min(self.end);
        Some(from..*next)
    }
}

/// Hunts, or goes on with the hunt that the folder holds.
///
/// # Errors
/// When a file cannot be written, the folder holds another hunt, or a program broke the rules. Whatever was written until
/// then stays, and the same hunt goes on from there.
pub fn hunt(plan: &Plan<'_>) -> Result<Hunted, Trouble> {
    let head = Head::of(plan)?;
    let mut record = match Record::read(&plan.folder)? {
        Some(record) if record.head == head => record,
        Some(record) if record.head.differs_in_behaviour_only(&head) => {
            return Err(Trouble::Mismatch(format!(
                "{} holds a hunt of {:?} as it was before its programs, properties or world were changed; choose another \
                 folder or remove it",
                plan.folder.display(),
                plan.scenario.name()
            )));
        }
        Some(_) => {
            return Err(Trouble::Mismatch(format!(
                "{} holds a hunt with other bounds, another search, seed or shard; choose another folder or remove it",
                plan.folder.display()
            )));
        }
        None => Record::new(&plan.folder, head),
    };
    let end = plan.runs.map_or(MOST_RUNS, |runs| plan.from.saturating_add(runs)).min(MOST_RUNS);
    record.reopen(end);
    let mut tally = Tally::default();
    record.blocks.iter_mut().for_each(|block| tally.add(block));
    record.write()?;
    let world = plan.scenario.world().map_err(Trouble::Mismatch)?;
    let mut findings = BTreeMap::new();
    for (property, violated) in &tally.violated {
        findings.insert(property.clone(), find::recall(plan, &world, property, violated.first)?);
    }
    for (property, found) in find::kept(&plan.folder, plan.scenario.name()) {
        // Of a block that is not in the record.
        if !findings.contains_key(&property) && found.found.found_by == find::command(plan, found.run) {
            findings.insert(property, found);
        }
    }
    let from = record.blocks.last().map_or(plan.from, |block| block.numbers.end);
    record.blocks = Vec::new();
    let resumed = tally.runs;
    let shared = Shared {
        plan,
        next: Mutex::new(from),
        end,
        start: Instant::now(),
        over: AtomicBool::new(is_flat(plan, &tally)),
    };
    let mut writer = Writer { plan, world, record, tally, findings, next: from, waiting: BTreeMap::new() };
    writer.show();
    let outcome = run_all(&shared, &mut writer);
    outcome?;
    let stop = match () {
        () if plan.stop.load(Ordering::Relaxed) => Stop::Interrupted,
        () if is_flat(plan, &writer.tally) => Stop::Flat,
        () if writer.next >= end => Stop::Runs,
        () => Stop::Time,
    };
    writer.keep_what_waits()?;
    for finding in writer.findings.values_mut() {
        find::make_small(plan, finding)?;
    }
    let unreached =
        |(id, p): (usize, &Property)| (p.is_sometimes() && writer.tally.reached >> id & 1 == 0).then_some(p.name);
    let unreached = plan.scenario.judged_by().iter().enumerate().filter_map(unreached).collect();
    Ok(Hunted { tally: writer.tally, findings: writer.findings, unreached, stop, resumed })
}

fn is_flat(plan: &Plan<'_>, tally: &Tally) -> bool {
    plan.flat.is_some_and(|flat| flat.is_met(tally.runs, tally.barren, tally.states.level()))
}

fn run_all(shared: &Shared<'_>, writer: &mut Writer<'_>) -> Result<(), Trouble> {
    let threads = shared.plan.threads.max(1);
    let (tell, hear) = sync_channel(4 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let tell = tell.clone();
            scope.spawn(move || {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(shared, &tell))) {
                    let _ = tell.send(Told::Panic(panic));
                }
            });
        }
        drop(tell);
        let mut outcome = Ok(());
        let mut panicked = None;
        for told in hear {
            let heard = match told {
                Told::Panic(panic) => {
                    panicked = Some(panic);
                    shared.over.store(true, Ordering::Relaxed);
                    continue;
                }
                Told::Broken(why) => Err(Trouble::Broken(why)),
                Told::Block { block, whole, found } => writer.hear(block, whole, found, &shared.over),
            };
            if outcome.is_ok() && heard.is_err() {
                outcome = heard;
                shared.over.store(true, Ordering::Relaxed);
            }
        }
        match panicked {
            Some(panic) => resume_unwind(panic),
            None => outcome,
        }
    })
}

/// A block that is being done.
struct Open {
    block: Block,
    found: Vec<(u64, SampledRun)>,
    /// The next run.
    next: u64,
}

impl Open {
    fn new(numbers: Range<u64>) -> Self {
        Self { next: numbers.start, found: Vec::new(), block: Block { numbers, ..Block::default() } }
    }

    fn told(self, whole: bool) -> Told {
        Told::Block { block: self.block, whole, found: self.found }
    }
}

/// Why a thread pauses in a block.
enum Pause {
    /// All its runs are done.
    Done,
    /// No more are wanted.
    Over,
    /// A run needed more than a world can name; the others need a world without that error.
    Outgrown,
    /// A program broke the rules: how.
    Broken(String),
}

/// Does blocks of runs, in a world of the thread's own.
fn work(shared: &Shared<'_>, tell: &SyncSender<Told>) {
    let plan = shared.plan;
    let mut open = shared.take().map(Open::new);
    while open.is_some() {
        let world = plan.scenario.world().expect("it made a world before");
        let mut engine = Engine::new(&world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, plan.scenario.judged_by());
        while let Some(mut part) = open.take() {
            let pause = advance(shared, &mut engine, &mut judge, &mut part);
            part.block.fresh.append(&mut judge.take_fresh());
            part.block.reached |= judge.reached();
            let told = match pause {
                Pause::Outgrown => {
                    open = Some(part);
                    break;
                }
                Pause::Over => {
                    let _ = tell.send(part.told(false));
                    return;
                }
                Pause::Broken(why) => {
                    let _ = tell.send(Told::Broken(why));
                    return;
                }
                Pause::Done => part.told(true),
            };
            if tell.send(told).is_err() {
                return;
            }
            open = shared.take().map(Open::new);
            if world.bytes() + engine.stats().bytes > plan.memory / plan.threads.max(1) {
                // What runs do not share with others has piled up.
                break;
            }
        }
    }
}

/// Does the runs of the block that are left.
fn advance<'w>(shared: &Shared<'_>, engine: &mut Engine<'w>, judge: &mut Judge<'w>, part: &mut Open) -> Pause {
    let plan = shared.plan;
    while part.next < part.block.numbers.end {
        let number = part.next;
        if !plan.shard.has(number) {
            part.next += 1;
            continue;
        }
        if shared.is_over() {
            return Pause::Over;
        }
        let run = plan.sampler.run(engine, judge, seed_of(plan.seed, number));
        part.next += 1;
        let block = &mut part.block;
        let steps = run.steps.len() as u64;
        block.runs += 1;
        block.steps += steps;
        block.longest = block.longest.max(steps);
        match (run.ended, engine.world().error()) {
            (Ended::AtRest, _) => block.at_rest += 1,
            (Ended::Limit, _) => block.limited += 1,
            (Ended::Violation, _) => {}
            (Ended::Error, Some(ProgramError::Limit { .. } | ProgramError::TooManySessions { .. })) => {
                block.outgrown += 1;
                return Pause::Outgrown;
            }
            (Ended::Error, error) => {
                return Pause::Broken(error.map_or("a program broke the rules".into(), ToString::to_string));
            }
        }
        if let Some(id) = run.violated {
            block.violate(plan.scenario.judged_by()[id].name, Violated { runs: 1, first: number });
            if part.found.iter().all(|(_, other)| other.violated != Some(id)) {
                part.found.push((number, run));
            }
        }
    }
    Pause::Done
}

/// A block that cannot be written yet: whether it is whole, and the first run that violates each property.
struct Waiting {
    block: Block,
    whole: bool,
    found: Vec<(u64, SampledRun)>,
}

/// Takes blocks in, in order.
struct Writer<'a> {
    plan: &'a Plan<'a>,
    world: World,
    record: Record,
    tally: Tally,
    findings: BTreeMap<String, Finding>,
    /// The first run of the block that is written next.
    next: u64,
    waiting: BTreeMap<u64, Waiting>,
}

impl Writer<'_> {
    fn hear(
        &mut self,
        block: Block,
        whole: bool,
        found: Vec<(u64, SampledRun)>,
        over: &AtomicBool,
    ) -> Result<(), Trouble> {
        self.waiting.insert(block.numbers.start, Waiting { block, whole, found });
        while !is_flat(self.plan, &self.tally)
            && self.waiting.get(&self.next).is_some_and(|waiting| waiting.whole)
            && let Some(Waiting { mut block, found, .. }) = self.waiting.remove(&self.next)
        {
            for (number, run) in &found {
                self.keep(*number, run)?;
            }
            self.tally.add(&mut block);
            self.record.push(&block)?;
            self.next = block.numbers.end;
            self.show();
        }
        if is_flat(self.plan, &self.tally) {
            over.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Writes a finding, if it is the first of its property.
    fn keep(&mut self, number: u64, run: &SampledRun) -> Result<(), Trouble> {
        let Some(id) = run.violated else { return Ok(()) };
        let name = self.plan.scenario.judged_by()[id].name;
        if self.findings.get(name).is_none_or(|known| number < known.run) {
            let finding = find::write(self.plan, &self.world, number, run)?;
            self.findings.insert(name.into(), finding);
        }
        Ok(())
    }

    /// What was found in blocks that came too late to be counted is kept all the same.
    fn keep_what_waits(&mut self) -> Result<(), Trouble> {
        for waiting in std::mem::take(&mut self.waiting).into_values() {
            for (number, run) in waiting.found {
                self.keep(number, &run)?;
            }
        }
        Ok(())
    }

    fn show(&self) {
        let progress = &self.plan.progress;
        progress.states.store(self.tally.states.count() as usize, Ordering::Relaxed);
        progress.depth.store(self.tally.longest as usize, Ordering::Relaxed);
        progress.frontier.store(self.tally.runs as usize, Ordering::Relaxed);
        progress.bytes.store(self.world.bytes(), Ordering::Relaxed);
    }
}
