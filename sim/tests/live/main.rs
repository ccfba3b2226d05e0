//! Live runs: each is a path of the world, a function of its seed, and counts what a recipe costs exactly.

mod costs;
mod ensemble;
mod path;
mod seeds;

use overtake_recipes::{CreateMode, Environment, Lock, LockError, ZkError, ZooKeeper as _};
use overtake_sim::live::{Setup, Timing};
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Program};
use overtake_sim::zookeeper::{Config, ZooKeeper};

/// A server with the node `/lock`.
fn server() -> ZooKeeper {
    let mut zookeeper = ZooKeeper::new(Config::default());
    zookeeper.seed_node(Text::new("/lock"), None, CreateMode::Persistent);
    zookeeper
}

/// Acquires the lock, works, releases it; so many times.
async fn rounds<L: Lock<Context>>(ctx: Context, rounds: usize) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), "/lock");
    for _ in 0..rounds {
        let granted = lock.acquire().await?;
        ctx.mark_with("holds", &granted.path);
        ctx.work("work").await;
        ctx.unmark("holds");
        lock.release(granted).await?;
    }
    Ok(())
}

fn locking<L: Lock<Context> + 'static>(clients: usize, times: usize) -> Vec<Program> {
    vec![Program::new("lock", move |ctx| rounds::<L>(ctx, times)); clients]
}

/// Latencies that let requests overtake one another between clients, and nothing else.
fn wires() -> Timing {
    let mut timing = Timing::wires(0);
    timing.network = "uniform:1ms..9ms".parse().expect("a distribution");
    timing.work = "uniform:0s..20ms".parse().expect("a distribution");
    timing
}

fn setup(programs: Vec<Program>, timing: Timing, seed: u64) -> Setup {
    Setup { service: server(), servers: 1, programs, timing, seed }
}

/// Everything else a program can do: choices, timers, tasks, dropped calls, a multi, a session closed and opened anew.
async fn busy(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    ctx.mark("begins");
    let own = zk.create("/lock/n-", b"data", CreateMode::EphemeralSequential).await?;
    let task = ctx.spawn_task({
        let (zk, own) = (zk.clone(), own.clone());
        async move { zk.get_data(&own).await.map(|(data, stat)| (data, stat.version)) }
    });
    // Sent and not waited for.
    drop(zk.set_data(&own, b"other", None));
    assert!(task.await.is_ok());
    if ctx.choose(3).await == 1 {
        ctx.mark_with("chose", &own);
        ctx.sleep(std::time::Duration::from_millis(3)).await;
    }
    let ops = vec![
        overtake_recipes::Op::Delete { path: own.clone(), version: Some(7) },
        overtake_recipes::Op::Create { path: "/lock/x".into(), data: vec![], mode: CreateMode::Persistent },
    ];
    assert_eq!(zk.multi(ops).await, Err(ZkError::BadVersion));
    zk.close().await?;
    assert_eq!(zk.exists(&own).await, Err(ZkError::SessionExpired));
    zk.connect().await?;
    let (stat, mut watch) = zk.watch_exists("/lock/y").await?;
    if stat.is_none() {
        match zk.create("/lock/y", b"", CreateMode::Ephemeral).await {
            Ok(_) | Err(ZkError::NodeExists) => {}
            Err(error) => return Err(error),
        }
        overtake_recipes::Watch::next(&mut watch).await;
    }
    ctx.mark_with("ends", &format!("{:x}", zk.session_id()));
    Ok(())
}
