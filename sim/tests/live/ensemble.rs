//! Three servers: writes in one order everywhere, reads that may be behind, a session that sees its own writes.

use std::time::Duration;

use overtake_recipes::{CreateMode, Environment, PredecessorLock, Watch, WatchedEvent, ZooKeeper as _};
use overtake_sim::live::{End, Live, Setup, Timing};
use overtake_sim::program::{Context, Outcome, Program};
use overtake_sim::zookeeper::ZooKeeper;

use super::{busy, locking, setup};

fn contents(zookeeper: &ZooKeeper) -> Vec<String> {
    let mut nodes: Vec<_> = zookeeper.nodes().map(|(path, stat)| format!("{path} {stat:?}")).collect();
    nodes.sort();
    nodes
}

#[test]
fn every_server_comes_to_the_same_tree() {
    for (servers, seed) in [(2, 1), (3, 1), (3, 2), (5, 3)] {
        let mut programs = locking::<PredecessorLock<_>>(4, 3);
        programs.extend([Program::new("busy", busy), Program::new("busy", busy)]);
        let setup = Setup { servers, ..setup(programs, Timing::default(), seed) };
        let mut live = Live::new(setup, ());
        assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
        assert!((0..6).all(|client| live.outcome(client) == Some(&Outcome::Finished)));
        for server in 1..servers {
            assert_eq!(contents(live.service(server)), contents(live.service(0)));
            assert_eq!(live.service(server).last_zxid(), live.service(0).last_zxid());
        }
    }
}

/// Client 1 writes at the leader; when it has its answer, client 2 is told outside of ZooKeeper (a pause of half a
/// millisecond after the write at most) and reads at a follower.
fn stale_reads(sync: bool) -> usize {
    async fn writer(ctx: Context) {
        let zk = ctx.zookeeper();
        ctx.sleep(Duration::from_millis(100)).await;
        zk.set_data("/lock", b"new", None).await.expect("set");
        ctx.mark("written");
    }
    async fn reader(ctx: Context, sync: bool) {
        let zk = ctx.zookeeper();
        ctx.sleep(Duration::from_micros(102_000)).await;
        if sync {
            zk.sync("/lock").await.expect("sync");
        }
        if zk.get_data("/lock").await.expect("get").0 != b"new" {
            ctx.mark("read old data");
        }
    }
    let stale = |seed: u64| {
        let programs = vec![Program::new("writer", writer), Program::new("reader", move |ctx| reader(ctx, sync))];
        let mut timing = Timing::wires(100_000);
        timing.peers = "uniform:1ms..5ms".parse().expect("a distribution");
        timing.log = "const:200us".parse().expect("a distribution");
        let setup = Setup { servers: 3, ..setup(programs, timing, seed) };
        let mut live = Live::new(setup, ());
        assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
        assert_eq!(live.marks(0), [("written", None)]);
        usize::from(!live.marks(1).is_empty())
    };
    (0..50).map(stale).sum()
}

#[test]
fn a_follower_is_behind_and_sync_catches_up() {
    let without = stale_reads(false);
    assert!(without > 0, "no read was stale");
    // The write may still be on its way to its commit when sync passes, but what was acknowledged is seen.
    assert!(stale_reads(true) < without);
}

#[test]
fn a_session_sees_its_own_writes_and_events_before_later_reads() {
    async fn own(ctx: Context) {
        let zk = ctx.zookeeper();
        for round in 0..30 {
            let path = zk.create("/lock/own-", b"", CreateMode::EphemeralSequential).await.expect("create");
            let (_, _, mut watch) = zk.watch_data(&path).await.expect("watch");
            let data = round.to_string().into_bytes();
            // Both are on the wire at once.
            let (set, get) = (zk.set_data(&path, &data, None), zk.get_data(&path));
            set.await.expect("set");
            assert!(matches!(watch.next().await, WatchedEvent::Node { .. }));
            assert_eq!(get.await.expect("get").0, data);
            zk.delete(&path, None).await.expect("delete");
            assert_eq!(zk.exists(&path).await.expect("exists"), None);
        }
    }
    let setup = Setup { servers: 3, ..setup(vec![Program::new("own", own); 6], Timing::default(), 5) };
    let mut live = Live::new(setup, ());
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    assert!((0..6).all(|client| live.outcome(client) == Some(&Outcome::Finished)));
}

#[test]
fn an_exact_latency_adds_up() {
    async fn once(ctx: Context) {
        ctx.zookeeper().set_data("/lock", b"", None).await.expect("set");
    }
    let mut timing = Timing::wires(100);
    timing.peers = "const:1us".parse().expect("a distribution");
    timing.read = "const:7ns".parse().expect("a distribution");
    timing.write = "const:20ns".parse().expect("a distribution");
    timing.apply = "const:5ns".parse().expect("a distribution");
    timing.log = "const:10us".parse().expect("a distribution");
    let end = |servers: usize, client: usize| {
        let mut programs = vec![Program::new("idle", |_| async {}); servers];
        programs[client] = Program::new("once", once);
        let setup = Setup { servers, ..setup(programs, timing.clone(), 1) };
        let mut live = Live::new(setup, ());
        let mut at = 0;
        while live.outcome(client).is_none() {
            assert!(live.step().expect("honest"));
            at = live.now();
        }
        at
    };
    // Wire, write, log, apply, wire.
    assert_eq!(end(1, 0), 100 + 20 + 10_000 + 5 + 100);
    // The leader's own disk and the faster follower: there, its disk, back.
    assert_eq!(end(3, 0), 100 + 20 + (1_000 + 10_000 + 1_000) + 5 + 100);
    // Passed on by the follower, and the news of the commit comes back to it.
    assert_eq!(end(3, 1), 100 + 5 + 1_000 + 20 + 12_000 + 1_000 + 5 + 100);
}
