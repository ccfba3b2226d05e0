//! Exact answers where every time is exponential: the field is a Markov chain, and the probability of ending in a violation is
//! the solution of one linear equation for each state.
//!
//! In a state whose clocks have the rates r₁ … rₖ, clock i is the first to run out with probability rᵢ / (r₁ + … + rₖ), whatever came
//! before. So the probability h of going wrong is h = Σ rᵢ · h(next by i) / Σ rᵢ, with h = 1 in a violation and 0 where none can be
//! reached. States are solved in an order in which those that they lead to come first: one pass is the solution where there
//! is no way back, and elsewhere passes are repeated until nothing changes. All terms are positive, so nothing cancels, and a
//! probability of 1e-12 has as many digits as one of 0.5.

use rustc_hash::FxHashMap;

use super::field::Field;
use super::graph::{ANEW, SAFE, VIOLATED, WAITED};

/// Passes after which a solution that still changes is given up.
const MOST_PASSES: usize = 1_000_000;
/// States of the chain beyond which it is given up.
const MOST_STATES: usize = 4_000_000;
/// Bits for the stage of one clock.
const STAGE_BITS: usize = 2;

/// The solution of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The probability of going wrong.
    pub value: f64,
    /// States of the chain.
    pub states: usize,
    /// Passes over them.
    pub passes: usize,
}

/// The ways out of a state: probability and next state.
type Ways = Vec<(f64, u32)>;

/// The probability that the field goes wrong, where every time is exponential.
///
/// # Errors
/// A sentence, when a time is not exponential, or there are too many states, or the solution does not settle.
pub fn exact(field: &Field) -> Result<Solved, String> {
    if !field.is_markov() {
        return Err("only exponential times have an exact answer".into());
    }
    if field.start == SAFE {
        return Ok(Solved { value: 0.0, states: 1, passes: 0 });
    }
    // A state is a node and the stage of each of its clocks.
    let mut numbers: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    let mut known = vec![(VIOLATED, 0), (SAFE, 0)];
    let mut ways: Vec<Ways> = vec![Vec::new(); 2];
    let mut number = |known: &mut Vec<(u32, u64)>, node: u32, stages: u64| {
        if node == VIOLATED || node == SAFE {
            return node;
        }
        let next = known.len() as u32;
        let number = *numbers.entry((node, stages)).or_insert(next);
        if number == next {
            known.push((node, stages));
        }
        number
    };
    let start = number(&mut known, field.start, 0);
    while ways.len() < known.len() {
        if known.len() > MOST_STATES {
            return Err(format!("the chain has more than {MOST_STATES} states"));
        }
        let (node, stages) = known[ways.len()];
        let entries = &field.nodes[node as usize];
        let most = entries.iter().map(|entry| entry.carried.len()).fold(entries.len(), usize::max);
        if most * STAGE_BITS > 64 {
            return Err(format!("{most} clocks run at once, which is too many for an exact answer"));
        }
        let stage = |at: usize| (stages >> (STAGE_BITS * at) & ((1 << STAGE_BITS) - 1)) as usize;
        let at_once = field.at_once(node, |at| stage(at) as u8);
        let rate = |at: usize| match &at_once {
            Some(group) => f64::from(u8::from(group.contains(&at))),
            None => 1.0 / field.laws[entries[at].stages[stage(at)] as usize].mean(),
        };
        let sum: f64 = (0..entries.len()).map(rate).sum();
        let mut out = Ways::new();
        for (at, entry) in entries.iter().enumerate().filter(|(at, _)| rate(*at) > 0.0) {
            let (next, moved) = if stage(at) + 1 < entry.stages.len() {
                (node, stages + (1 << (STAGE_BITS * at)))
            } else {
                let begins = |to: usize| u64::from(field.nodes[entry.next as usize][to].waited) << (STAGE_BITS * to);
                let stages = entry.carried.iter().enumerate().map(|(to, from)| match *from {
                    ANEW => 0,
                    WAITED => begins(to),
                    from => (stage(from.into()) as u64) << (STAGE_BITS * to),
                });
                (entry.next, stages.fold(0, |all, one| all | one))
            };
            out.push((rate(at) / sum, number(&mut known, next, moved)));
        }
        ways.push(out);
    }
    let (values, passes) = solve(&ways, start)?;
    Ok(Solved { value: values[start as usize], states: ways.len(), passes })
}

/// For each node the probability of going wrong if every time were exponential with the mean it has: what leads runs towards
/// violations where the times are others.
pub(super) fn companion(field: &Field) -> Result<Vec<f64>, String> {
    let mean = |stages: &[u16]| stages.iter().map(|law| field.laws[*law as usize].mean()).sum::<f64>();
    let ways: Vec<Ways> = (0..field.nodes.len() as u32)
        .map(|node| {
            let entries = &field.nodes[node as usize];
            let at_once = field.at_once(node, |_| 0);
            let rate = |at: usize| match &at_once {
                Some(group) => f64::from(u8::from(group.contains(&at))),
                None => 1.0 / mean(&entries[at].stages),
            };
            let sum: f64 = (0..entries.len()).map(rate).sum();
            let way = |at: usize| (rate(at) / sum, entries[at].next);
            (0..entries.len()).filter(|at| rate(*at) > 0.0).map(way).collect()
        })
        .collect();
    Ok(solve(&ways, field.start)?.0)
}

/// The probability of coming to a violation from each state that the start leads to, and the passes that it took.
fn solve(ways: &[Ways], start: u32) -> Result<(Vec<f64>, usize), String> {
    let order = last_first(ways, start);
    let mut values = vec![0.0; ways.len()];
    values[VIOLATED as usize] = 1.0;
    for pass in 1..=MOST_PASSES {
        let mut change: f64 = 0.0;
        for &state in &order {
            let (mut sum, mut stays) = (0.0, 0.0);
            for &(probability, next) in &ways[state as usize] {
                if next == state { stays += probability } else { sum += probability * values[next as usize] }
            }
            let value = if stays < 1.0 { sum / (1.0 - stays) } else { 0.0 };
            let old = std::mem::replace(&mut values[state as usize], value);
            if value > 0.0 {
                change = change.max((value - old).abs() / value);
            }
        }
        // The first pass finds everything where there is no way back, and the second nothing new.
        if change < 1e-15 {
            return Ok((values, pass));
        }
    }
    Err(format!("the probabilities still change after {MOST_PASSES} passes"))
}

/// The states that the start leads to, those that a state leads to before it as far as there is no way back.
fn last_first(ways: &[Ways], start: u32) -> Vec<u32> {
    let mut order = Vec::new();
    let mut met = vec![false; ways.len()];
    (met[VIOLATED as usize], met[SAFE as usize]) = (true, true);
    let mut stack = vec![(start, 0)];
    met[start as usize] = true;
    while let Some((state, at)) = stack.last_mut() {
        match ways[*state as usize].get(*at) {
            Some(&(_, next)) => {
                *at += 1;
                if !std::mem::replace(&mut met[next as usize], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                order.push(*state);
                stack.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gambler with 3 of 10 who wins with probability 0.4: ((q/p)³ - 1) / ((q/p)¹⁰ - 1) (Feller, XIV.2).
    #[test]
    fn ways_back_are_followed_to_the_end() {
        // States 2 to 10 stand for 1 to 9 in hand; all is won in a "violation".
        let place = |hand: u32| match hand {
            0 => SAFE,
            10 => VIOLATED,
            hand => hand + 1,
        };
        let mut ways: Vec<Ways> = vec![Vec::new(); 11];
        for hand in 1..10 {
            ways[place(hand) as usize] = vec![(0.4, place(hand + 1)), (0.6, place(hand - 1))];
        }
        let (values, passes) = solve(&ways, place(3)).expect("a solution");
        let expected = (1.5f64.powi(3) - 1.0) / (1.5f64.powi(10) - 1.0);
        assert!((values[place(3) as usize] - expected).abs() < 1e-12 && passes > 2, "{passes}");
    }

    #[test]
    fn a_state_that_stays_is_left_in_the_end() {
        let ways = vec![vec![], vec![], vec![(0.9, 2), (0.075, VIOLATED), (0.025, SAFE)]];
        assert!((solve(&ways, 2).expect("a solution").0[2] - 0.75).abs() < 1e-15);
    }
}
