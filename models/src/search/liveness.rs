//! Weak-fairness liveness: does every fair run reach the goal? The answer to "no" is a stem and a loop.
//!
//! A run is fair when no class of steps is enabled from some point on for ever and never taken. Faults have no class:
//! nothing forces them. A run that comes to rest without the goal is a loop of no steps.

use rustc_hash::FxHashMap;

use super::table::fingerprint;
use super::{Limits, Path, Stopped, Watch};
use crate::space::{Space, Worker};

/// A run that never reaches the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<Step> {
    /// From the start to the loop.
    pub stem: Path<Step>,
    /// From the last state of the stem back to it; without steps where the run rests.
    pub cycle: Path<Step>,
}

/// What the liveness search found.
#[derive(Clone, Debug)]
pub struct Liveness<Step> {
    /// A fair run that never reaches the goal, if there is one.
    pub lasso: Option<Lasso<Step>>,
    /// States of the space.
    pub states: usize,
}

/// The whole graph of a space.
struct Graph<Step> {
    rows: Vec<u32>,
    width: usize,
    goal: Vec<bool>,
    /// First edge of each state; one more at the end.
    first: Vec<u32>,
    edges: Vec<(Step, u32)>,
    from: Vec<(u32, Option<Step>)>,
}

impl<Step: Copy> Graph<Step> {
    fn row(&self, at: u32) -> &[u32] {
        &self.rows[at as usize * self.width..(at as usize + 1) * self.width]
    }

    fn edges(&self, at: u32) -> &[(Step, u32)] {
        &self.edges[self.first[at as usize] as usize..self.first[at as usize + 1] as usize]
    }

    fn stem(&self, mut at: u32) -> Path<Step> {
        let mut path = Path { states: vec![self.row(at).to_vec()], steps: Vec::new() };
        while let (before, Some(step)) = self.from[at as usize] {
            at = before;
            path.states.push(self.row(at).to_vec());
            path.steps.push(step);
        }
        path.states.reverse();
        path.steps.reverse();
        path
    }
}

/// Looks for a fair run that never reaches a state of the goal. Needs the whole graph in memory.
pub fn fair_liveness<S: Space>(
    space: &S,
    goal: &dyn Fn(&[u32]) -> bool,
    limits: &Limits,
) -> Result<Liveness<S::Step>, Stopped> {
    let graph = build(space, goal, limits)?;
    let states = graph.goal.len();
    let resting = (0..states as u32).find(|&at| {
        !graph.goal[at as usize] && graph.edges(at).iter().all(|(step, _)| space.fair_class(*step).is_none())
    });
    if let Some(at) = resting {
        let here = Path { states: vec![graph.row(at).to_vec()], steps: Vec::new() };
        return Ok(Liveness { lasso: Some(Lasso { stem: graph.stem(at), cycle: here }), states });
    }
    let lasso = components(&graph).into_iter().find_map(|component| fair_cycle(space, &graph, &component));
    Ok(Liveness { lasso, states })
}

fn build<S: Space>(space: &S, goal: &dyn Fn(&[u32]) -> bool, limits: &Limits) -> Result<Graph<S::Step>, Stopped> {
    let watch = Watch::new(limits);
    let (mut worker, width) = (space.worker(), space.width());
    let mut graph =
        Graph { rows: Vec::new(), width, goal: Vec::new(), first: vec![0], edges: Vec::new(), from: Vec::new() };
    let mut known: FxHashMap<u64, u32> = FxHashMap::default();
    for row in worker.initial() {
        known.insert(fingerprint(&row), graph.from.len() as u32);
        graph.rows.extend(row);
        graph.from.push((0, None));
    }
    let mut at = 0;
    while at < graph.from.len() {
        let bytes = graph.rows.len() * 4 + graph.edges.len() * size_of::<(S::Step, u32)>() + graph.from.len() * 48;
        if bytes + space.bytes() > limits.memory {
            watch.stop(Stopped::Memory);
        }
        if watch.check(space.error().is_some()) {
            return Err(watch.stopped().expect("just stopped"));
        }
        let row = graph.row(at as u32).to_vec();
        let reached = goal(&row);
        graph.goal.push(reached);
        if reached {
            // What comes after the goal does not matter.
            graph.first.push(graph.edges.len() as u32);
            at += 1;
            continue;
        }
        let (rows, from, edges) = (&mut graph.rows, &mut graph.from, &mut graph.edges);
        worker.expand(&row, |step, _, next| {
            let to = *known.entry(fingerprint(next)).or_insert_with(|| {
                rows.extend_from_slice(next);
                from.push((at as u32, Some(step)));
                from.len() as u32 - 1
            });
            edges.push((step, to));
        });
        graph.first.push(graph.edges.len() as u32);
        at += 1;
    }
    if space.error().is_some() {
        return Err(Stopped::Error);
    }
    Ok(graph)
}

/// The strongly connected components of the states outside the goal that hold a cycle, by Tarjan without recursion.
fn components<Step: Copy>(graph: &Graph<Step>) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let states = graph.goal.len();
    let (mut index, mut low) = (vec![NEW; states], vec![0u32; states]);
    let mut on_stack = vec![false; states];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..states as u32 {
        if graph.goal[root as usize] || index[root as usize] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((at, edge)) = work.last_mut() {
            let (at, i) = (*at, *at as usize);
            if *edge == 0 && index[i] == NEW {
                (index[i], low[i]) = (count, count);
                count += 1;
                stack.push(at);
                on_stack[i] = true;
            }
            if let Some(&(_, to)) = graph.edges(at).get(*edge) {
                *edge += 1;
                let to_index = to as usize;
                if graph.goal[to_index] {
                    continue;
                }
                if index[to_index] == NEW {
                    work.push((to, 0));
                } else if on_stack[to_index] {
                    low[i] = low[i].min(index[to_index]);
                }
                continue;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[i]);
            }
            if low[i] == index[i] {
                let from = stack.iter().rposition(|s| *s == at).expect("on the stack");
                let component: Vec<u32> = stack.drain(from..).collect();
                component.iter().for_each(|s| on_stack[*s as usize] = false);
                if component.len() > 1 || graph.edges(at).iter().any(|(_, to)| *to == at) {
                    found.push(component);
                }
            }
        }
    }
    found
}

/// A fair cycle through the component, if there is one: for every class either a state in which it is not enabled, or
/// an edge that takes it. If some class has neither, no cycle inside the component is fair.
fn fair_cycle<S: Space>(space: &S, graph: &Graph<S::Step>, component: &[u32]) -> Option<Lasso<S::Step>> {
    let inside: FxHashMap<u32, ()> = component.iter().map(|s| (*s, ())).collect();
    let mut classes: Vec<u16> =
        component.iter().flat_map(|&at| graph.edges(at)).filter_map(|(step, _)| space.fair_class(*step)).collect();
    classes.sort_unstable();
    classes.dedup();
    let start = *component.iter().min().expect("not empty");
    let mut cycle = Path { states: vec![graph.row(start).to_vec()], steps: Vec::new() };
    let mut at = start;
    for class in classes {
        let of_class = |step: &S::Step| space.fair_class(*step) == Some(class);
        let idle = component.iter().find(|&&s| !graph.edges(s).iter().any(|(step, _)| of_class(step)));
        match idle {
            Some(&idle) => at = walk(graph, &inside, at, idle, &mut cycle),
            None => {
                let taken = component.iter().find_map(|&s| {
                    let edge = graph.edges(s).iter().find(|(step, to)| of_class(step) && inside.contains_key(to));
                    edge.map(|edge| (s, *edge))
                })?;
                let (from, (step, to)) = taken;
                walk(graph, &inside, at, from, &mut cycle);
                cycle.steps.push(step);
                cycle.states.push(graph.row(to).to_vec());
                at = to;
            }
        }
    }
    if cycle.steps.is_empty() {
        let (step, to) = *graph.edges(at).iter().find(|(_, to)| inside.contains_key(to)).expect("a cycle");
        cycle.steps.push(step);
        cycle.states.push(graph.row(to).to_vec());
        at = to;
    }
    walk(graph, &inside, at, start, &mut cycle);
    Some(Lasso { stem: graph.stem(start), cycle })
}

/// Goes the shortest way inside the component and adds it to the path; answers where it ends.
fn walk<Step: Copy>(
    graph: &Graph<Step>,
    inside: &FxHashMap<u32, ()>,
    from: u32,
    to: u32,
    path: &mut Path<Step>,
) -> u32 {
    let mut came: FxHashMap<u32, (u32, Step)> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at == to {
            break;
        }
        for &(step, next) in graph.edges(at) {
            if next != from && inside.contains_key(&next) && !came.contains_key(&next) {
                came.insert(next, (at, step));
                queue.push_back(next);
            }
        }
    }
    let mut back = Vec::new();
    let mut at = to;
    while at != from {
        let (before, step) = came[&at];
        back.push((step, at));
        at = before;
    }
    for (step, state) in back.into_iter().rev() {
        path.steps.push(step);
        path.states.push(graph.row(state).to_vec());
    }
    to
}
