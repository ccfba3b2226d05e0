//! The workload through a real program of Overtake's live runs.

use overtake_recipes::{CreateMode, Environment, ZooKeeper as _};
use overtake_sim::live::{Echo, End, Live, Observer, Service, Setup, Timing};
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Program};
use overtake_sim::zookeeper::{Config, ZooKeeper};

/// Sixteen bytes, as in the peers' messages.
const DATA: &[u8] = b"sixteen bytes...";

/// What a round trip is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The smallest request there is.
    Sync,
    /// Reads 16 bytes.
    Get,
    /// Writes 16 bytes.
    Set,
    /// Creates an ephemeral sequential node and deletes it: two round trips.
    CreateDelete,
}

async fn client(ctx: Context, call: Call, round_trips: u64) {
    let zk = ctx.zookeeper();
    match call {
        Call::Sync => {
            for _ in 0..round_trips {
                zk.sync("/node").await.expect("sync");
            }
        }
        Call::Get => {
            for _ in 0..round_trips {
                let (data, _) = zk.get_data("/node").await.expect("get");
                assert!(data.is_empty() || data == DATA);
            }
        }
        Call::Set => {
            for _ in 0..round_trips {
                zk.set_data("/node", DATA, None).await.expect("set");
            }
        }
        Call::CreateDelete => {
            for _ in 0..round_trips / 2 {
                let path = zk.create("/node/n-", DATA, CreateMode::EphemeralSequential).await.expect("create");
                zk.delete(&path, None).await.expect("delete");
            }
        }
    }
}

fn run<S: Service>(service: S, call: Call, clients: usize, round_trips: u64) {
    let program = Program::new("round trips", move |ctx| client(ctx, call, round_trips));
    let mut timing = Timing::wires(0);
    timing.network = "uniform:1ms..10ms".parse().expect("a distribution");
    let setup = Setup { service, servers: 1, programs: vec![program; clients], timing, seed: 1 };
    let mut live = Live::new(setup, ());
    assert_eq!(live.run(u64::MAX, |()| false), Ok(End::Rest));
    finish(&live, clients, round_trips);
}

fn finish<S: Service, O: Observer>(live: &Live<S, O>, clients: usize, round_trips: u64) {
    assert_eq!(live.stats().requests, clients as u64 * round_trips);
    assert!((0..clients).all(|client| live.outcome(client).is_some()));
}

/// Behind the wires nobody keeps anything.
pub fn echo(call: Call, clients: usize, round_trips: u64) {
    run(Echo, call, clients, round_trips);
}

/// Behind the wires stands all of ZooKeeper.
pub fn zookeeper(call: Call, clients: usize, round_trips: u64) {
    let mut service = ZooKeeper::new(Config::default());
    service.seed_node(Text::new("/node"), Some(Text::new("sixteen bytes...")), CreateMode::Persistent);
    run(service, call, clients, round_trips);
}
