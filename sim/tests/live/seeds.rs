//! A run is a function of its setup and seed; it may go on for long without growing.

use std::time::Duration;

use overtake_recipes::{CreateMode, Environment, ParentLock, PredecessorLock, ZooKeeper as _};
use overtake_sim::live::{Echo, End, Live, Log, Setup, Timing};
use overtake_sim::program::{Context, Outcome, Program, ProgramError};

use super::{busy, locking, rounds, setup, wires};

/// What happened, in words, and the hash.
fn told(servers: usize, seed: u64) -> (String, u64) {
    let mut programs = locking::<PredecessorLock<_>>(4, 2);
    programs.extend(locking::<ParentLock<_>>(3, 2));
    programs.push(Program::new("busy", busy));
    let setup = Setup { servers, ..setup(programs, Timing::default(), seed) };
    let mut live = Live::new(setup, Log::default());
    assert_eq!(live.run(u64::MAX, |_| false), Ok(End::Rest));
    let hash = live.hash();
    (live.into_observer().text, hash)
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_every_thread() {
    for servers in [1, 3] {
        let here = told(servers, 7);
        assert!(here.0.lines().count() > 200, "{}", here.0);
        assert_eq!(here, told(servers, 7));
        let there = [7, 8].map(|seed| std::thread::spawn(move || told(servers, seed)));
        let [same, other] = there.map(|thread| thread.join().expect("a run"));
        assert_eq!(here, same);
        assert_ne!(here.0, other.0);
        assert_ne!(here.1, other.1);
    }
}

#[test]
fn a_run_is_pinned_to_the_byte() {
    let (text, hash) = told(3, 7);
    // FNV-1a, 64 bits.
    let print = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, b| (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3));
    let start = text.lines().take(4).collect::<Vec<_>>();
    let expected = [
        "0.001547127 client 8 + begins",
        "0.001547127 client 8 → create /lock/n- \"data\" (ephemeral, sequential)",
        "0.001904885 client 6 → create /lock/<6.0>-lock- (ephemeral, sequential)",
        "0.003585882 client 5 → create /lock/<5.0>-lock- (ephemeral, sequential)",
    ];
    assert_eq!(start, expected);
    assert_eq!((text.lines().count(), hash, print), (463, 7810929960400292010, 9873820679293944807));
}

#[test]
fn a_long_run_does_not_grow() {
    let mut live = Live::new(setup(locking::<PredecessorLock<_>>(3, 400), wires(), 1), ());
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    for client in 0..3 {
        assert_eq!(live.outcome(client), Some(&Outcome::Finished));
        // The request, its watch, the work, the wait: never many at once, however many rounds.
        assert!(live.places(client) <= 4, "{}", live.places(client));
    }
    // Each round draws an id, 400 of them, where a client of a world has 16.
    assert!(live.stats().requests >= 3 * 3 * 400);
}

#[test]
fn operations_that_are_dropped_give_their_places_back() {
    async fn dropper(ctx: Context) {
        let zk = ctx.zookeeper();
        for _ in 0..200 {
            drop(zk.exists("/lock"));
            drop(zk.watch_children("/lock"));
            drop(ctx.sleep(Duration::from_secs(1)));
            drop(zk.session_events());
            let kept = zk.watch_exists("/lock").await;
            ctx.spawn_task(async move { drop(kept) }).await;
            let call = zk.create("/lock/n-", b"", CreateMode::EphemeralSequential);
            let path = call.await.expect("create");
            zk.delete(&path, None).await.expect("delete");
        }
    }
    let mut live = Live::new(setup(vec![Program::new("dropper", dropper)], wires(), 1), ());
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    assert_eq!(live.outcome(0), Some(&Outcome::Finished));
    assert!(live.places(0) <= 12, "{}", live.places(0));
}

#[test]
fn a_timer_takes_its_time_and_a_dropped_one_does_not_fire_for_another() {
    async fn sleeper(ctx: Context) {
        drop(ctx.sleep(Duration::from_millis(1)));
        // Takes the place of the one that was dropped.
        ctx.sleep(Duration::from_millis(5)).await;
        ctx.mark("awake");
    }
    let mut live = Live::new(setup(vec![Program::new("sleeper", sleeper)], Timing::wires(0), 1), ());
    assert_eq!(live.run(4_999_999, |()| false), Ok(End::Limit));
    assert_eq!(live.marks(0), []);
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    assert_eq!((live.marks(0), live.now()), (vec![("awake", None)], 5_000_000));
}

#[test]
fn programs_that_break_the_rules_are_told() {
    async fn spins(ctx: Context) {
        loop {
            ctx.spawn_task(async {}).await;
        }
    }
    let mut live = Live::new(setup(vec![Program::new("spins", spins)], Timing::wires(1), 1), ());
    assert!(matches!(live.run(u64::MAX, |()| false), Err(ProgramError::NeverRests { .. })));

    async fn opens(ctx: Context) {
        let zk = ctx.zookeeper();
        loop {
            zk.close().await.expect("close");
            zk.connect().await.expect("connect");
        }
    }
    let mut live = Live::new(setup(vec![Program::new("opens", opens)], Timing::wires(1), 1), ());
    assert!(matches!(live.run(u64::MAX, |()| false), Err(ProgramError::TooManySessions { .. })));

    async fn panics(ctx: Context) {
        ctx.zookeeper().sync("/").await.expect("sync");
        panic!("out of ideas");
    }
    let setup = Setup { service: Echo, ..pick(setup(vec![Program::new("panics", panics)], Timing::wires(1), 1)) };
    let mut live = Live::new(setup, ());
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    assert_eq!(live.outcome(0), Some(&Outcome::Panicked("out of ideas".into())));
}

/// The setup with no service behind the wires.
fn pick(setup: Setup) -> Setup<Echo> {
    let Setup { servers, programs, timing, seed, .. } = setup;
    Setup { service: Echo, servers, programs, timing, seed }
}

#[test]
fn who_is_idle_pings() {
    async fn idles(ctx: Context) {
        ctx.sleep(Duration::from_secs(100)).await;
    }
    let pings = |interval| {
        let mut timing = Timing::wires(1_000_000);
        timing.ping = interval;
        let mut live = Live::new(setup(vec![Program::new("idles", idles)], timing, 1), ());
        assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
        (live.stats().pings, live.stats().longest_silence)
    };
    assert_eq!(pings(None), (0, 0));
    // At 3, 6, … 99 seconds; the first message is heard a millisecond late.
    assert_eq!(pings(Some(3_000_000_000)), (33, 3_001_000_000));

    // A program that is over keeps nothing alive, and a busy one has nothing to ping for.
    let mut timing = wires();
    timing.ping = Some(1_000_000_000);
    let program = Program::new("locks", |ctx| rounds::<PredecessorLock<_>>(ctx, 200));
    let mut live = Live::new(setup(vec![program], timing, 1), ());
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    assert_eq!(live.stats().pings, 0);
}
