//! Programs as automata: what they may do, and how they are caught at what they may not.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::{Either, join, select};
use overtake_recipes::{CreateMode, Environment, EventKind, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::ensemble::Quirks;
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Naming, Outcome, Program, ProgramError, ProgramResult};
use overtake_sim::world::{Budget, ClientSetup, Engine, Reductions, Setup, World};
use overtake_sim::zookeeper::{Config, ZooKeeper as Server};

fn world<F, Fut>(clients: usize, budget: Budget, naming: Naming, program: F) -> World
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future + 'static,
    Fut::Output: ProgramResult,
{
    let mut zookeeper = Server::new(Config { track_zxids: true });
    zookeeper.seed_node(Text::new("/lock"), None, CreateMode::Persistent);
    zookeeper.set_counter(Text::new("/lock"), 0);
    let client = |i: usize| ClientSetup::new(format!("client {}", i + 1), 0);
    World::new(Setup {
        followers: 0,
        quirks: Quirks::default(),
        resource: false,
        stores: Default::default(),
        records: false,
        zookeeper,
        programs: vec![Program::new("program", program)],
        clients: (0..clients).map(client).collect(),
        budget,
        naming,
        calls_are_steps: false,
        zxids: true,
    })
}

/// Visits every state, in the order of a stack; answers the rows.
fn explore(world: &World, reductions: Reductions) -> Vec<Vec<u32>> {
    let mut engine = Engine::new(world, reductions);
    let mut states = vec![engine.initial()];
    let mut known: std::collections::HashSet<Vec<u32>> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < 100_000 && world.error().is_none() {
        let state = states[at].clone();
        engine.successors(&state, |_, _, next| {
            if known.insert(next.to_vec()) {
                states.push(next.to_vec());
            }
        });
        at += 1;
    }
    states
}

fn outcomes(world: &World) -> Vec<Option<Outcome>> {
    let mut outcomes = Vec::new();
    for state in explore(world, Reductions::NONE) {
        for client in world.view(&state).clients() {
            let outcome = client.outcome().cloned();
            if !outcomes.contains(&outcome) {
                outcomes.push(outcome);
            }
        }
    }
    assert_eq!(world.error(), None);
    outcomes
}

fn error<F, Fut>(naming: Naming, program: F) -> ProgramError
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future + 'static,
    Fut::Output: ProgramResult,
{
    let world = world(2, Budget::default(), naming, program);
    explore(&world, Reductions::NONE);
    world.error().cloned().expect("the program is caught")
}

#[test]
fn several_requests_are_answered_in_the_order_of_their_making() {
    let pipelined = |ctx: Context| async move {
        let zk = ctx.zookeeper();
        let made = zk.create("/a", b"x", CreateMode::Persistent);
        let set = zk.set_data("/a", b"y", Some(0));
        let read = zk.get_data("/a");
        let (made, (set, read)) = join(made, join(set, read)).await;
        assert_eq!((made.unwrap().as_str(), set.unwrap().version), ("/a", 1));
        assert_eq!(read.unwrap().0, b"y");
    };
    let world = world(1, Budget::default(), Naming::default(), pipelined);
    assert_eq!(outcomes(&world), [None, Some(Outcome::Finished)]);
}

#[test]
fn tasks_run_beside_each_other_and_hand_out_their_results() {
    let tasks = |ctx: Context| async move {
        let zk = ctx.zookeeper();
        let task = ctx.spawn_task(async move { zk.exists("/lock").await.unwrap().is_some() });
        let other = ctx.zookeeper().exists("/nothing").await.unwrap();
        assert!(other.is_none() && task.await);
    };
    let world = world(1, Budget::default(), Naming::default(), tasks);
    assert_eq!(outcomes(&world), [None, Some(Outcome::Finished)]);
}

#[test]
fn a_timer_may_fire_before_or_after_an_answer() {
    let timed = |ctx: Context| async move {
        let sleep = std::pin::pin!(ctx.sleep(std::time::Duration::from_secs(1)));
        let zk = ctx.zookeeper();
        let read = std::pin::pin!(zk.exists("/lock"));
        match select(read, sleep).await {
            Either::Left(_) => Ok(()),
            Either::Right(_) => Err("timed out"),
        }
    };
    let world = world(1, Budget::default(), Naming::default(), timed);
    let outcomes = outcomes(&world);
    assert!(outcomes.contains(&Some(Outcome::Finished)));
    assert!(outcomes.contains(&Some(Outcome::Failed("timed out".into()))));
}

#[test]
fn an_interrupt_drops_the_call_at_any_await() {
    let budget = Budget { interrupts: 1, ..Budget::default() };
    let interrupted = |ctx: Context| async move {
        let zk = ctx.zookeeper();
        let call = async {
            zk.create("/lock/a", b"", CreateMode::Persistent).await?;
            zk.create("/lock/b", b"", CreateMode::Persistent).await
        };
        match ctx.cancellable(call).await {
            Some(_) => Ok(()),
            None => Err("interrupted"),
        }
    };
    let world = world(1, budget, Naming::default(), interrupted);
    let mut left = std::collections::BTreeSet::new();
    for state in explore(&world, Reductions::NONE) {
        let view = world.view(&state);
        let ended = view.clients().all(|c| c.is_over());
        if ended {
            left.insert(view.zookeeper().children(Text::new("/lock")).len());
        }
    }
    assert_eq!(left.into_iter().collect::<Vec<_>>(), [0, 1, 2].into_iter().filter(|n| *n > 0).collect::<Vec<_>>());
}

#[test]
fn choices_are_all_tried() {
    let chooses = |ctx: Context| async move {
        match ctx.choose(3).await {
            0 => Ok(()),
            n => Err(n.to_string()),
        }
    };
    let world = world(1, Budget::default(), Naming::default(), chooses);
    assert_eq!(outcomes(&world).len(), 4);
}

#[test]
fn a_watch_hears_of_the_deletion_and_of_the_connection() {
    let budget = Budget { disconnects: 1, ..Budget::default() };
    let watcher = |ctx: Context| async move {
        let zk = ctx.zookeeper();
        let Ok(own) = zk.create("/lock/n-", b"", CreateMode::EphemeralSequential).await else { return Ok(()) };
        let Ok((_, _, mut watch)) = zk.watch_data(&own).await else { return Ok(()) };
        let delete = zk.delete(&own, None);
        let mut heard = Vec::new();
        loop {
            match watch.next().await {
                WatchedEvent::Node { kind, path } => {
                    assert_eq!(path, own);
                    heard.push(kind);
                    break;
                }
                WatchedEvent::Session(overtake_recipes::SessionState::Connected)
                    if delete_was_lost(&zk, &own).await =>
                {
                    return Ok(());
                }
                WatchedEvent::Session(_) => {}
            }
        }
        drop(delete);
        if heard == [EventKind::Deleted] { Ok(()) } else { Err(format!("{heard:?}")) }
    };
    let world = world(1, budget, Naming::default(), watcher);
    let outcomes = outcomes(&world);
    assert!(!outcomes.iter().any(|o| matches!(o, Some(Outcome::Failed(_) | Outcome::Panicked(_)))), "{outcomes:?}");
}

async fn delete_was_lost(zk: &impl ZooKeeper, own: &str) -> bool {
    !matches!(zk.exists(own).await, Ok(None) | Err(ZkError::ConnectionLoss))
}

#[test]
fn a_panic_is_an_outcome() {
    let panics = |ctx: Context| async move {
        ctx.work("step").await;
        assert!(ctx.choose(1).await > 0, "as planned");
    };
    let world = world(1, Budget::default(), Naming::default(), panics);
    assert!(outcomes(&world).contains(&Some(Outcome::Panicked("as planned".into()))));
}

#[test]
fn a_program_with_a_memory_of_its_own_is_not_deterministic() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let remembers = |ctx: Context| async move {
        ctx.work("step").await;
        ctx.mark_with("run", &RUNS.fetch_add(1, Ordering::Relaxed).to_string());
    };
    let caught = error(Naming::default(), remembers);
    assert!(matches!(&caught, ProgramError::NotDeterministic { program, .. } if program == "program"), "{caught}");
    assert!(caught.to_string().contains("take time, randomness, ids and tasks from the Context only"));
}

#[test]
fn a_start_that_differs_is_not_deterministic() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let alternates = |ctx: Context| async move {
        ctx.work(if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { "one" } else { "two" }).await;
    };
    assert!(matches!(error(Naming::default(), alternates), ProgramError::NotDeterministic { .. }));
}

#[test]
fn a_program_that_looks_into_a_number_is_caught_unless_it_says_so() {
    async fn odd(ctx: Context) {
        let made = ctx.zookeeper().create("/lock/n-", b"", CreateMode::PersistentSequential).await.unwrap();
        let number: u64 = made[made.len() - 10..].parse().unwrap();
        ctx.mark(if number % 2 == 1 { "odd" } else { "even" });
        ctx.work("step").await;
    }
    assert!(matches!(error(Naming::default(), odd), ProgramError::LooksIntoNames { .. }));
    let world = world(2, Budget::default(), Naming { literal_numbers: true, ..Naming::default() }, odd);
    assert_eq!(outcomes(&world), [None, Some(Outcome::Finished)]);
}

#[test]
fn a_program_that_makes_a_number_up_is_caught() {
    let guesses = |ctx: Context| async move {
        let _ = ctx.zookeeper().exists("/lock/n-0000000000").await;
    };
    let caught = error(Naming::default(), guesses);
    assert!(matches!(&caught, ProgramError::LooksIntoNames { .. }), "{caught}");
}

#[test]
fn a_checkpoint_that_promises_too_much_is_caught() {
    let forgets = |ctx: Context| async move {
        let chosen = ctx.choose(2).await;
        // Wrong: what was chosen matters below, and is not in the key.
        ctx.checkpoint("chosen", &[]);
        ctx.work("step").await;
        ctx.mark(if chosen == 0 { "heads" } else { "tails" });
        ctx.work("end").await;
    };
    let caught = error(Naming::default(), forgets);
    assert!(matches!(&caught, ProgramError::DishonestCheckpoint { place, .. } if place == "chosen"), "{caught}");
    let keeps = |ctx: Context| async move {
        let chosen = ctx.choose(2).await;
        ctx.checkpoint("chosen", &[&chosen.to_string()]);
        ctx.work("step").await;
        ctx.mark(if chosen == 0 { "heads" } else { "tails" });
        ctx.work("end").await;
    };
    let world = world(1, Budget::default(), Naming::default(), keeps);
    assert_eq!(outcomes(&world), [None, Some(Outcome::Finished)]);
}

#[test]
fn a_program_that_never_waits_is_caught() {
    let spins = |ctx: Context| async move {
        for _ in 0.. {
            ctx.mark("a");
            ctx.unmark("a");
            futures_util::pending!();
        }
    };
    let caught = error(Naming::default(), spins);
    assert!(matches!(caught, ProgramError::NeverRests { .. }), "{caught}");
}

/// The table against direct execution: with literal names and without checkpoints a node *is* a history, run from its
/// start. Both worlds must have the same steps, by name, along every walk.
#[test]
fn the_automaton_does_what_direct_execution_does() {
    use overtake_recipes::Lock;
    async fn lock(ctx: Context) {
        let lock = overtake_recipes::PredecessorLock::new(ctx.clone(), "/lock");
        let Ok(granted) = lock.acquire().await else { return };
        ctx.mark_with("holds", &granted.path);
        ctx.work("work").await;
        ctx.unmark("holds");
        let _ = lock.release(granted).await;
    }
    let budget = Budget { expiries: 1, disconnects: 1, crashes: 1, restarts: 1, ..Budget::default() };
    let table = world(3, budget, Naming::default(), lock);
    let direct = Naming {
        literal_numbers: true,
        literal_owners: true,
        ignore_checkpoints: true,
        count_requests: false,
        timed: false,
        jitter: None,
    };
    let direct = world(3, budget, direct, lock);
    let (mut by_table, mut directly) = (Engine::new(&table, Reductions::NONE), Engine::new(&direct, Reductions::NONE));
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut compared = 0;
    for _ in 0..300 {
        let (mut a, mut b) = (by_table.initial(), directly.initial());
        loop {
            let (left, right) = (named(&table, &mut by_table, &a), named(&direct, &mut directly, &b));
            let names = |steps: &[(String, Vec<u32>)]| steps.iter().map(|s| s.0.clone()).collect::<Vec<_>>();
            assert_eq!(names(&left), names(&right));
            assert_eq!(marks(&table, &a), marks(&direct, &b));
            compared += 1;
            if left.is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (random >> 33) as usize % left.len();
            (a, b) = (left[at].1.clone(), right[at].1.clone());
        }
    }
    assert!(compared > 5_000, "only {compared} states compared");
    assert_eq!((table.error(), direct.error()), (None, None));
    assert!(table.automaton().len() * 3 < direct.automaton().len(), "the table merges histories");
}

fn named(world: &World, engine: &mut Engine<'_>, state: &[u32]) -> Vec<(String, Vec<u32>)> {
    let mut steps = Vec::new();
    engine.successors(state, |_, facts, next| steps.push((world.describe(state, facts.step), next.to_vec())));
    steps
}

fn marks(world: &World, state: &[u32]) -> Vec<String> {
    let clients = world.view(state).clients();
    clients.map(|c| c.marks().map(|m| format!("{m} {:?}", c.mark(m))).collect()).collect()
}
