//! The chapter of the report on threads: the programs, and which engine kills which faulty one at what cost.

use std::fmt::Write as _;
use std::time::Duration;

use overtake_models::manifest::{check_for_expected, expected_finding};
use overtake_models::sample::{Judge, RandomWalk, Sampler};
use overtake_models::scenarios;
use overtake_models::throughput::Chapter;
use overtake_models::{Expected, Options, Scenario};
use overtake_sim::clock::Rng;
use overtake_sim::world::{Engine as WorldEngine, Reductions};

use crate::check::{
    Engine, Limits, MemoryLimits, NUMBERS_DRAWN, Program, Verdict, kept_limits, search, search_kept, search_memory,
    small_story,
};
use crate::programs::memory::Caught;
use crate::programs::{self, memory};

/// Executions after which an engine that draws has not found it.
const MOST: u64 = 2_000;
/// Seeds of each engine that draws.
const SEEDS: u64 = 10;
/// Executions after which shuttle's own search has not found it.
const MOST_DFS: u64 = 20_000;
/// Most steps of a random run of a world.
const WORLD_STEPS: usize = 400;

/// Everything that kills, in the order of the columns.
const ENGINES: [&str; 7] =
    ["world, exhaustive", "world, random", "systematic", "≤ 2 preemptions", "shuttle DFS", "PCT", "random"];

/// Of a kill by another property than the program is there for.
const BY_ANOTHER: &str = "†";

/// What one engine needs for one program: executions (for the exhaustive world: states), and time.
struct Cost {
    /// In words; nothing where the engine does not apply.
    cell: String,
    time: Duration,
    found: bool,
}

impl Cost {
    fn none() -> Self {
        Self { cell: String::new(), time: Duration::ZERO, found: false }
    }
}

fn timed<T>(act: impl FnOnce() -> T) -> (T, Duration) {
    let begin = std::time::Instant::now();
    let value = act();
    (value, begin.elapsed())
}

/// The chapter. The same bytes on every machine, but for the times of this run, which stand between two marks.
///
/// # Errors
/// When a program is not as expected.
pub fn chapter(_: &str) -> Result<Chapter, String> {
    let mut text = String::from(ABOUT);
    let programs = programs::all();
    programs_table(&mut text, &programs)?;
    let times = engines_table(&mut text, &programs)?;
    parts_table(&mut text)?;
    times_table(&mut text, &times);
    Ok(Chapter { markdown: text, pictures: Vec::new() })
}

const ABOUT: &str = "## Threads

Inside one process a lock is shared by threads. The programs of this chapter run the blocking recipes of `threads/` \
(and what public reports have in their place) on several threads, with the event thread, the listener thread, the \
background thread and the clock of each client, over the simulated server. Sessions expire and connections break at any \
point of a schedule; a timed wait may end at any moment.

*Systematic* tries every order of operations, those that differ in nothing but unrelated operations once; only what it \
(or another search that is complete) has tried to the end is called proved. `overtake threads NAME` searches one \
program, `overtake threads` all of them.

";

fn programs_table(text: &mut String, programs: &[Program]) -> Result<(), String> {
    text.push_str(
        "### Programs\n\nOf a program that breaks: the execution in which the systematic search found it, and the story made \
         small, with the fewest preemptions that do it (every schedule with fewer was tried). Of one that holds: how many \
         executions are all there are.\n\n\
         | program | verdict | executions | decisions | steps of the story | preemptions |\n|---|---|--:|--:|--:|--:|\n",
    );
    for program in programs {
        let outcome = search_kept(program);
        outcome.as_expected(program).map_err(|why| format!("{:?}: {why}", program.name()))?;
        let small = small_story(program, &outcome, &kept_limits());
        let verdict = match outcome.trace() {
            Some(trace) => format!("falsified: {}", trace.violates),
            None => "proved".into(),
        };
        let steps = small.as_ref().map_or(String::new(), |small| small.trace.steps.len().to_string());
        let preemptions = match small {
            Some(small) => small.fewest.map_or("?".into(), |fewest| fewest.to_string()),
            None => String::new(),
        };
        let (executions, decisions) = (outcome.executions, outcome.steps);
        let _ =
            writeln!(text, "| {} | {verdict} | {executions} | {decisions} | {steps} | {preemptions} |", program.name());
    }
    text.push('\n');
    Ok(())
}

/// The twin of a report among the worlds.
fn twin(program: &Program) -> Option<Scenario> {
    let name = program.name().strip_prefix("threads: ")?;
    scenarios::all().into_iter().find(|s| s.name() == name && matches!(s.expected(), Expected::Falsified(_)))
}

fn in_the_world(scenario: &Scenario) -> Result<Cost, String> {
    let (checked, time) = timed(|| check_for_expected(scenario, &Options::default()));
    let checked = checked?;
    let found = expected_finding(scenario, &checked).is_some();
    Ok(Cost { cell: checked.seen.states.to_string(), time, found })
}

/// Drawn runs until one violates something, in the middle over the seeds.
fn at_random_in_the_world(scenario: &Scenario) -> Result<Cost, String> {
    let world = scenario.world()?;
    let walk = RandomWalk { limit: WORLD_STEPS };
    let (runs, time) = timed(|| {
        (1..=SEEDS)
            .map(|seed| {
                let mut engine = WorldEngine::new(&world, Reductions::NONE);
                let mut judge = Judge::new(&mut engine, scenario.judged_by());
                let violates =
                    |n: &u64| walk.run(&mut engine, &mut judge, Rng::new(seed).fork(*n).next_u64()).violated.is_some();
                (0..MOST).find(violates).map(|n| n + 1)
            })
            .collect::<Vec<_>>()
    });
    Ok(middle(runs, time))
}

/// The middle of what the seeds needed.
fn middle(mut runs: Vec<Option<u64>>, time: Duration) -> Cost {
    let missed = runs.iter().filter(|run| run.is_none()).count();
    runs.sort_by_key(|run| run.unwrap_or(u64::MAX));
    let cell = match runs[(runs.len() - 1) / 2] {
        Some(run) if missed == 0 => run.to_string(),
        Some(run) => format!("{run} ({missed} of {} missed)", runs.len()),
        None => format!("— ({missed} of {} missed)", runs.len()),
    };
    Cost { cell, time: time / runs.len() as u32, found: missed < runs.len() }
}

fn by_drawing(program: &Program, engine: impl Fn(u64) -> Engine) -> Result<Cost, String> {
    let limits = Limits { executions: MOST, ..Limits::default() };
    let mut others = 0;
    let (runs, time) = timed(|| {
        let mut one = |seed| {
            let outcome = search(engine(seed), program, limits.clone());
            match &outcome.verdict {
                Verdict::Falsified(trace) => {
                    others += u64::from(!is_expected(program, &trace.violates));
                    Ok(Some(outcome.executions))
                }
                Verdict::Broken(_) => Err(format!("{:?}: {outcome}", program.name())),
                Verdict::Proved | Verdict::Held(_) => Ok(None),
            }
        };
        (1..=SEEDS).map(&mut one).collect::<Result<Vec<_>, _>>()
    });
    let mut cost = middle(runs?, time);
    if others > 0 {
        let _ = write!(cost.cell, " {BY_ANOTHER} {others} of {SEEDS}");
        // Somebody has to find what the program is there for.
        cost.found &= others < SEEDS;
    }
    Ok(cost)
}

/// Some programs violate more than the one property that they are there for.
fn is_expected(program: &Program, property: &str) -> bool {
    program.expected() == Some(property)
}

fn by_searching(program: &Program, engine: Engine, most: u64) -> Result<Cost, String> {
    let limits = Limits { executions: most, ..Limits::default() };
    let (outcome, time) = timed(|| search(engine, program, limits));
    match &outcome.verdict {
        Verdict::Falsified(trace) => {
            let found = is_expected(program, &trace.violates);
            let by = if found { String::new() } else { format!(" {BY_ANOTHER}") };
            Ok(Cost { cell: format!("{}{by}", outcome.executions), time, found })
        }
        // shuttle's search tries one number of those that a program may draw.
        Verdict::Held(why) if why == NUMBERS_DRAWN => {
            Ok(Cost { cell: format!("cannot draw numbers ({})", outcome.executions), time, found: false })
        }
        Verdict::Held(_) => Ok(Cost { cell: format!("— ({})", outcome.executions), time, found: false }),
        _ => Err(format!("{:?} by {}: {outcome}", program.name(), engine.name())),
    }
}

/// All costs, by program.
fn engines_table(text: &mut String, programs: &[Program]) -> Result<Vec<(String, Vec<Cost>)>, String> {
    let _ = write!(
        text,
        "### Which engine kills which program\n\nExecutions until the fault is found; of the exhaustive world, states, and of \
         the random world, runs, where the report has a twin among the worlds. Engines that draw had {SEEDS} seeds and {MOST} \
         executions for each; the number is the one in the middle. A dash is a fault that was not found; the other \
         searches had {MOST_DFS} executions. PCT looks for bugs of depth 3. {BY_ANOTHER}: what was found there first \
         violates another property than the one that the program is kept for, and is not counted as found.\n\n| program | {} |\n|---|{}\n",
        ENGINES.join(" | "),
        "--:|".repeat(ENGINES.len())
    );
    let mut all = Vec::new();
    for program in programs.iter().filter(|p| p.expected().is_some()) {
        let twin = twin(program);
        let costs = vec![
            twin.as_ref().map_or(Ok(Cost::none()), in_the_world)?,
            twin.as_ref().map_or(Ok(Cost::none()), at_random_in_the_world)?,
            by_searching(program, Engine::Systematic, MOST_DFS)?,
            by_searching(program, Engine::Preemptions(2), MOST_DFS)?,
            by_searching(program, Engine::Dfs, MOST_DFS)?,
            by_drawing(program, |seed| Engine::Pct { depth: 3, seed })?,
            by_drawing(program, |seed| Engine::Random { seed })?,
        ];
        let cells: Vec<&str> = costs.iter().map(|cost| &*cost.cell).collect();
        let _ = writeln!(text, "| {} | {} |", program.name(), cells.join(" | "));
        all.push((program.name().to_owned(), costs));
    }
    let found = |column: usize| {
        let applies = all.iter().filter(|(_, costs)| !costs[column].cell.is_empty());
        let found = applies.clone().filter(|(_, costs)| costs[column].found).count();
        format!("**{found} of {}**", applies.count())
    };
    let founds: Vec<String> = (0..ENGINES.len()).map(found).collect();
    let _ = writeln!(text, "| **found** | {} |\n", founds.join(" | "));
    Ok(all)
}

/// The small lock-free parts: loom beside the searches over schedules, on the same bodies.
fn parts_table(text: &mut String) -> Result<(), String> {
    text.push_str(
        "### The small parts\n\nThe wake-up cell, the owner table, the re-entrance counter and the closed flag, each with spoilt \
         twins, under loom's memory model and, the same bodies, under the systematic search. Of a twin: the execution that \
         breaks it. The searches over schedules take every operation as sequentially consistent: a twin whose orderings are too weak \
         goes wrong under loom alone, and *proved* there says nothing about memory.\n\n\
         | part | | loom | systematic |\n|---|---|--:|--:|\n",
    );
    for part in memory::all() {
        let outcome = search_memory(&part.program, MemoryLimits::default());
        let name = part.program.name();
        let verdict = match &outcome.verdict {
            Verdict::Proved if part.caught == Caught::Never => "right",
            Verdict::Falsified(_) if part.caught == Caught::ByAll => "wrong by the order of events",
            Verdict::Falsified(_) if part.caught == Caught::ByLoom => "wrong by the memory model",
            other => return Err(format!("{name:?} by loom: {other:?}")),
        };
        let schedules = search_kept(&part.schedules);
        schedules.as_expected(&part.schedules).map_err(|why| format!("{name:?}: {why}"))?;
        let told = |word: &str, executions: u64| format!("{word}, {executions}");
        let by_loom = told(if part.right { "proved" } else { "falsified" }, outcome.executions);
        let _ = writeln!(text, "| {name} | {verdict} | {by_loom} | {} |", told(schedules.word(), schedules.executions));
    }
    text.push('\n');
    Ok(())
}

/// Between these marks stands what differs from run to run: the report is compared without it.
pub const TIMES: (&str, &str) = ("<!-- times of one run -->", "<!-- end of times -->");

fn times_table(text: &mut String, all: &[(String, Vec<Cost>)]) {
    let _ = write!(
        text,
        "### Times\n\nSeconds of one run on one core, until the fault was found or the limit reached; for engines that draw, the \
         mean over the seeds. They differ from machine to machine and are not compared.\n\n{}\n\n| program | {} |\n|---|{}\n",
        TIMES.0,
        ENGINES.join(" | "),
        "--:|".repeat(ENGINES.len())
    );
    for (name, costs) in all {
        let cell = |cost: &Cost| match cost.cell.is_empty() {
            true => String::new(),
            false => format!("{:.3}", cost.time.as_secs_f64()),
        };
        let cells: Vec<String> = costs.iter().map(cell).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    let _ = write!(text, "\n{}\n", TIMES.1);
}
