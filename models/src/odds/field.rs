//! The graph of a scenario together with who has begun: one race of clocks after the other until something goes wrong or
//! nothing can any more.

use rustc_hash::FxHashMap;

use super::graph::{ANEW, Graph, SAFE, VIOLATED, WAITED};
use super::law::Law;
use super::starts::Starts;

/// A clock that runs in a node, and what happens when it has run out.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The laws of its stages, by number.
    pub stages: Box<[u16]>,
    /// The stage in which it begins where it had to wait; as many as there are stages: it is over at once.
    pub waited: u8,
    /// The client whose beginning it is.
    pub begins: Option<u8>,
    /// Among how many equally likely entries it is one, all of which take no time; 0 for none.
    pub choices: u8,
    /// The node that it leads to.
    pub next: u32,
    /// For each entry there the one here whose clock goes on, or [`ANEW`], or [`WAITED`].
    pub carried: Box<[u8]>,
}

/// Nodes and their clocks.
#[derive(Clone, Debug)]
pub struct Field {
    pub(super) nodes: Vec<Vec<Entry>>,
    pub(super) distance: Vec<u32>,
    pub(super) laws: Vec<Law>,
    pub(super) start: u32,
    pub(super) clients: usize,
    pub(super) starts: Starts,
}

/// A node of the field: a node of the graph, and bits of the clients that have begun.
type Place = (u32, u16);

/// Where an entry of a node comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The event of that number in the graph's node.
    Event(usize),
    /// A client begins.
    Begins(u8),
}

struct Weaver<'g> {
    graph: &'g Graph,
    starts: Starts,
    laws: Vec<Law>,
    /// Numbers of the laws of beginnings, by how many clients have not begun.
    beginnings: Vec<u16>,
    numbers: FxHashMap<Place, u32>,
    places: Vec<Place>,
}

impl Field {
    /// The graph with clients that begin like that.
    pub fn new(graph: &Graph, starts: Starts) -> Self {
        let everybody = ((1u32 << graph.clients) - 1) as u16;
        let mut laws = graph.spans.laws.clone();
        let mut law = |law| {
            laws.push(law);
            (laws.len() - 1) as u16
        };
        let beginning = |waiting: usize| match starts {
            // Somebody is the first, at once.
            Starts::AtOnce => Law::Constant(0.0),
            Starts::Arriving(_) if waiting == graph.clients => Law::Constant(0.0),
            Starts::Within(period) => Law::Uniform(0.0, period as f64),
            // Each of those who wait comes next with the same probability, and one of them after the mean gap.
            Starts::Arriving(gap) => Law::Exponential(gap as f64 * waiting.max(1) as f64),
        };
        let beginnings = (0..=graph.clients).map(|waiting| law(beginning(waiting))).collect();
        let mut weaver = Weaver {
            graph,
            starts,
            laws,
            beginnings,
            numbers: FxHashMap::default(),
            places: vec![(VIOLATED, 0), (SAFE, 0)],
        };
        let begun = if starts == Starts::AtOnce { everybody } else { 0 };
        let start = weaver.number((graph.start, begun));
        let mut nodes: Vec<Vec<Entry>> = vec![Vec::new(); 2];
        while nodes.len() < weaver.places.len() {
            let place = weaver.places[nodes.len()];
            nodes.push(weaver.entries(place));
        }
        let distance = weaver.places.iter().map(|(node, _)| graph.distance[*node as usize]).collect();
        Self { nodes, distance, laws: weaver.laws, start, clients: graph.clients, starts }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing can go wrong in it.
    pub fn is_empty(&self) -> bool {
        self.start == SAFE
    }

    /// Whether every clock is exponential, or takes no time: then the field is a Markov chain.
    pub fn is_markov(&self) -> bool {
        let laws = |entry: &Entry| entry.stages.iter().all(|law| self.is_simple(*law));
        self.nodes.iter().flatten().all(laws)
    }

    /// A tenth of the shortest mean: what is close, where clients begin close to one another.
    pub(super) fn shortest(&self) -> f64 {
        // The last laws are those of beginnings.
        let steps = self.laws.len() - (self.clients + 1);
        let laws = self.laws[..steps].iter().filter(|law| !law.is_nothing());
        laws.map(|law| 0.1 * law.mean()).fold(1e9, f64::min)
    }

    fn is_simple(&self, law: u16) -> bool {
        let law = &self.laws[law as usize];
        law.is_memoryless() || law.is_nothing()
    }

    /// The entries of the node that happen at once, all equally likely; of several such things the first. `stage` tells in
    /// which stage a clock is.
    pub(super) fn at_once(&self, node: u32, stage: impl Fn(usize) -> u8) -> Option<std::ops::Range<usize>> {
        let entries = &self.nodes[node as usize];
        let is_over = |(at, entry): (usize, &Entry)| {
            let law = entry.stages.get(usize::from(stage(at)));
            law.is_none_or(|law| self.laws[*law as usize].is_nothing())
        };
        let first = entries.iter().enumerate().position(is_over)?;
        Some(first..first + usize::from(entries[first].choices.max(1)))
    }
}

impl Weaver<'_> {
    fn number(&mut self, (node, begun): Place) -> u32 {
        if node == VIOLATED || node == SAFE {
            return node;
        }
        let next = self.places.len() as u32;
        let number = *self.numbers.entry((node, begun)).or_insert(next);
        if number == next {
            self.places.push((node, begun));
        }
        number
    }

    /// What runs at the place, in order.
    fn origins(&self, (node, begun): Place) -> Vec<Origin> {
        let events = self.graph.nodes[node as usize].iter().enumerate();
        let running = events.filter(|(_, event)| event.client.is_none_or(|client| begun >> client & 1 == 1));
        let waiting = (0..self.graph.clients as u8).filter(|client| begun >> client & 1 == 0);
        running.map(|(at, _)| Origin::Event(at)).chain(waiting.map(Origin::Begins)).collect()
    }

    fn entries(&mut self, place: Place) -> Vec<Entry> {
        let (node, begun) = place;
        let origins = self.origins(place);
        let waiting = self.graph.clients - begun.count_ones() as usize;
        let entry = |origin: &Origin| match *origin {
            Origin::Event(at) => {
                let event = &self.graph.nodes[node as usize][at];
                let next = (event.next, begun);
                let carried = self.carried(&origins, next, |at| match event.carried.get(at) {
                    Some(&before) if before < WAITED => Ok(Origin::Event(before.into())),
                    other => Err(other.copied().unwrap_or(ANEW)),
                });
                let span = self.graph.spans.spans[event.span as usize].clone();
                let stages = span.stages.into();
                let choices = event.choices;
                (Entry { stages, waited: span.waited, begins: None, choices, next: 0, carried }, next)
            }
            Origin::Begins(client) => {
                let next = (node, begun | 1 << client);
                let own = |at: usize| self.graph.nodes[node as usize][at].client == Some(client);
                let carried =
                    self.carried(&origins, next, |at| if own(at) { Err(ANEW) } else { Ok(Origin::Event(at)) });
                let law = self.beginnings[waiting];
                let choices = if self.laws[law as usize].is_nothing() { waiting as u8 } else { 0 };
                (Entry { stages: [law].into(), waited: 0, begins: Some(client), choices, next: 0, carried }, next)
            }
        };
        let woven: Vec<(Entry, Place)> = origins.iter().map(entry).collect();
        woven.into_iter().map(|(entry, next)| Entry { next: self.number(next), ..entry }).collect()
    }

    /// For each entry of the next place the one here whose clock goes on; `before` tells it for the graph's events, or how they begin.
    fn carried(&self, here: &[Origin], next: Place, before: impl Fn(usize) -> Result<Origin, u8>) -> Box<[u8]> {
        if next.0 == VIOLATED || next.0 == SAFE {
            return Box::default();
        }
        let source = |origin: Origin| {
            let before = match origin {
                Origin::Event(at) => before(at)?,
                // With every arrival the next one begins to come.
                Origin::Begins(_) if matches!(self.starts, Starts::Arriving(_)) => return Err(ANEW),
                begins => begins,
            };
            here.iter().position(|other| *other == before).map(|at| at as u8).ok_or(ANEW)
        };
        self.origins(next).into_iter().map(|origin| source(origin).unwrap_or_else(|begins| begins)).collect()
    }
}
