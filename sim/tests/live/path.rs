//! What happens in a live run on one server is a path of the world, and ends where that path ends.

use overtake_recipes::{ParentLock, PredecessorLock, ZkError};
use overtake_sim::ensemble::Quirks;
use overtake_sim::live::{Delivery, End, Live, Observer};
use overtake_sim::names::Text;
use overtake_sim::program::{Naming, Program};
use overtake_sim::world::{Budget, ClientSetup, Engine, Reductions, Setup, StepKind, World};
use overtake_sim::zookeeper::{Request, Response, Stat, ZooKeeper};

use super::{busy, locking, server, setup, wires};

/// The steps that a live run takes, as the world names them.
#[derive(Default)]
struct Steps(Vec<(StepKind, usize, Option<u8>)>);

impl Observer for Steps {
    fn served(&mut self, _: u64, client: usize, _: &Request, _: &Result<Response, ZkError>) {
        self.0.push((StepKind::Serve, client, None));
    }

    fn refused(&mut self, _: u64, client: usize) {
        self.0.push((StepKind::Serve, client, None));
    }

    fn delivered(&mut self, _: u64, client: usize, _: Delivery<'_>) {
        self.0.push((StepKind::Deliver, client, None));
    }

    fn fired(&mut self, _: u64, client: usize, choice: Option<u8>) {
        self.0.push((StepKind::Local, client, choice));
    }
}

fn world(programs: &[Program]) -> World {
    let client = |i: usize| ClientSetup::new(format!("client {}", i + 1), i as u16);
    World::new(Setup {
        zookeeper: server(),
        followers: 0,
        quirks: Quirks::default(),
        resource: false,
        stores: Default::default(),
        records: false,
        programs: programs.to_vec(),
        clients: (0..programs.len()).map(client).collect(),
        budget: Budget::default(),
        naming: Naming::default(),
        calls_are_steps: false,
        zxids: true,
    })
}

/// Follows the steps. `Err`: the number of the step that the world does not offer.
fn follow(world: &World, steps: &[(StepKind, usize, Option<u8>)]) -> Result<Vec<u32>, usize> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut row = engine.initial();
    for (number, (kind, client, value)) in steps.iter().enumerate() {
        let mut next = None;
        engine.successors(&row, |_, facts, words| {
            let step = facts.step;
            let same_value = value.is_none_or(|value| u16::from(value) == step.arg >> 8);
            if (step.kind, usize::from(step.slot)) == (*kind, *client) && same_value {
                assert!(next.is_none(), "two steps of one description");
                next = Some(words.to_vec());
            }
        });
        assert_eq!(world.error(), None);
        row = next.ok_or(number)?;
    }
    Ok(row)
}

type Nodes = Vec<(String, Stat, Option<String>)>;

fn nodes(zookeeper: &ZooKeeper) -> Nodes {
    let data = |path: Text| zookeeper.data(path).flatten().map(|data| data.to_string());
    let mut nodes: Nodes = zookeeper.nodes().map(|(path, stat)| (path.to_string(), stat, data(path))).collect();
    nodes.sort_by(|a, b| a.0.cmp(&b.0));
    nodes
}

/// Runs live with the seed and follows in the world; answers how many steps there were.
fn same(programs: Vec<Program>, seed: u64) -> usize {
    let mut live = Live::new(setup(programs.clone(), wires(), seed), Steps::default());
    assert_eq!(live.run(u64::MAX, |_| false), Ok(End::Rest));
    let world = world(&programs);
    let steps = &live.observer().0;
    let row = follow(&world, steps).unwrap_or_else(|at| panic!("seed {seed}: no step {at} {:?}", steps[at]));
    let view = world.view(&row);
    assert_eq!(nodes(view.zookeeper()), nodes(live.service(0)), "seed {seed}");
    assert_eq!(view.zookeeper().last_zxid(), live.service(0).last_zxid());
    let watches =
        |z: &ZooKeeper| z.watches().map(|(who, table, path)| (who, table, path.to_string())).collect::<Vec<_>>();
    assert_eq!(watches(view.zookeeper()), watches(live.service(0)));
    for client in view.clients() {
        let slot = client.slot();
        let marks: Vec<_> = client.marks().map(|name| (name, client.mark(name).expect("set"))).collect();
        assert_eq!(marks, live.marks(slot), "seed {seed}, client {slot}");
        assert_eq!(client.outcome(), live.outcome(slot));
        assert_eq!(client.session().unwrap_or(0), live.session(slot));
    }
    assert!(view.everybody_is_done());
    steps.len()
}

#[test]
fn locks_run_live_as_in_the_world() {
    for seed in 0..25 {
        assert!(same(locking::<PredecessorLock<_>>(3, 2), seed) > 3 * 2 * 6);
        assert!(same(locking::<ParentLock<_>>(3, 2), seed) > 3 * 2 * 6);
    }
}

#[test]
fn all_that_a_program_can_do_runs_live_as_in_the_world() {
    for seed in 0..40 {
        assert!(same(vec![Program::new("busy", busy); 2], seed) > 2 * 16);
    }
}

#[test]
fn a_step_that_did_not_happen_is_not_found() {
    let programs = locking::<PredecessorLock<_>>(2, 1);
    let mut live = Live::new(setup(programs.clone(), wires(), 1), Steps::default());
    assert_eq!(live.run(u64::MAX, |_| false), Ok(End::Rest));
    let mut steps = live.into_observer().0;
    // The second delivery of a client before the request that it answers.
    let (at, client) = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.0 == StepKind::Deliver)
        .map(|(at, step)| (at, step.1))
        .nth(1)
        .expect("two deliveries");
    steps.insert(at + 1, (StepKind::Deliver, client, None));
    assert_eq!(follow(&world(&programs), &steps), Err(at + 1));
}
