//! The jitter of retries: none without a seed, and with one a function of it.

use std::time::Duration;

use overtake_recipes::{CreateMode, Environment};
use overtake_sim::ensemble::Quirks;
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Naming, OpView, Program};
use overtake_sim::world::{Budget, ClientSetup, Setup, World};
use overtake_sim::zookeeper::{Config, ZooKeeper};

/// The nanoseconds of the timers that two clients set at their start.
fn pauses(naming: Naming) -> Vec<u64> {
    let mut zookeeper = ZooKeeper::new(Config { track_zxids: false });
    zookeeper.seed_node(Text::new("/lock"), None, CreateMode::Persistent);
    let client = |name: &str| ClientSetup::new(name, 0);
    let pause = |ctx: Context| async move { ctx.sleep(Duration::from_nanos(ctx.jitter(1 << 30).into())).await };
    let world = World::new(Setup {
        zookeeper,
        followers: 0,
        quirks: Quirks::default(),
        resource: false,
        stores: Default::default(),
        records: false,
        programs: vec![Program::new("pauses", pause)],
        clients: vec![client("one"), client("two")],
        budget: Budget::default(),
        naming,
        calls_are_steps: false,
        zxids: false,
    });
    let view = world.view(world.initial());
    let timer = |op: &OpView| match op {
        OpView::Timer(nanos) => Some(*nanos),
        _ => None,
    };
    view.clients().flat_map(|client| client.key().expect("alive").ops.iter().filter_map(timer)).collect()
}

fn seeded(seed: u64) -> Naming {
    Naming { timed: true, literal_owners: true, jitter: Some(seed), ..Naming::default() }
}

#[test]
fn without_a_seed_there_is_none() {
    assert_eq!(pauses(Naming { timed: true, ..Naming::default() }), [0, 0]);
}

#[test]
fn it_follows_from_the_seed_and_differs_between_clients() {
    let (first, second) = (pauses(seeded(1)), pauses(seeded(2)));
    assert_eq!(first, pauses(seeded(1)));
    assert_ne!(first, second);
    assert_ne!(first[0], first[1]);
    assert!(first.iter().chain(&second).all(|nanos| *nanos < 1 << 30));
}
