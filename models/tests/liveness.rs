//! The fair liveness search on models small enough to see through.

use overtake_models::replay::judge;
use overtake_models::search::{Limits, fair_liveness};
use overtake_models::space::{Expanded, Space, Worker};
use overtake_models::{Options, Verdict, check, scenarios};

/// A graph given by its edges: (from, class, to). Class 0 is a fault.
struct Edges(&'static [(u32, u16, u32)]);

struct EdgesWorker(&'static [(u32, u16, u32)]);

impl Space for Edges {
    type Step = u16;
    type Worker<'a> = EdgesWorker;

    fn width(&self) -> usize {
        1
    }

    fn worker(&self) -> EdgesWorker {
        EdgesWorker(self.0)
    }

    fn properties(&self) -> usize {
        0
    }

    fn error(&self) -> Option<String> {
        None
    }

    fn fair_class(&self, step: u16) -> Option<u16> {
        (step != 0).then_some(step)
    }
}

impl Worker for EdgesWorker {
    type Step = u16;

    fn initial(&mut self) -> Vec<Vec<u32>> {
        vec![vec![0]]
    }

    fn expand(&mut self, row: &[u32], mut emit: impl FnMut(u16, u8, &[u32])) -> Expanded {
        for (_, class, to) in self.0.iter().filter(|e| e.0 == row[0]) {
            emit(*class, 0, &[*to]);
        }
        Expanded::default()
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Steps of the stem and of the loop of a fair run from 0 that never reaches 9.
fn lasso(edges: &'static [(u32, u16, u32)]) -> Option<(Vec<u16>, Vec<u16>)> {
    let answer = fair_liveness(&Edges(edges), &|row| row[0] == 9, &Limits::default()).unwrap();
    answer.lasso.map(|l| (l.stem.steps, l.cycle.steps))
}

#[test]
fn a_run_that_rests_elsewhere_misses_the_goal() {
    assert_eq!(lasso(&[(0, 1, 1)]), Some((vec![1], vec![])));
    assert_eq!(lasso(&[(0, 1, 9)]), None);
    // Only a fault leads on, and nothing forces a fault.
    assert_eq!(lasso(&[(0, 0, 9)]), Some((vec![], vec![])));
}

#[test]
fn a_loop_is_fair_only_when_it_takes_what_is_always_enabled() {
    // Class 2 is enabled all the way round and leads to the goal.
    assert_eq!(lasso(&[(0, 1, 1), (1, 1, 0), (0, 2, 9), (1, 2, 9)]), None);
    // In state 1 it is not enabled, so going round for ever is fair.
    assert_eq!(lasso(&[(0, 1, 1), (1, 1, 0), (0, 2, 9)]), Some((vec![], vec![1, 1])));
    // It is taken inside the loop too.
    assert!(lasso(&[(0, 1, 1), (1, 1, 0), (0, 2, 9), (1, 2, 0)]).is_some());
    // A loop through the goal misses nothing.
    assert_eq!(lasso(&[(0, 1, 9), (9, 1, 0)]), None);
    // A loop of one state.
    assert_eq!(lasso(&[(0, 1, 1), (1, 2, 1)]), Some((vec![1], vec![2])));
}

#[test]
fn two_who_step_aside_for_each_other_can_do_so_for_ever() {
    let all = scenarios::all();
    let polite = all.iter().find(|s| s.name() == "polite lock").unwrap();
    let checked = check(polite, &Options::default()).unwrap();
    let Verdict::Falsified(findings) = &checked.verdict else { panic!("{:?}", checked.verdict) };
    let finding = &findings[0];
    assert_eq!(finding.property, "everybody ends");
    assert!(finding.cycle > 0);
    let property = polite.judged_by().iter().find(|p| p.name == "everybody ends").unwrap();
    assert!(judge(&checked.world, &finding.taken, finding.cycle, property).is_some());
    // Half of the loop is no loop.
    assert_eq!(judge(&checked.world, &finding.taken, finding.cycle - 1, property), None);
}
