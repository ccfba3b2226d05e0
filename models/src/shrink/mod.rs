//! Shrinking a finding: faults first, then clients, then steps, then moments, keeping the same violation: the same
//! property, violated for the same kind of reason.
//!
//! Where the space of the smaller world is small enough it is searched exhaustively, so that the answer is a proof:
//! with one fault less, or with fewer clients, there is no such violation, and no shorter way leads to it. Where that
//! search is cut off, the steps that are left over are taken again and what cannot be taken is left out; then nothing
//! is proved, and the stage says so.

mod moments;
mod reason;
mod search;
mod steps;

use overtake_sim::world::{Budget, Step, World};

use crate::check::named_faults;
use crate::property::{Kind, Property};
use crate::replay::{Taken, judge, replay};
use crate::scenario::Scenario;
use crate::search::Limits;
use crate::trace::Trace;

pub use reason::reason_kind;
pub use search::{Decided, decide};

/// One stage of shrinking, and how far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// `faults`, `clients`, `steps` or `moments`.
    pub what: &'static str,
    /// What there was.
    pub before: String,
    /// What is left.
    pub after: String,
    /// An exhaustive search has shown that less does not do.
    pub proved: bool,
    /// Why it is proved, or why not, in a sentence.
    pub because: String,
}

/// A finding made as small as could be.
#[derive(Debug)]
pub struct Shrunk {
    /// The scenario with the bounds that are left.
    pub scenario: Scenario,
    /// Its world, for stories.
    pub world: World,
    /// The steps.
    pub taken: Vec<Taken>,
    /// How many of the last steps repeat for ever.
    pub cycle: usize,
    /// The finding as a trace.
    pub trace: Trace,
    /// The stages, in order.
    pub stages: Vec<Stage>,
}

/// A violation in some bounds.
#[derive(Debug)]
struct Story {
    scenario: Scenario,
    world: World,
    taken: Vec<Taken>,
    cycle: usize,
    because: String,
    /// No shorter one leads to the same violation within these bounds.
    shortest: bool,
}

impl Story {
    fn steps(&self) -> Vec<Step> {
        self.taken.iter().map(|t| t.step).collect()
    }

    /// The faults that the steps have used up.
    fn used(&self) -> Budget {
        let all = self.scenario.budget();
        let left = self.taken.last().map_or(all, |t| self.world.view(&t.state).budget());
        all.iter().fold(all, |used, (fault, n)| used.with(fault, n - left.get(fault)))
    }
}

/// Shrinks the finding of a trace. The scenario is the one that the trace names, with the trace's bounds. `repair` is the
/// scenario with the repaired program, if there is one: with fewer clients it must still hold, since a program may know how
/// many there are to be (a barrier of two waits for ever with one client, whatever is wrong with it).
///
/// # Errors
/// A sentence, when the steps cannot be taken, when they do not violate the property, or when a program broke the rules.
pub fn shrink(
    scenario: &Scenario,
    repair: Option<&Scenario>,
    trace: &Trace,
    limits: &Limits,
) -> Result<Shrunk, String> {
    let property = scenario.judged_by().iter().find(|p| p.name == trace.violates);
    let property = property
        .ok_or_else(|| format!("the scenario {:?} has no property {:?}", scenario.name(), trace.violates))?
        .clone();
    let world = scenario.world()?;
    let taken = replay(&world, &trace.all_steps())
        .map_err(|stale| format!("step {} cannot be taken any more: {}", stale.number, stale.step))?;
    let cycle = trace.cycle.len();
    let because = judge(&world, &taken, cycle, &property)
        .ok_or_else(|| format!("the steps do not violate {:?}, so there is nothing to shrink", property.name))?;
    let property = reason::only(&property, reason_kind(&because));
    let mut story = Story { scenario: scenario.clone(), world, taken, cycle, because, shortest: false };
    let timed: Vec<(Step, u64)> = story.steps().into_iter().zip(trace.moments.iter().copied()).collect();
    let mut stages = Vec::new();
    let (steps, size) = (story.taken.len(), story.scenario.size());
    faults(&mut story, &property, limits, &mut stages)?;
    clients(&mut story, repair, &property, limits, &mut stages)?;
    if story.scenario.size() < size {
        // Fewer clients may need fewer faults, and leave less to be searched. That they are the fewest stays true: fewer
        // faults allow nothing more.
        let mut again = Vec::new();
        faults(&mut story, &property, limits, &mut again)?;
        stages[0] = Stage { before: stages[0].before.clone(), ..again.remove(0) };
    }
    shortest_steps(&mut story, &property, limits, steps, &mut stages)?;
    let moments = if timed.is_empty() { Vec::new() } else { moments::stage(&story.steps(), &timed, &mut stages) };
    Ok(finished(story, trace, moments, stages))
}

/// The steps of a run that violates the property for the reason `because`, with as many of them left out as can be: a world, the steps
/// in it, and why they violate the property. `None` when the steps cannot be taken.
///
/// # Errors
/// A sentence, when the scenario makes no world or a program broke the rules.
pub(crate) fn fewer_steps(
    scenario: &Scenario,
    taken: &[Taken],
    property: &Property,
    because: &str,
) -> Result<Option<(World, Vec<Taken>, String)>, String> {
    let property = reason::only(property, reason_kind(because));
    let steps: Vec<Step> = taken.iter().map(|taken| taken.step).collect();
    let story = steps::fewer(scenario, &steps, &property)?;
    Ok(story.map(|story| (story.world, story.taken, story.because)))
}

fn finished(story: Story, trace: &Trace, moments: Vec<u64>, stages: Vec<Stage>) -> Shrunk {
    let texts: Vec<String> = story.taken.iter().map(|t| t.text.clone()).collect();
    let (steps, repeated) = texts.split_at(texts.len() - story.cycle);
    let trace = Trace {
        title: format!("{}: {}", story.scenario.name(), story.because),
        clients: story.scenario.size(),
        faults: named_faults(story.scenario.budget()),
        because: story.because,
        steps: steps.to_vec(),
        cycle: repeated.to_vec(),
        moments,
        ..trace.clone()
    };
    Shrunk { scenario: story.scenario, world: story.world, taken: story.taken, cycle: story.cycle, trace, stages }
}

/// A budget as text.
fn text(budget: Budget) -> String {
    let faults: Vec<String> = named_faults(budget).iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    if faults.is_empty() { "none".into() } else { faults.join(", ") }
}

/// The budgets with one fault less.
fn one_less(budget: Budget) -> impl Iterator<Item = Budget> {
    budget.iter().filter(|(_, n)| *n > 0).map(move |(fault, n)| budget.with(fault, n - 1))
}

fn faults(story: &mut Story, property: &Property, limits: &Limits, stages: &mut Vec<Stage>) -> Result<(), String> {
    let before = story.scenario.budget();
    let mut open;
    loop {
        // What the steps do not use is not needed.
        let used = story.used();
        if used != story.scenario.budget()
            && story.cycle == 0
            && let Some(tighter) = steps::again(&story.scenario.clone().with_budget(used), &story.steps(), property)?
        {
            *story = tighter;
        }
        let mut smaller = None;
        open = Vec::new();
        for budget in one_less(story.scenario.budget()) {
            let candidate = story.scenario.clone().with_budget(budget);
            match search::story(&candidate, property, limits)? {
                Ok(found) => smaller = found,
                Err(cut) => {
                    smaller = steps::relaxed(&candidate, &story.steps(), property)?;
                    open.push(format!("{} ({cut})", text(budget)));
                }
            }
            if smaller.is_some() {
                break;
            }
        }
        match smaller {
            Some(smaller) => *story = smaller,
            None => break,
        }
    }
    let after = story.scenario.budget();
    stages.push(Stage {
        what: "faults",
        before: text(before),
        after: text(after),
        proved: open.is_empty(),
        because: match (open.is_empty(), after == Budget::default()) {
            (true, true) => "no fault is needed".into(),
            (true, false) => "with one fault less no order of events violates it so".into(),
            (false, _) => format!("less was not searched to the end: {}", open.join("; ")),
        },
    });
    Ok(())
}

/// Whether the repaired program holds with so many clients in all (its own number where that is smaller); the inner error says
/// why that is not so, or not known.
fn repair_holds(
    repair: Option<&Scenario>,
    size: usize,
    budget: Budget,
    property: &Property,
    limits: &Limits,
) -> Result<Result<(), String>, String> {
    let Some(repair) = repair else { return Ok(Ok(())) };
    let others = repair.clone().with_clients(0).size();
    let Some(count) = size.min(repair.size()).checked_sub(others) else {
        return Ok(Err(format!("the repaired {:?} cannot have so few", repair.name())));
    };
    let world = repair.clone().with_clients(count).with_budget(budget).world()?;
    let same: Vec<Property> = repair.judged_by().iter().filter(|p| p.name == property.name).cloned().collect();
    let judged = if same.is_empty() { repair.judged_by() } else { &same };
    Ok(match search::decide(&world, judged, limits)? {
        Decided::Clean | Decided::Idle(_) => Ok(()),
        Decided::Violated(_) => Err(format!("the repaired {:?} does not hold either", repair.name())),
        Decided::Cut(why) => Err(format!("whether the repaired {:?} holds was not decided: {why}", repair.name())),
    })
}

fn clients(
    story: &mut Story,
    repair: Option<&Scenario>,
    property: &Property,
    limits: &Limits,
    stages: &mut Vec<Stage>,
) -> Result<(), String> {
    let (before, budget) = (story.scenario.size(), story.scenario.budget());
    let full = story.scenario.clone();
    let others = full.clone().with_clients(0).size();
    // Other groups alone make a world too.
    let fewest = others.max(1);
    let holds = |size: usize| repair_holds(repair, size, budget, property, limits);
    let mut open = Vec::new();
    let mut unfit = Vec::new();
    for size in fewest..before {
        let candidate = full.clone().with_clients(size - others);
        let found = match search::story(&candidate, property, limits)? {
            Ok(found) => found,
            Err(cut) => {
                open.push(format!("{size} ({cut})"));
                None
            }
        };
        if let Some(found) = found {
            match holds(size)? {
                Ok(()) => {
                    *story = found;
                    break;
                }
                Err(why) => unfit.push(format!("with {size} {why}")),
            }
        }
    }
    // Where the search was cut off, the other clients may do without one of them.
    while !open.is_empty() && story.scenario.size() > fewest {
        let size = story.scenario.size() - 1;
        let candidate = full.clone().with_clients(size - others);
        let without = (0..story.scenario.size()).rev().find_map(|slot| {
            let left = steps::without_client(&story.steps(), slot);
            steps::relaxed(&candidate, &left, property).transpose()
        });
        match without.transpose()? {
            Some(smaller) => match holds(size)? {
                Ok(()) => *story = smaller,
                Err(why) => {
                    unfit.push(format!("with {size} {why}"));
                    break;
                }
            },
            None => break,
        }
    }
    let after = story.scenario.size();
    let undecided = unfit.iter().any(|why| why.contains("was not decided"));
    open.retain(|tried| tried.split(' ').next().and_then(|n| n.parse().ok()).is_some_and(|n: usize| n < after));
    stages.push(Stage {
        what: "clients",
        before: before.to_string(),
        after: after.to_string(),
        proved: open.is_empty() && !undecided,
        because: match open.is_empty() {
            true if after == fewest => "a world cannot have fewer".into(),
            true if !unfit.is_empty() => unfit.join("; "),
            true => "with fewer clients no order of events violates it so".into(),
            false => format!("fewer were not searched to the end: {}", open.join("; ")),
        },
    });
    Ok(())
}

fn shortest_steps(
    story: &mut Story,
    property: &Property,
    limits: &Limits,
    before: usize,
    stages: &mut Vec<Stage>,
) -> Result<(), String> {
    let now = story.taken.len();
    let mut cut_off = None;
    if !story.shortest {
        match search::story(&story.scenario, property, limits)? {
            Ok(Some(found)) if found.taken.len() <= now => *story = found,
            Ok(_) => {}
            Err(cut) => {
                if let Some(fewer) = steps::fewer(&story.scenario, &story.steps(), property)? {
                    *story = fewer;
                }
                cut_off = Some(cut);
            }
        }
    }
    let proved = story.shortest;
    stages.push(Stage {
        what: "steps",
        before: before.to_string(),
        after: story.taken.len().to_string(),
        proved,
        because: match cut_off {
            _ if proved => "within these bounds no shorter way leads there".into(),
            Some(cut) => format!("none of them can be left out, but other ways were not searched to the end ({cut})"),
            None if matches!(property.kind, Kind::Eventually(_)) => {
                "a way and a round that repeats, not the shortest of all".into()
            }
            None => "the search came to no shorter way".into(),
        },
    });
    Ok(())
}
