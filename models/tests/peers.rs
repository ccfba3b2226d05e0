//! State counts against Spin, TLC and stateright on the same lock.
use overtake_models::search::{Limits, breadth_first};
use overtake_models::space::WorldSpace;
use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Naming, Program};
use overtake_sim::world::*;
use overtake_sim::zookeeper::{Config, ZooKeeper as Server};

async fn lock(ctx: Context) {
    let body = Box::pin(contend(ctx.clone()));
    let lost = Box::pin(async {
        let mut session = ctx.zookeeper().session_events();
        while session.next().await != WatchedEvent::Session(SessionState::Expired) {}
    });
    if let futures_util::future::Either::Left(_) = futures_util::future::select(lost, body).await {
        ctx.unmark("holds");
        ctx.mark("lost");
    }
}

async fn contend(ctx: Context) {
    let zk = ctx.zookeeper();
    let me = zk
        .create("/lock/n-", b"", CreateMode::EphemeralSequential)
        .await
        .unwrap();
    loop {
        ctx.checkpoint("list", &[&me]);
        let mut names = zk.children("/lock").await.unwrap();
        names.sort();
        let at = names.iter().position(|n| me.ends_with(n.as_str())).unwrap();
        if at == 0 {
            ctx.mark_with("holds", &me);
            ctx.checkpoint("hold", &[&me]);
            ctx.work("work").await;
            ctx.checkpoint("fin", &[&me]);
            zk.delete(&me, None).await.unwrap();
            ctx.unmark("holds");
            return;
        }
        let before = format!("/lock/{}", names[at - 1]);
        ctx.checkpoint("read", &[&me, &before]);
        if let Ok((_, _, mut watch)) = zk.watch_data(&before).await {
            ctx.checkpoint("wait", &[&me, &before]);
            watch.next().await;
        }
    }
}

fn world(n: usize, expiries: u8) -> World {
    let mut zookeeper = Server::new(Config { track_zxids: false });
    zookeeper.seed_node(Text::new("/lock"), None, CreateMode::Persistent);
    zookeeper.set_counter(Text::new("/lock"), 0);
    World::new(Setup {
        zookeeper,
        programs: vec![Program::new("lock", lock)],
        clients: (0..n)
            .map(|i| ClientSetup {
                name: format!("client {}", i + 1),
                program: 0,
                victim: true,
                resends_watches: true,
            })
            .collect(),
        budget: Budget {
            expiries,
            ..Budget::default()
        },
        naming: Naming::default(),
        calls_are_steps: true,
        zxids: false,
    })
}

#[test]
fn counts() {
    let red = Reductions {
        renumber: true,
        symmetry: false,
        deliver_first: false,
        forget_gone: true,
    };
    let max: usize = std::env::var("N").map_or(4, |v| v.parse().unwrap());
    let threads: usize = std::env::var("T").map_or(1, |v| v.parse().unwrap());
    let sym = std::env::var("SYM").is_ok();
    let red = if sym {
        Reductions {
            symmetry: true,
            deliver_first: std::env::var("DF").is_ok(),
            ..red
        }
    } else {
        red
    };
    for n in 3..=max {
        for f in 0..3 {
            let world = world(n, f);
            let space = WorldSpace::new(&world, red, &[]);
            let seen = breadth_first(
                &space,
                &Limits {
                    threads,
                    ..Limits::default()
                },
            );
            println!(
                "{n} {f}: {} states {} transitions depth {} {:?} {:?} bytes/state {:.1} values {:?} nodes {}",
                seen.states,
                seen.transitions + 1,
                seen.depth,
                seen.time,
                seen.stopped,
                seen.bytes as f64 / seen.states as f64,
                world.values(),
                world.automaton().len()
            );
            if let Some(e) = world.error() {
                panic!("{e}");
            }
        }
    }
}
