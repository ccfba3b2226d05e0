//! The rules of sessions hold under every timing and every plan of faults, on one server and on three; and a mistake in the
//! clocks, the servers or the library is caught.

use overtake_models::sample::{Ended, Judge};
use overtake_models::scenario::{Scenario, scenario as scenario_of};
use overtake_models::scenarios;
use overtake_models::timed::{Fault, Flaw, Lost, Plan, Timed, TimedRun, Timing, invariants, roomy, text};
use overtake_recipes::retry::PAUSE;
use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::clock::duration::{MILLISECOND, SECOND};
use overtake_sim::clock::{Distribution, library};
use overtake_sim::ensemble::Quirks;
use overtake_sim::program::Context;
use overtake_sim::world::{Engine, Reductions, StepKind, World};
use proptest::prelude::*;

const CLIENTS: usize = 2;

fn lock() -> Scenario {
    let lock = scenarios::all().into_iter().find(|s| s.name() == "predecessor lock").expect("the lock");
    roomy(&lock.with_clients(CLIENTS))
}

/// One server, or a leader and two followers with the clients at one of them.
fn scenario(servers: usize) -> Scenario {
    if servers == 1 { lock() } else { lock().servers(servers).attached_to(1) }
}

fn run(world: &World, timed: &Timed, seed: u64, plan: &Plan) -> TimedRun {
    let mut engine = Engine::new(world, Reductions::NONE);
    // What the recipe keeps is for other tests; here runs go on whatever it does.
    let mut judge = Judge::new(&mut engine, &[]);
    timed.run_plan(&mut engine, &mut judge, seed, plan)
}

/// Every rule that a run must keep.
fn check(world: &World, run: &TimedRun, servers_are_well: bool) -> Result<(), String> {
    if run.run.ended == Ended::Error {
        return Err(format!("{:?}", world.error()));
    }
    invariants::renewed_sessions_live(run)?;
    invariants::nodes_of_live_sessions_stay(world, run)?;
    invariants::nobody_goes_back(world, run)?;
    if servers_are_well { invariants::silent_sessions_die(run) } else { Ok(()) }
}

fn length() -> impl Strategy<Value = u64> {
    (0u32..15).prop_flat_map(|n| 0..(2 * MILLISECOND) << n)
}

fn fault() -> impl Strategy<Value = Fault> {
    let slot = 0..CLIENTS;
    prop_oneof![
        4 => (slot.clone(), length()).prop_map(|(slot, length)| Fault::ClientPause { slot, length }),
        4 => (slot.clone(), prop_oneof![Just(Lost::Both), Just(Lost::ToServer), Just(Lost::ToClient)], length())
            .prop_map(|(slot, lost, length)| Fault::Silence { slot, lost, length }),
        2 => slot.clone().prop_map(|slot| Fault::Reset { slot }),
        1 => (slot, length()).prop_map(|(slot, back)| Fault::Crash { slot, back }),
        2 => length().prop_map(|length| Fault::ServerPause { length }),
        1 => length().prop_map(|down| Fault::ServerRestart { down }),
        1 => (1u8..3).prop_map(|server| Fault::Resync { server }),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    proptest::collection::vec((0..60 * SECOND, fault()), 0..12).prop_map(Plan::new)
}

fn timing() -> impl Strategy<Value = Timing> {
    (0..library::LIBRARIES.len(), 1u64..40, 1u64..60, 0u64..5_000, 0u32..1_000, 0.0f64..=1.0, 1u64..40).prop_map(
        |(which, tick, timeout, latency, drift, race, work)| Timing {
            library: library::LIBRARIES[which],
            tick: tick * 100 * MILLISECOND,
            timeout: timeout * 500 * MILLISECOND,
            latency: Distribution::Uniform(latency * 1_000, 2 * latency * 1_000),
            work: Distribution::Constant(work * SECOND),
            limit: 120 * SECOND,
            drift,
            race,
            ..Timing::default().healthy()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rules_hold_under_every_timing_and_plan(
        timing in timing(),
        plan in plan(),
        servers in prop_oneof![Just(1usize), Just(3)],
        seed in any::<u64>(),
    ) {
        let scenario = scenario(servers);
        let world = scenario.world().expect("a world");
        let run = run(&world, &Timed::new(timing), seed, &plan);
        let server_faults = |fault: &Fault| {
            matches!(fault, Fault::ServerPause { .. } | Fault::ServerRestart { .. } | Fault::Resync { .. })
        };
        let well = !plan.faults.iter().any(|(_, fault)| server_faults(fault));
        if let Err(why) = check(&world, &run, well) {
            return Err(TestCaseError::fail(format!("{why}\n{}", text(&world, &run))));
        }
    }
}

/// Drawn plans on three servers: every kind of step of the servers happens, and the rules hold.
#[test]
fn rules_hold_on_three_servers() {
    let scenario = scenario(3);
    let world = scenario.world().unwrap();
    let timed = Timed::new(Timing { server_restarts: Timing::default().silences, ..Timing::default() });
    let mut kinds = std::collections::BTreeMap::new();
    for seed in 0..60 {
        let run = run(&world, &timed, seed, &timed.plan(&world, seed));
        check(&world, &run, false).unwrap_or_else(|why| panic!("{why}\n{}", text(&world, &run)));
        for step in &run.run.steps {
            *kinds.entry(step.kind).or_insert(0) += 1;
        }
    }
    for kind in [StepKind::Accept, StepKind::Commit, StepKind::Elect, StepKind::Resync, StepKind::Cut, StepKind::Expire]
    {
        assert!(kinds.get(&kind).is_some_and(|n| *n > 5), "{kind:?}: {kinds:?}");
    }
}

/// Each rule is broken by a mistake of its own.
#[test]
fn mistakes_are_caught() {
    let broken = |scenario: &Scenario, flaw: Flaw, rule: &dyn Fn(&World, &TimedRun) -> Result<(), String>| {
        let world = scenario.world().unwrap();
        let timed = Timed::new(Timing::default()).flawed(flaw);
        (0..150).any(|seed| rule(&world, &run(&world, &timed, seed, &timed.plan(&world, seed))).is_err())
    };
    for servers in [1, 3] {
        let scenario = scenario(servers);
        assert!(broken(&scenario, Flaw::ForgetsTouches, &|_, run| invariants::renewed_sessions_live(run)));
        assert!(broken(&scenario, Flaw::RoundsDown, &|_, run| invariants::renewed_sessions_live(run)));
        assert!(broken(&scenario, Flaw::WrongSession, &|world, run| {
            invariants::nodes_of_live_sessions_stay(world, run)
        }));
        assert!(broken(&scenario, Flaw::WrongSession, &|_, run| invariants::silent_sessions_die(run)));
        assert!(broken(&scenario, Flaw::KeepsDeadlines, &|_, run| invariants::renewed_sessions_live(run)));
    }
    // A library that takes the zxid of an event for the last one that it has seen comes back to a server of the past.
    let quirks = Quirks { events_reset_zxid: true, ..Quirks::default() };
    let goes_back = |quirks| {
        let world = roomy(&readers().quirks(quirks)).world().unwrap();
        let known = |text: &str| text.parse::<Distribution>().unwrap();
        let (latency, replicate, resets) = (known("exp:200ms"), known("exp:2s"), Some(known("exp:3s")));
        let timing = Timing { latency, replicate, resets, ..Timing::default().healthy() };
        let timed = Timed::new(timing);
        (0..150).any(|seed| {
            let run = run(&world, &timed, seed, &timed.plan(&world, seed));
            invariants::nobody_goes_back(&world, &run).is_err()
        })
    };
    assert_eq!((goes_back(quirks), goes_back(Quirks::default())), (true, false));
}

const VALUE: &str = "/value";

/// Somebody sets a value again and again; somebody else reads it, and again when it has changed.
fn readers() -> Scenario {
    scenario_of("readers").node(VALUE).client("writer", write).client("reader", read).servers(3).attached_to(1)
}

async fn write(ctx: Context) -> Result<(), ZkError> {
    for _ in 0..6 {
        ctx.work("think").await;
        while ctx.zookeeper().set_data(VALUE, b"new", None).await == Err(ZkError::ConnectionLoss) {
            ctx.sleep(PAUSE).await;
        }
    }
    Ok(())
}

async fn read(ctx: Context) -> Result<(), ZkError> {
    loop {
        ctx.checkpoint("read", &[]);
        let mut watch = match ctx.zookeeper().watch_data(VALUE).await {
            Ok((_, _, watch)) => watch,
            Err(ZkError::ConnectionLoss) => {
                ctx.sleep(PAUSE).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        watch.next().await;
    }
}
