//! Runs in virtual time: decided by the seed, ordinary runs of the world, under the rules of sessions.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_models::replay::{judge, replay};
use overtake_models::sample::{Ended, Judge};
use overtake_models::scenario::{Scenario, scenario as scenario_of};
use overtake_models::scenarios;
use overtake_models::timed::{Fault, Flaw, Lost, Plan, Timed, TimedRun, Timing, invariants, lines, roomy, text};
use overtake_recipes::{AddWatchMode, Environment, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::clock::duration::{MILLISECOND, SECOND};
use overtake_sim::clock::{Library, library};
use overtake_sim::program::Context;
use overtake_sim::world::{Engine, Reductions, StepKind, World};

fn named(name: &str) -> Scenario {
    roomy(&scenarios::all().into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("no scenario {name:?}")))
}

fn runs(scenario: &Scenario, world: &World, timed: &Timed, seeds: std::ops::Range<u64>) -> Vec<TimedRun> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut judge = Judge::new(&mut engine, scenario.judged_by());
    seeds.map(|seed| timed.run_timed(&mut engine, &mut judge, seed)).collect()
}

/// One run under a plan written by hand, on a network that takes a millisecond each way.
fn planned(scenario: &Scenario, timing: Timing, faults: Vec<(u64, Fault)>) -> (World, TimedRun) {
    let world = scenario.world().unwrap();
    let run = {
        let mut engine = Engine::new(&world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, scenario.judged_by());
        Timed::new(timing).run_plan(&mut engine, &mut judge, 1, &Plan::new(faults))
    };
    (world, run)
}

/// A network of a millisecond each way, one client's work of ten seconds, a time-out of 6 s and a tick of 2 s.
fn steady() -> Timing {
    let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
    for (name, value) in [
        ("latency", "const:1ms"),
        ("service", "const:0s"),
        ("commit", "const:2ms"),
        ("work", "const:10s"),
        ("retransmit", "const:100ms"),
        ("waking", "const:0s"),
    ] {
        timing.set(name, value).unwrap();
    }
    timing
}

/// FNV-1a, which no library and no version changes.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// The moment of the first step of that kind, in milliseconds.
fn moment(run: &TimedRun, kind: StepKind) -> Option<u64> {
    let at = run.run.steps.iter().position(|step| step.kind == kind)?;
    Some(run.run.moments[at] / MILLISECOND)
}

/// The same bytes in this process, in another thread, in a world that has met other runs, in debug and release, for ever.
#[test]
fn the_seed_alone_decides_a_run() {
    let scenario = named("predecessor lock, 1 crash and restart");
    let timed = Timed::new(Timing::default());
    let all = |seeds: std::ops::Range<u64>| {
        let world = scenario.world().unwrap();
        let runs = runs(&scenario, &world, &timed, seeds);
        runs.iter().map(|run| text(&world, run)).collect::<Vec<_>>()
    };
    let one = all(0..40);
    let (front, back) = std::thread::scope(|scope| {
        let front = scope.spawn(|| all(0..20));
        let back = scope.spawn(|| all(20..40));
        (front.join().unwrap(), back.join().unwrap())
    });
    assert_eq!(one, [front, back].concat());
    let mut distinct = one.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 40);
    assert_eq!(hash(&one.join("\n")), 10157301708221367438, "what a seed stands for has changed");
}

#[test]
fn a_violation_is_an_ordinary_trace() {
    let scenario = named("wake-up taken for my turn");
    let world = scenario.world().unwrap();
    let runs = runs(&scenario, &world, &Timed::new(Timing::default()), 0..300);
    let found = runs.iter().find(|run| run.run.violated.is_some()).expect("the known fault is found");
    assert_eq!(found.run.ended, Ended::Violation);
    assert!(found.run.moments.is_sorted() && found.run.moments.len() == found.run.steps.len());
    let steps: Vec<String> = lines(&world, &found.run.steps, &found.run.moments)
        .iter()
        .map(|line| line.split_once("] ").expect("a moment in brackets").1.to_owned())
        .collect();
    let taken = replay(&world, &steps).expect("a run of the world");
    let property = &scenario.judged_by()[found.run.violated.unwrap()];
    assert!(judge(&world, &taken, 0, property).is_some(), "{:?}", property.name);
}

#[test]
fn right_locks_hold_under_every_clock() {
    for name in ["predecessor lock, 1 disconnect", "parent lock, 1 crash"] {
        let scenario = named(name);
        let world = scenario.world().unwrap();
        let mut used = [StepKind::Cut, StepKind::Crash, StepKind::Expire].map(|kind| (kind, 0));
        for library in library::LIBRARIES {
            let timed = Timed::new(Timing { library, ..Timing::default() });
            for run in runs(&scenario, &world, &timed, 0..40) {
                assert_eq!(run.run.violated, None, "{name}, {}: {}", library.name, text(&world, &run));
                assert_ne!(run.run.ended, Ended::Error, "{:?}", world.error());
                for (kind, n) in &mut used {
                    *n += run.used().get(kind).copied().unwrap_or(0);
                }
            }
        }
        assert!(used.iter().all(|(_, n)| *n > 5), "{name}: hardly anything went wrong: {used:?}");
    }
}

/// Z125: a cut that is shorter than the read time-out is not noticed; one that is longer, and shorter than the session, is
/// Disconnected and SyncConnected, and the session goes on.
#[test]
fn short_cuts_lose_nothing() {
    let scenario = named("predecessor lock").with_clients(1);
    for (length, noticed) in [(2 * SECOND, false), (5 * SECOND, true)] {
        let silence = Fault::Silence { slot: 0, lost: Lost::Both, length };
        let (world, run) = planned(&scenario, steady(), vec![(SECOND, silence)]);
        let text = text(&world, &run);
        assert_eq!(run.run.ended, Ended::AtRest, "{text}");
        assert_eq!(moment(&run, StepKind::Cut).is_some(), noticed, "{length}: {text}");
        assert_eq!(moment(&run, StepKind::Reconnect).is_some(), noticed, "{length}: {text}");
        assert_eq!(moment(&run, StepKind::Expire), None, "{length}: {text}");
    }
}

/// Z128, Z129: a client that is cut off for longer than its session is told Disconnected after 2T/3, and Expired only when
/// it reaches the server again.
#[test]
fn long_cuts_cost_the_session() {
    let scenario = named("predecessor lock").with_clients(1);
    let silence = Fault::Silence { slot: 0, lost: Lost::Both, length: 30 * SECOND };
    let timing = Timing { work: "const:60s".parse().unwrap(), ..steady() };
    let (world, run) = planned(&scenario, timing, vec![(SECOND, silence)]);
    let text = text(&world, &run);
    // The last reply was heard at 4 ms, so silence is too long at 4.004 s.
    assert_eq!(moment(&run, StepKind::Cut), Some(4_004), "{text}");
    // The last request was touched at 3 ms: 6.003 s lies in the bucket that ends at 8 s.
    assert_eq!(moment(&run, StepKind::Expire), Some(8_000), "{text}");
    assert!(moment(&run, StepKind::Reconnect) > Some(31_000), "{text}");
}

/// One way is enough: what the client sends is lost, so it hears no answer; or what it should hear is lost, and then its
/// pings renew its session all the while.
#[test]
fn cuts_of_one_way_differ() {
    let scenario = named("predecessor lock").with_clients(1);
    let timing = Timing { work: "const:60s".parse().unwrap(), ..steady() };
    let cut = |lost| {
        let silence = Fault::Silence { slot: 0, lost, length: 30 * SECOND };
        planned(&scenario, timing.clone(), vec![(SECOND, silence)]).1
    };
    let (to_server, to_client) = (cut(Lost::ToServer), cut(Lost::ToClient));
    assert_eq!(moment(&to_server, StepKind::Cut), Some(4_004));
    assert_eq!(moment(&to_server, StepKind::Expire), Some(8_000));
    assert_eq!(moment(&to_client, StepKind::Cut), Some(4_004));
    // The ping at 2.003 s arrived; the one that was due at 4.003 s too, just before the connection was given up.
    assert_eq!(moment(&to_client, StepKind::Expire), Some(12_000));
}

/// Z147: the holder's session expires though the holder goes on; the waiter gets the lock within T + tick.
#[test]
fn the_waiter_gets_the_lock_of_an_expired_session() {
    let scenario = named("predecessor lock").with_clients(2);
    let timing = Timing { work: "const:60s".parse().unwrap(), ..steady() };
    // Of requests that arrive at one moment the server takes the first client's first, so that is the holder.
    let silence = Fault::Silence { slot: 0, lost: Lost::Both, length: 100 * SECOND };
    let (world, run) = planned(&scenario, timing, vec![(SECOND, silence)]);
    let text = text(&world, &run);
    let expired = moment(&run, StepKind::Expire).expect("an expiry");
    assert!(expired > 6_000 && expired <= 1_000 + 8_000, "{text}");
    assert_eq!(moment(&run, StepKind::Apply), Some(expired + 2), "{text}");
    assert!(text.contains("deleted"), "{text}");
}

/// Z149: a pause of the holder between 2T/3 and T costs the connection and nothing else; one beyond T + tick the session.
#[test]
fn pauses_of_a_client() {
    let scenario = named("predecessor lock").with_clients(1);
    let timing = Timing { work: "const:60s".parse().unwrap(), ..steady() };
    let pause = |length| {
        planned(&scenario, timing.clone(), vec![(2_500 * MILLISECOND, Fault::ClientPause { slot: 0, length })])
    };
    // The pong of the ping at 2.003 s was heard at 2.005 s.
    let (world, short) = pause(5 * SECOND);
    assert_eq!(moment(&short, StepKind::Cut), Some(7_500), "{}", text(&world, &short));
    assert_eq!(moment(&short, StepKind::Expire), None);
    let (world, long) = pause(20 * SECOND);
    assert_eq!(moment(&long, StepKind::Expire), Some(10_000), "{}", text(&world, &long));
    assert_eq!(moment(&long, StepKind::Apply), Some(10_002));
    assert_eq!(moment(&long, StepKind::Cut), None, "the server closed the connection");
    assert!(moment(&long, StepKind::Reconnect) > Some(22_500), "{}", text(&world, &long));
}

/// Z120: a restart of the server gives every session a fresh time-out.
#[test]
fn a_restart_of_the_server_renews_sessions() {
    let scenario = named("predecessor lock").with_clients(1);
    let timing = Timing { work: "const:60s".parse().unwrap(), ..steady() };
    let down = Fault::ServerRestart { down: 20 * SECOND };
    let silence = Fault::Silence { slot: 0, lost: Lost::Both, length: 100 * SECOND };
    let (world, run) = planned(&scenario, timing, vec![(SECOND, silence), (2 * SECOND, down)]);
    let text = text(&world, &run);
    assert_eq!(moment(&run, StepKind::Elect), Some(2_000), "{text}");
    // The client does not hear that its connection is closed, and gives it up by itself.
    assert!(text.contains("[4004 ms] client 1 ← connection: Disconnected"), "{text}");
    assert_eq!(moment(&run, StepKind::Expire), Some(30_000), "{text}");
}

/// Z121: a server that slept for longer than a session expires it first, or reads the ping first: both happen.
#[test]
fn a_server_that_slept_races() {
    let scenario = named("predecessor lock").with_clients(1);
    let mut seen = [0, 0];
    for (at, race) in [(0, 0.0), (1, 1.0)] {
        let timing = Timing { race, work: "const:60s".parse().unwrap(), ..steady() };
        let pause = Fault::ServerPause { length: 20 * SECOND };
        let (_, run) = planned(&scenario, timing, vec![(3 * SECOND, pause)]);
        seen[at] = run.used().get(&StepKind::Expire).copied().unwrap_or(0);
    }
    assert_eq!(seen, [0, 1]);
}

/// Libraries that give their session up by themselves tell the program although no server could.
#[test]
fn libraries_give_up_by_themselves() {
    let scenario = named("predecessor lock").with_clients(1);
    let silence = Fault::Silence { slot: 0, lost: Lost::Both, length: 200 * SECOND };
    let told = |name: &str| {
        let library = Library::named(name).unwrap();
        let timing = Timing { library, work: "const:60s".parse().unwrap(), ..steady() };
        let (_, run) = planned(&scenario, timing, vec![(SECOND, silence)]);
        moment(&run, StepKind::Reconnect).map(|ms| ms / 100)
    };
    // T is 6 s, and the server was heard last at 4 ms.
    assert_eq!(told("java-3.9.3"), Some(80), "4T/3");
    assert_eq!(told("rust"), Some(93), "7T/5, and the last pong came at 0.9 s");
    assert_eq!(told("curator"), Some(100), "2T/3 and then T");
    for name in ["java", "kazoo", "c"] {
        assert!(told(name) > Some(2_010), "{name}: only a server can tell");
    }
}

#[test]
fn a_healthy_cluster_has_no_faults() {
    let scenario = named("predecessor lock");
    let world = scenario.world().unwrap();
    for run in runs(&scenario, &world, &Timed::new(Timing::default().healthy()), 0..40) {
        assert_eq!((run.run.ended, run.used().len(), run.refused.len()), (Ended::AtRest, 0, 0));
    }
}

#[test]
fn the_rules_of_sessions_are_kept_and_broken_clocks_are_caught() {
    let scenario = named("predecessor lock, 1 crash and restart");
    let world = scenario.world().unwrap();
    let check = |flaw| {
        let timed = Timed::new(Timing::default()).flawed(flaw);
        let (mut renewed, mut nodes) = (0, 0);
        for run in runs(&scenario, &world, &timed, 0..60) {
            renewed += usize::from(invariants::renewed_sessions_live(&run).is_err());
            nodes += usize::from(invariants::nodes_of_live_sessions_stay(&world, &run).is_err());
            invariants::nobody_goes_back(&world, &run).unwrap();
        }
        (renewed > 0, nodes > 0)
    };
    assert_eq!(check(Flaw::None), (false, false));
    assert_eq!(check(Flaw::ForgetsTouches), (true, true));
    assert!(check(Flaw::RoundsDown).0);
    assert_eq!(check(Flaw::WrongSession), (true, true));
}

const VALUE: &str = "/value";

/// Waits for a change of the value for five seconds, and again from its beginning after each change.
async fn wait(ctx: Context) -> Result<(), ZkError> {
    let mut watch = ctx.zookeeper().add_watch(VALUE, AddWatchMode::Persistent).await?;
    loop {
        ctx.checkpoint("wait", &[]);
        let changed = std::pin::pin!(watch.next());
        let timer = std::pin::pin!(ctx.sleep(Duration::from_secs(5)));
        if let Either::Right(_) = select(changed, timer).await {
            return Ok(());
        }
    }
}

async fn change(ctx: Context) -> Result<(), ZkError> {
    for _ in 0..3 {
        ctx.work("think").await;
        ctx.zookeeper().set_data(VALUE, b"new", None).await?;
    }
    Ok(())
}

/// A timer that is dropped and set again in one step starts anew.
#[test]
fn a_timer_that_is_set_again_starts_anew() {
    let scenario = roomy(&scenario_of("waits").node(VALUE).client("waiter", wait).client("writer", change));
    let timing = Timing { work: "const:3s".parse().unwrap(), ..steady() };
    let (world, run) = planned(&scenario, timing, Vec::new());
    let lines = lines(&world, &run.run.steps, &run.run.moments);
    // Told of changes at 3.002 s, 6.004 s and 9.006 s.
    let timers: Vec<&String> = lines.iter().filter(|line| line.contains("timer runs out")).collect();
    assert_eq!(timers, ["[14006 ms] waiter: timer runs out"], "{}", lines.join("\n"));
}

/// Waits for a change of the value, whatever happens to the connection.
async fn hear(ctx: Context) -> Result<(), ZkError> {
    let (_, _, mut watch) = ctx.zookeeper().watch_data(VALUE).await?;
    while !matches!(watch.next().await, WatchedEvent::Node { .. }) {}
    Ok(())
}

async fn change_once(ctx: Context) -> Result<(), ZkError> {
    ctx.work("think").await;
    ctx.zookeeper().set_data(VALUE, b"new", None).await.map(drop)
}

/// Z126: a watch outlives a lost connection, and is told of a change that comes after it, or while it was away (§2.4). A library
/// that does not register its watches again waits for ever.
#[test]
fn watches_outlive_a_connection() {
    let away = vec![(SECOND, Fault::Silence { slot: 0, lost: Lost::Both, length: 5 * SECOND })];
    for (changed, resends, told) in [("const:10s", true, true), ("const:5s", true, true), ("const:10s", false, false)] {
        let hears = scenario_of("hears").node(VALUE).client("reader", hear);
        let hears = if resends { hears } else { hears.without_set_watches() };
        let timing = Timing { work: changed.parse().unwrap(), limit: 60 * SECOND, ..steady() };
        let (world, run) = planned(&roomy(&hears.client("writer", change_once)), timing, away.clone());
        let text = text(&world, &run);
        assert_eq!(moment(&run, StepKind::Cut), Some(4_002), "{text}");
        assert!(moment(&run, StepKind::Reconnect).is_some_and(|at| (6_000..8_000).contains(&at)), "{text}");
        assert_eq!(text.contains("reader ← event: /value data changed"), told, "{changed}: {text}");
    }
}
