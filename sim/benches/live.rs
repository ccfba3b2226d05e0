//! Round trips of live runs: through a real program, with nothing and with all of ZooKeeper behind the wires.
//!
//! `cargo bench -p overtake-sim --bench live`. The crate `benches-peers` measures the same beside other simulators.

#![allow(missing_docs)] // The macros of criterion make functions without.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use overtake_recipes::{CreateMode, Environment, Lock, PredecessorLock, ZooKeeper as _};
use overtake_sim::live::{Echo, End, Live, Service, Setup, Timing};
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Program};
use overtake_sim::zookeeper::{Config, ZooKeeper};

const CLIENTS: usize = 5;
const ROUND_TRIPS: u64 = 2_000;

async fn sets(ctx: Context) {
    let zk = ctx.zookeeper();
    for _ in 0..ROUND_TRIPS {
        zk.set_data("/node", b"sixteen bytes...", None).await.expect("set");
    }
}

async fn locks(ctx: Context) {
    let lock = PredecessorLock::new(ctx.clone(), "/node");
    for _ in 0..ROUND_TRIPS / 5 {
        let granted = lock.acquire().await.expect("granted");
        lock.release(granted).await.expect("released");
    }
}

fn server() -> ZooKeeper {
    let mut service = ZooKeeper::new(Config::default());
    service.seed_node(Text::new("/node"), None, CreateMode::Persistent);
    service
}

fn run<S: Service>(service: S, servers: usize, program: &Program) {
    let mut timing = Timing::wires(0);
    timing.network = "uniform:1ms..10ms".parse().expect("a distribution");
    let setup = Setup { service, servers, programs: vec![program.clone(); CLIENTS], timing, seed: 1 };
    assert_eq!(Live::new(setup, ()).run(u64::MAX, |()| false), Ok(End::Rest));
}

fn round_trips(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("live");
    group.throughput(Throughput::Elements(CLIENTS as u64 * ROUND_TRIPS));
    let (sets, locks) = (Program::new("sets", sets), Program::new("locks", locks));
    group.bench_function("setData, no service", |b| b.iter(|| run(Echo, 1, &sets)));
    group.bench_function("setData, ZooKeeper", |b| b.iter(|| run(server(), 1, &sets)));
    group.bench_function("setData, three servers", |b| b.iter(|| run(server(), 3, &sets)));
    group.bench_function("predecessor lock", |b| b.iter(|| run(server(), 1, &locks)));
    group.finish();
}

criterion_group!(benches, round_trips);
criterion_main!(benches);
