//! The states of a scenario without faults (but with items that expire) as a graph whose edges are clocks: what is pending in a state, how long it takes, and
//! which clocks run on when one of them has run out.
//!
//! States that violate a property are one node, and so are all from which none can be reached any more.

use overtake_sim::program::local_ops;
use overtake_sim::stores::{Inner, dht};
use overtake_sim::world::{Budget, Engine, Fault, Flight, Reductions, Step, StepKind};
use rustc_hash::FxHashMap;

use super::spans::Spans;
use crate::sample::Judge;
use crate::scenario::Scenario;
use crate::timed::{Timing, renewed};

/// The node of all states that violate a property.
pub(super) const VIOLATED: u32 = 0;
/// The node of all states from which no violation can be reached.
pub(super) const SAFE: u32 = 1;
/// In a list of carried clocks: the clock starts anew.
pub(super) const ANEW: u8 = u8::MAX;
/// In a list of carried clocks: a call that had to wait at its store goes on.
pub(super) const WAITED: u8 = ANEW - 1;
/// Most events that can be pending in one state.
const MOST_PENDING: usize = 200;

/// Something that is pending in a node.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Number of its span.
    pub span: u16,
    /// The client whose it is, if it waits for that client to begin.
    pub client: Option<u8>,
    /// Among how many equally likely ones it is one, all of which take no time; 0 for none.
    pub choices: u8,
    /// The node that it leads to.
    pub next: u32,
    /// For each event that is pending there the one here whose clock goes on, or [`ANEW`], or [`WAITED`].
    pub carried: Vec<u8>,
}

/// The graph.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(super) nodes: Vec<Vec<Pending>>,
    /// Least number of steps to a violation, `u32::MAX` where there is none.
    pub(super) distance: Vec<u32>,
    pub(super) start: u32,
    pub(super) spans: Spans,
    pub(super) clients: usize,
    /// States that were met, violating and safe ones among them.
    pub states: usize,
    /// Names of the properties that some state violates.
    pub violated: Vec<&'static str>,
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGraph {
    /// There are more states than allowed.
    TooLarge(usize),
    /// A program broke the rules, or the scenario makes no world.
    Broken(String),
}

/// What makes an event the same in two states.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// The head of a wire, or something at a server.
    Wire(StepKind, u8, u16),
    /// A wait of a program's own, by its place among those of its client.
    Wait(u8, usize),
    /// An open call of a client, or the answer to it, by its number.
    Call(StepKind, u8, usize),
    /// What a store does by itself.
    Inner(Inner),
}

/// A state that was met.
#[derive(Clone, Debug, Default)]
struct Met {
    row: Vec<u32>,
    missed: u64,
    steps: Vec<Step>,
}

struct Builder<'a, 'w> {
    timing: &'a Timing,
    engine: Engine<'w>,
    judge: Judge<'w>,
    numbers: FxHashMap<(Vec<u32>, u64), u32>,
    met: Vec<Met>,
    spans: Spans,
    violated: u64,
    states: usize,
}

impl Graph {
    /// The graph of the scenario without faults, of at most that many states.
    ///
    /// # Errors
    /// When it is too large, or a program breaks the rules.
    pub fn of(scenario: &Scenario, timing: &Timing, most: usize) -> Result<Self, NoGraph> {
        let expiries = scenario.budget().key_expiries;
        let budget = Budget::default().with(Fault::KeyExpiry, expiries);
        let scenario = scenario.clone().with_budget(budget).timed();
        let world = scenario.world().map_err(NoGraph::Broken)?;
        let mut engine = Engine::new(&world, Reductions { renumber: true, ..Reductions::NONE });
        let judge = Judge::new(&mut engine, scenario.judged_by());
        let mut builder = Builder {
            timing,
            engine,
            judge,
            numbers: FxHashMap::default(),
            met: vec![Met::default(); 2],
            spans: Spans::default(),
            violated: 0,
            states: 0,
        };
        let (start, nodes) = builder.explore(most)?;
        if let Some(error) = world.error() {
            return Err(NoGraph::Broken(error.to_string()));
        }
        let names = scenario.judged_by().iter().enumerate();
        let violated = names.filter(|(id, _)| builder.violated >> id & 1 == 1).map(|(_, property)| property.name);
        let mut graph = Self {
            distance: super::distance::to(VIOLATED, &nodes),
            nodes,
            start,
            spans: builder.spans,
            clients: world.setup().clients.len(),
            states: builder.states,
            violated: violated.collect(),
        };
        graph.make_safe();
        Ok(graph)
    }

    /// Makes one node of all from which no violation can be reached.
    fn make_safe(&mut self) {
        let safe = |distance: &[u32], node: u32| if distance[node as usize] == u32::MAX { SAFE } else { node };
        for node in 0..self.nodes.len() {
            if self.distance[node] == u32::MAX {
                self.nodes[node] = Vec::new();
            }
            for pending in &mut self.nodes[node] {
                pending.next = safe(&self.distance, pending.next);
                if pending.next == SAFE {
                    pending.carried = Vec::new();
                }
            }
        }
        self.start = safe(&self.distance, self.start);
    }

    /// Whether a violation can be reached at all.
    pub fn can_go_wrong(&self) -> bool {
        self.start != SAFE
    }

    /// Least number of steps to a violation.
    pub fn steps_to_violation(&self) -> Option<u32> {
        Some(self.distance[self.start as usize]).filter(|distance| *distance < u32::MAX)
    }
}

impl Builder<'_, '_> {
    /// Meets every state, breadth first; answers the first node and all of them.
    fn explore(&mut self, most: usize) -> Result<(u32, Vec<Vec<Pending>>), NoGraph> {
        let mut nodes: Vec<Vec<Pending>> = vec![Vec::new(); 2];
        self.judge.begin();
        let initial = self.engine.initial();
        let start = self.meet(initial, 0);
        let mut at = 2;
        while at < self.met.len() {
            if self.met.len() > most {
                return Err(NoGraph::TooLarge(most));
            }
            let met = self.met[at].clone();
            nodes.push(self.expand(&met)?);
            at += 1;
        }
        Ok((start, nodes))
    }

    /// The number of the node of the state to which a step leads that sent so many watch events.
    fn meet(&mut self, row: Vec<u32>, notified: u8) -> u32 {
        let mut steps = Vec::new();
        let forced = self.engine.enabled(&row, &mut steps);
        steps.retain(|step| !step.is_fault() || step.kind == StepKind::StoreFault);
        if let Some(property) = self.judge.look(&mut self.engine, &row, notified, forced == 0) {
            self.violated |= 1 << property;
            self.states += 1;
            return VIOLATED;
        }
        if forced == 0 {
            self.states += 1;
            return SAFE;
        }
        let missed = self.judge.missed();
        let next = self.met.len() as u32;
        let number = *self.numbers.entry((row.clone(), missed)).or_insert(next);
        if number == next {
            self.states += 1;
            self.met.push(Met { row, missed, steps });
        }
        number
    }

    fn expand(&mut self, met: &Met) -> Result<Vec<Pending>, NoGraph> {
        let world = self.engine.world();
        let mut timed = Vec::new();
        for &step in &met.steps {
            match self.spans.of(self.timing, world, &met.row, step) {
                Some((span, choices)) => timed.push((step, span, choices)),
                None => return Err(NoGraph::Broken(format!("the step {:?} has no time of its own here", step.kind))),
            }
        }
        let from = self.identities(&met.row, &met.steps);
        let mut pendings = Vec::with_capacity(timed.len());
        for (step, span, choices) in timed {
            let mut row = met.row.clone();
            self.judge.resume(met.missed);
            let notified = self.engine.take(&mut row, step);
            let next = self.meet(row, notified);
            let carried = match next {
                VIOLATED | SAFE => Vec::new(),
                next => self.carried(met, &from, step, next),
            };
            if carried.len() > MOST_PENDING {
                return Err(NoGraph::Broken(format!("more than {MOST_PENDING} things are pending at once")));
            }
            let client = step.client().map(|slot| slot as u8);
            pendings.push(Pending { span, client, choices, next, carried });
        }
        Ok(pendings)
    }

    fn identities(&self, row: &[u32], steps: &[Step]) -> Vec<Identity> {
        let view = self.engine.world().view(row);
        let identity = |step: &Step| match step.kind {
            StepKind::Local | StepKind::Write | StepKind::Interrupt => {
                let key = view.client(usize::from(step.slot)).key();
                let place =
                    key.and_then(|key| local_ops(key).position(|(position, _)| u16::from(position) == step.arg & 0xFF));
                Identity::Wait(step.slot, place.unwrap_or(usize::MAX))
            }
            StepKind::Call | StepKind::Answer => Identity::Call(step.kind, step.slot, usize::from(step.arg & 0xFF)),
            StepKind::Store | StepKind::StoreFault => {
                Identity::Inner(view.stores().inner().swap_remove(usize::from(step.arg)))
            }
            kind => Identity::Wire(kind, step.slot, step.arg),
        };
        steps.iter().map(identity).collect()
    }

    /// For each event in the next node the one here whose clock goes on.
    fn carried(&self, met: &Met, from: &[Identity], step: Step, next: u32) -> Vec<u8> {
        let to = &self.met[next as usize];
        let view = self.engine.world().view(&met.row);
        let taken = met.steps.iter().position(|other| *other == step);
        let waits = self.waits(met, step, &to.row);
        let renewed = renewed(&view, step);
        let source = |identity: &Identity| {
            let before = match identity {
                Identity::Wait(slot, place) if *slot == step.slot && waits.is_some() => {
                    Identity::Wait(*slot, waits.as_ref().and_then(|waits| waits[*place])?)
                }
                Identity::Call(kind, slot, number) => {
                    // An answer takes its call away; those that are sent afterwards come behind.
                    let answered = step.kind == StepKind::Answer || step.kind == StepKind::Call && waits.is_some();
                    let gone = answered && *slot == step.slot;
                    let behind = gone && *number >= usize::from(step.arg & 0xFF);
                    let number = number + usize::from(behind);
                    let before = Identity::Call(*kind, *slot, number);
                    let open = view.client(usize::from(*slot)).flights().get(number);
                    let waits = matches!(open, Some(Flight::Sent | Flight::Going(_))) && !from.contains(&before);
                    if waits && *kind == StepKind::Call {
                        return Some(WAITED);
                    }
                    before
                }
                Identity::Inner(Inner::Dht(dht::Inner::Expires(node, key))) if renewed == Some((*node, *key)) => {
                    return None;
                }
                other => other.clone(),
            };
            let at = from.iter().position(|other| *other == before)?;
            (Some(at) != taken).then_some(at as u8)
        };
        self.identities(&to.row, &to.steps).iter().map(|identity| source(identity).unwrap_or(ANEW)).collect()
    }

    /// For each wait of the program that the step moves, as it is afterwards, its place before; `None` where the step moves no
    /// program. Waits stand in the order of their making, so the new ones are the last.
    fn waits(&self, met: &Met, step: Step, to: &[u32]) -> Option<Vec<Option<usize>>> {
        let world = self.engine.world();
        let made = world.made(&met.row, step)?;
        let slot = usize::from(step.slot);
        let own = matches!(step.kind, StepKind::Local | StepKind::Write | StepKind::Interrupt);
        let (before, after) = (world.view(&met.row).client(slot).key()?, world.view(to).client(slot).key()?);
        let before: Vec<_> = local_ops(before).enumerate().collect();
        let is_taken = |position: u8| own && u16::from(position) == step.arg & 0xFF;
        let mut before = before.into_iter().filter(|(_, (position, _))| !is_taken(*position));
        let old = local_ops(after).count().saturating_sub(made);
        let place = |(at, (_, view)): (usize, (u8, _))| {
            if at >= old {
                return None;
            }
            before
                .clone()
                .position(|(_, (_, other))| other == view)
                .map(|skip| before.nth(skip).expect("it is there").0)
        };
        Some(local_ops(after).enumerate().map(place).collect())
    }
}
