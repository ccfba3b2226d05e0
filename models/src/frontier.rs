//! The fault frontier of a scenario: the smallest fault budgets that break it, and the largest that it survives.
//!
//! A fault that is allowed need not happen, so whatever a budget breaks, a larger one breaks too: the budgets that break
//! a scenario are those at or above the minimal ones, and each budget below the frontier is one proof.

use overtake_sim::world::{Budget, Fault};

use crate::property::Property;
use crate::scenario::Scenario;
use crate::search::Limits;
use crate::shrink::{Decided, decide};

/// A budget that breaks a scenario, and nothing smaller does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaking {
    /// The faults.
    pub budget: Budget,
    /// Names of properties that are violated; the search ends at the first violation, so there may be more.
    pub violated: Vec<&'static str>,
}

/// What is known of the budgets in a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// The minimal budgets that break the scenario.
    pub breaking: Vec<Breaking>,
    /// The maximal budgets of the box that it survives: proved by exhaustive search.
    pub surviving: Vec<Budget>,
    /// The maximal budgets under which nothing is violated, but something that is to happen sometimes never does: its names.
    /// That is no survival. Those below a surviving budget are left out.
    pub idle: Vec<(Budget, Vec<&'static str>)>,
    /// Budgets that could not be decided, and why.
    pub undecided: Vec<(Budget, String)>,
    /// Searches done.
    pub searches: usize,
}

impl Frontier {
    /// Whether a smaller budget is not decided, so that a breaking one may not be minimal.
    pub fn smaller_undecided(&self, budget: Budget) -> bool {
        self.undecided.iter().any(|(other, _)| *other != budget && within(*other, budget))
    }

    /// Whether a larger budget is not decided, so that a surviving one may not be maximal.
    pub fn larger_undecided(&self, budget: Budget) -> bool {
        self.undecided.iter().any(|(other, _)| *other != budget && within(budget, *other))
    }
}

/// The number of faults of a budget.
fn total(budget: Budget) -> u32 {
    budget.iter().map(|(_, n)| u32::from(n)).sum()
}

/// Whether every fault of `small` is in `large` too.
fn within(small: Budget, large: Budget) -> bool {
    small.iter().all(|(fault, n)| n <= large.get(fault))
}

/// The budgets of at most `most` faults, each kind bounded by `bounds`, small ones first. More restarts than crashes are
/// left out: nothing is dead that they could start.
fn budgets(bounds: Budget, most: u32) -> Vec<Budget> {
    let mut all = vec![Budget::default()];
    for fault in Fault::ALL {
        let with = |budget: &Budget| {
            let budget = *budget;
            (0..=bounds.get(fault)).map(move |n| budget.with(fault, n)).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).filter(|budget| total(*budget) <= most).collect();
    }
    all.retain(|budget| budget.restarts <= budget.crashes && budget.node_returns <= budget.node_losses);
    all.sort_by_key(|budget| total(*budget));
    all
}

/// Searches the box of budgets with at most `most` faults, each kind bounded by `bounds`; `started` is told each budget
/// before it is searched.
///
/// # Errors
/// A sentence, when the scenario makes no world, or a program broke the rules.
pub fn frontier(
    scenario: &Scenario,
    bounds: Budget,
    most: u32,
    limits: &Limits,
    mut started: impl FnMut(Budget),
) -> Result<Frontier, String> {
    let properties: &[Property] = scenario.judged_by();
    let mut frontier = Frontier::default();
    let mut survived: Vec<Budget> = Vec::new();
    for budget in budgets(bounds, most) {
        if frontier.breaking.iter().any(|breaking| within(breaking.budget, budget)) {
            continue;
        }
        if limits.stop.load(std::sync::atomic::Ordering::Relaxed) {
            frontier.undecided.push((budget, "interrupted".into()));
            continue;
        }
        started(budget);
        frontier.searches += 1;
        let world = scenario.clone().with_budget(budget).world()?;
        let names = |bits: u64| {
            let those = properties.iter().enumerate().filter(|(id, _)| bits >> id & 1 == 1);
            those.map(|(_, property)| property.name).collect::<Vec<_>>()
        };
        match decide(&world, properties, limits)? {
            Decided::Violated(bits) => frontier.breaking.push(Breaking { budget, violated: names(bits) }),
            Decided::Idle(bits) => frontier.idle.push((budget, names(bits))),
            Decided::Clean => survived.push(budget),
            Decided::Cut(why) => frontier.undecided.push((budget, why)),
        }
    }
    let maximal = |one: &&Budget| !survived.iter().any(|other| other != *one && within(**one, *other));
    frontier.surviving = survived.iter().filter(maximal).copied().collect();
    let idle: Vec<Budget> = frontier.idle.iter().map(|(budget, _)| *budget).collect();
    let above: Vec<Budget> = idle.iter().chain(&survived).copied().collect();
    frontier.idle.retain(|(one, _)| !above.iter().any(|other| other != one && within(*one, *other)));
    Ok(frontier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_has_every_budget_once_and_small_ones_first() {
        let bounds = Budget { expiries: 2, crashes: 1, restarts: 2, ..Budget::default() };
        let all = budgets(bounds, 2);
        // Without crashes 0, 1, 2 expiries; with one crash 0 or 1 expiries, or none and a restart.
        assert_eq!(all.len(), 6, "{all:?}");
        assert!(all.is_sorted_by_key(|budget| total(*budget)));
        assert_eq!(budgets(Budget::default(), 5), [Budget::default()]);
    }
}
