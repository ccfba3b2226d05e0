//! Checking a scenario: proof or shortest stories, and never more than was seen.

mod auto;

use overtake_sim::world::{Budget, Reductions, World};

use crate::property::{Kind, Property};
use crate::replay::{LASSO, Taken, follow, judge};
use crate::scenario::Scenario;
use crate::search::table::collision_odds;
use crate::search::{Limits, Seen, Stopped, breadth_first, depth_first, fair_liveness, shortest};
use crate::space::WorldSpace;
use crate::trace::Trace;

/// In which order a space is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Level by level; knows the depth.
    #[default]
    BreadthFirst,
    /// With little memory beside the visited set; does not know the depth.
    DepthFirst,
    /// A probe depth first, through a few states. Where it meets nothing the search goes level by level, as if there had been no
    /// probe; where it meets a violation the search for the shortest story is bounded, and when it comes to the bound the probe's
    /// story, shrunk, is handed over.
    Auto,
}

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// What may be left out.
    pub reductions: Reductions,
    /// The order.
    pub order: Order,
    /// Threads, memory, time.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { reductions: Reductions::ALL, order: Order::default(), limits: Limits::default() }
    }
}

/// A violated property with its story, the shortest one unless it says otherwise.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Name of the property.
    pub property: &'static str,
    /// How it is violated, in a sentence.
    pub because: String,
    /// The trace, as it goes into a file.
    pub trace: Trace,
    /// The steps in the world without reductions.
    pub taken: Vec<Taken>,
    /// How many of the last steps repeat for ever; 0 for all but properties about what happens at last.
    pub cycle: usize,
    /// Whether no shorter story was missed: the search for it was not cut off (see [`Order::Auto`]). What happens at last is told by
    /// one of its shortest ways and a round, and counts as such.
    pub shortest: bool,
}

/// What is known of a scenario after a check.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every state within the bounds was visited, every property holds in all of them, and every `sometimes` was
    /// reached.
    Proved,
    /// No violation was seen, but that is no proof: why.
    Held(String),
    /// Properties are violated.
    Falsified(Vec<Finding>),
    /// A program broke the rules under which it can be checked: which and how.
    Broken(String),
}

/// The outcome of a check.
#[derive(Debug)]
pub struct Checked {
    /// The verdict.
    pub verdict: Verdict,
    /// What was seen.
    pub seen: Seen,
    /// The world, for stories.
    pub world: World,
    /// The odds that a state was taken for another: n²/2⁶⁵.
    pub collision_odds: f64,
    /// Runs of programs that filled the table.
    pub program_runs: u64,
}

impl Verdict {
    /// One word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Held(_) => "held",
            Verdict::Falsified(_) => "falsified",
            Verdict::Broken(_) => "broken",
        }
    }
}

fn why_stopped(stopped: Stopped, seen: &Seen, options: &Options) -> String {
    let reason = match stopped {
        Stopped::Memory => {
            format!("stopped: memory ({} MiB allowed; raise --memory or lower the bounds)", options.limits.memory >> 20)
        }
        Stopped::Time => "stopped: time (raise --time or lower the bounds)".into(),
        Stopped::States => "stopped: the limit of states".into(),
        Stopped::Interrupted => "stopped: interrupted".into(),
        Stopped::Violation => "stopped: a violation was found".into(),
        Stopped::Error => "stopped: a program broke the rules".into(),
    };
    format!("{} states seen, {reason}", seen.states)
}

/// Checks a scenario.
///
/// # Errors
/// A sentence, when the scenario makes no world.
pub fn check(scenario: &Scenario, options: &Options) -> Result<Checked, String> {
    let world = scenario.world()?;
    let properties = scenario.judged_by();
    let symmetry = options.reductions.symmetry && properties.iter().all(|p| !p.tells_clients_apart);
    let options = &Options { reductions: Reductions { symmetry, ..options.reductions }, ..options.clone() };
    // The one that every scenario has does not count.
    if properties.iter().filter(|p| !p.is_sometimes()).count() < 2 {
        return Err(format!("scenario {:?} has no property to check: add one with .property(…)", scenario.name()));
    }
    if options.order == Order::Auto
        && let Some(checked) = auto::check(scenario, options)?
    {
        return Ok(checked);
    }
    let seen = {
        let space = WorldSpace::new(&world, options.reductions, properties).for_threads(options.limits.threads);
        match options.order {
            Order::BreadthFirst | Order::Auto => breadth_first(&space, &options.limits),
            Order::DepthFirst => depth_first(&space, &options.limits),
        }
    };
    let verdict = judge_space(scenario, &world, options, &seen);
    let odds = collision_odds(seen.states);
    let program_runs = world.automaton().stats.runs.load(std::sync::atomic::Ordering::Relaxed);
    Ok(Checked { verdict, seen, world, collision_odds: odds, program_runs })
}

fn judge_space(scenario: &Scenario, world: &World, options: &Options, seen: &Seen) -> Verdict {
    if let Some(error) = world.error() {
        return Verdict::Broken(error.to_string());
    }
    let properties = scenario.judged_by();
    if seen.violated != 0 {
        return match findings(scenario, world, options, seen.violated) {
            Ok(findings) => Verdict::Falsified(findings),
            Err(why) => Verdict::Broken(why),
        };
    }
    if let Some(stopped) = seen.stopped {
        return Verdict::Held(why_stopped(stopped, seen, options));
    }
    let missed = |(id, p): &(usize, &Property)| p.is_sometimes() && seen.reached >> id & 1 == 0;
    let missed: Vec<&str> = properties.iter().enumerate().filter(missed).map(|(_, p)| p.name).collect();
    if !missed.is_empty() {
        return Verdict::Held(format!("all states seen, but it never happened that {}", missed.join(", or that ")));
    }
    let lassos = lassos(scenario, world, options);
    if let Some(error) = world.error() {
        return Verdict::Broken(error.to_string());
    }
    match lassos {
        Ok(findings) if findings.is_empty() => {}
        Ok(findings) => return Verdict::Falsified(findings),
        Err(why) => return Verdict::Held(why),
    }
    if !properties.iter().any(Property::is_sometimes) {
        return Verdict::Held(
            "all states seen, but nothing says that anything happens in them: add a `sometimes` property".into(),
        );
    }
    Verdict::Proved
}

/// The reductions under which a shortest path is a shortest story, from the strongest to none at all.
pub(crate) fn exact(reductions: Reductions) -> [Reductions; 3] {
    let exact = Reductions { deliver_first: false, ..reductions };
    [exact, Reductions { symmetry: false, ..exact }, Reductions::NONE]
}

fn findings(scenario: &Scenario, world: &World, options: &Options, violated: u64) -> Result<Vec<Finding>, String> {
    let properties = scenario.judged_by();
    // Without deliveries that go first there are some times as many states.
    let limits = Limits { states: options.limits.states.map(|most| 4 * most), ..options.limits.clone() };
    let mut findings = Vec::new();
    let mut open = violated;
    for reductions in exact(options.reductions) {
        let space = WorldSpace::new(world, reductions, properties);
        let paths = shortest(&space, open, &limits).map_err(|stopped| {
            format!("a violation was found, but its shortest story was not: {stopped:?}; raise --memory or --time")
        })?;
        for (id, path) in paths {
            let property = &properties[id];
            let Some(taken) = follow(world, reductions, &path, property) else {
                continue;
            };
            let Some(because) = judge(world, &taken, 0, property) else {
                continue;
            };
            open &= !(1 << id);
            findings.push(finding(scenario, property, because, taken, 0));
        }
        if open == 0 {
            findings.sort_by_key(|f| (f.taken.len(), f.property));
            return Ok(findings);
        }
    }
    Err("a violation was seen under reductions and not without: a reduction is at fault, please report it".into())
}

/// The budget as traces name it.
pub fn named_faults(budget: Budget) -> Vec<(String, u8)> {
    budget.iter().filter(|(_, n)| *n > 0).map(|(fault, n)| (fault.name().to_owned(), n)).collect()
}

/// What a trace says of the repair: the scenario with the repaired program, or the one with smaller bounds.
pub(crate) fn repair(scenario: &Scenario) -> (String, String) {
    let name = scenario.repair().unwrap_or_default().to_owned();
    if scenario.only_bounds_help() { (String::new(), name) } else { (name, String::new()) }
}

fn finding(scenario: &Scenario, property: &Property, because: String, taken: Vec<Taken>, cycle: usize) -> Finding {
    let texts: Vec<String> = taken.iter().map(|t| t.text.clone()).collect();
    let (steps, repeated) = texts.split_at(taken.len() - cycle);
    let (fixed_by, holds_within) = repair(scenario);
    let trace = Trace {
        title: format!("{}: {because}", scenario.name()),
        source: scenario.origin().into(),
        scenario: scenario.name().into(),
        clients: scenario.size(),
        faults: named_faults(scenario.budget()),
        violates: property.name.into(),
        because: because.clone(),
        fixed_by,
        holds_within,
        steps: steps.to_vec(),
        cycle: repeated.to_vec(),
        ..Trace::default()
    };
    Finding { property: property.name, because, trace, taken, cycle, shortest: true }
}

/// Looks for fair runs that miss the goal of an `eventually` property.
fn lassos(scenario: &Scenario, world: &World, options: &Options) -> Result<Vec<Finding>, String> {
    let mut findings = Vec::new();
    for property in scenario.judged_by() {
        if let Some((taken, cycle, because)) = lasso(world, property, options.reductions, &options.limits)? {
            findings.push(finding(scenario, property, because, taken, cycle));
        }
    }
    Ok(findings)
}

/// A fair run that misses the goal of the property: its steps, how many of them repeat for ever, and why it misses it.
/// `None` when there is none, and where the property is not an `eventually`.
pub(crate) fn lasso(
    world: &World,
    property: &Property,
    reductions: Reductions,
    limits: &Limits,
) -> Result<Option<(Vec<Taken>, usize, String)>, String> {
    let Kind::Eventually(goal) = &property.kind else { return Ok(None) };
    let reductions = Reductions { renumber: LASSO.renumber && reductions.renumber, ..LASSO };
    let space = WorldSpace::new(world, reductions, &[]);
    let answer = fair_liveness(&space, &|row| goal(&world.view(row)), limits).map_err(|stopped| {
        format!("{:?} is not decided, stopped: {stopped:?}; raise --memory or --time", property.name)
    })?;
    let Some(lasso) = answer.lasso else { return Ok(None) };
    let mut path = lasso.stem;
    path.states.extend_from_slice(&lasso.cycle.states[1..]);
    let cycle = lasso.cycle.steps.len();
    let taken = follow(world, reductions, &path, property).ok_or("a lasso could not be followed: please report it")?;
    let because = judge(world, &taken, cycle, property).ok_or("a lasso does not judge as one: please report it")?;
    Ok(Some((taken, cycle, because)))
}
