//! Calls to stores in virtual time: when they are taken and answered, lost, doubled, late; and what stores do by themselves.

use std::time::Duration;

use overtake_models::sample::{Ended, Judge};
use overtake_models::timed::{Timed, TimedRun, Timing, lines, roomy};
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::dht::{Expiration, Version};
use overtake_recipes::store::{Dht as _, Messages as _};
use overtake_recipes::{DataEnvironment, Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Messages, Stores};
use overtake_sim::world::{Engine, Reductions};

/// A millisecond each way, two at the store.
fn steady(parameters: &[(&str, &str)]) -> Timing {
    let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
    let base = [("latency", "const:1ms"), ("service", "const:2ms"), ("work", "const:10ms")];
    for (name, value) in base.iter().chain(parameters) {
        timing.set(name, value).expect("a parameter");
    }
    timing
}

fn table(scenario: Scenario) -> Scenario {
    scenario.stores(Stores {
        dht: Some(Dht::seed(1).with("n", 0)),
        messages: Some(Messages::default()),
        ..Stores::default()
    })
}

/// The run of the seed, as lines with whole milliseconds.
fn run(scenario: &Scenario, timing: Timing, seed: u64) -> (TimedRun, Vec<String>) {
    let scenario = roomy(scenario);
    let world = scenario.world().expect("a world");
    let timed = {
        let mut engine = Engine::new(&world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, scenario.judged_by());
        Timed::new(timing).run_timed(&mut engine, &mut judge, seed)
    };
    assert!(world.error().is_none(), "{:?}", world.error());
    assert!(timed.run.moments.is_sorted());
    let lines = lines(&world, &timed.run.steps, &timed.run.moments).into_iter().map(|line| {
        let (moment, rest) = line.strip_prefix('[').and_then(|line| line.split_once("] ")).expect("a moment");
        let number: f64 = moment.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        format!("{number:.0} {rest}")
    });
    let lines = lines.collect();
    (timed, lines)
}

async fn adds(ctx: Context) -> Result<(), StoreError> {
    match ctx.dht().increment("n", 1).await {
        Ok(n) => ctx.mark_with("answered", &n.unwrap_or(-1).to_string()),
        Err(error) => ctx.mark_with("failed", &error.to_string()),
    }
    Ok(())
}

#[test]
fn a_call_takes_its_time_there_and_back() {
    let one = table(scenario("one").client("a", adds));
    let (timed, lines) = run(&one, steady(&[]), 1);
    assert_eq!(timed.run.ended, Ended::AtRest);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("3 a → ") && lines[1].starts_with("4 a ← "), "{lines:?}");
}

#[test]
fn lost_calls_and_lost_answers_end_with_the_callers_patience() {
    let one = table(scenario("one").client("a", adds));
    // In the world a write that is lost is one that may still arrive, and here it does not.
    let lost = steady(&[("call-timeout", "const:50ms"), ("lost-calls", "1")]);
    let reads = table(scenario("one").client("a", |ctx: Context| async move {
        let _ = ctx.dht().get("n").await;
    }));
    for (one, told) in [(&one, "the call may still arrive"), (&reads, "the call is lost")] {
        let (timed, lines) = run(one, lost.clone(), 1);
        assert_eq!((timed.run.ended, lines.len()), (Ended::AtRest, 1), "{lines:?}");
        assert!(lines[0].starts_with("50 a: no answer") && lines[0].ends_with(told), "{lines:?}");
    }
    let (_, lines) = run(&one, steady(&[("call-timeout", "const:50ms"), ("lost-answers", "1")]), 1);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("3 a → ") && lines[1].ends_with("it was done, the answer is lost"), "{lines:?}");
    // A call that is slow arrives when nobody waits for it any more.
    let (timed, lines) = run(&one, steady(&[("call-timeout", "const:2ms")]), 1);
    assert!(lines[0].starts_with("2 a: no answer") && lines[0].ends_with("may still arrive"), "{lines:?}");
    assert!(lines[1].starts_with("3 a → (late)"), "{lines:?}");
    assert_eq!(timed.run.ended, Ended::AtRest);
}

#[test]
fn a_doubled_call_is_taken_twice() {
    let one = table(scenario("one").client("a", adds));
    let (_, lines) = run(&one, steady(&[("doubled-calls", "1")]), 1);
    assert!(lines[0].starts_with("0 a: ") && lines[0].ends_with("on its way twice"), "{lines:?}");
    let taken = lines.iter().filter(|line| line.contains("a → ")).count();
    assert_eq!(taken, 2, "{lines:?}");
}

/// The lock is put for 30 ms at the moment 3; touched at 14 + 3 it expires 30 ms after that; not touched, it expires at 33.
async fn keeps_a_lock(ctx: Context, touches: bool) -> Result<(), StoreError> {
    let (dht, lease) = (ctx.dht(), Expiration::After(Duration::from_millis(30)));
    dht.put("lock", 1.into(), lease).await?;
    ctx.work("work").await;
    if touches {
        dht.touch("lock", lease).await?;
    } else {
        dht.get("lock").await?;
    }
    ctx.sleep(Duration::from_millis(60)).await;
    Ok(())
}

#[test]
fn an_item_expires_its_duration_after_it_was_last_touched() {
    for (touches, expected) in [(false, "33 "), (true, "47 ")] {
        let one = table(scenario("one").client("a", move |ctx| keeps_a_lock(ctx, touches)));
        let (_, lines) = run(&one, steady(&[]), 1);
        let expiry = lines.iter().find(|line| line.contains("expires")).unwrap_or_else(|| panic!("{lines:?}"));
        assert!(expiry.starts_with(expected), "{touches}: {lines:?}");
    }
}

/// An update that comes too late leaves the item its life.
#[test]
fn an_update_that_comes_too_late_renews_nothing() {
    let program = |late: bool| {
        move |ctx: Context| async move {
            let (dht, lease) = (ctx.dht(), Expiration::After(Duration::from_millis(30)));
            dht.put("lock", 1.into(), lease).await?;
            let Some(item) = dht.get("lock").await? else { return Ok(()) };
            let version = if late { Version(item.version.0 + 1) } else { item.version };
            dht.update_until("lock", 2.into(), version, lease).await?;
            ctx.sleep(Duration::from_millis(90)).await;
            Ok::<_, StoreError>(())
        }
    };
    for (late, expected) in [(false, "41 "), (true, "33 ")] {
        let one = table(scenario("one").client("a", program(late)));
        let (_, lines) = run(&one, steady(&[]), 1);
        let expiry = lines.iter().find(|line| line.contains("expires")).unwrap_or_else(|| panic!("{lines:?}"));
        assert!(expiry.starts_with(expected), "{late}: {lines:?}");
    }
}

async fn waits_for_a_message(ctx: Context) -> Result<(), StoreError> {
    let message = ctx.messages().receive("jobs").await?;
    ctx.work("work").await;
    ctx.messages().acknowledge("jobs", &message).await?;
    Ok(())
}

async fn sends_later(ctx: Context) -> Result<(), StoreError> {
    ctx.sleep(Duration::from_millis(20)).await;
    ctx.messages().send("jobs", 1.into(), 0).await
}

/// The consumer's call is at the queue since the moment 3. The message is sent at 20 and is there at 23; the call that waited is taken a
/// service time after that, not a latency and a service time.
#[test]
fn a_call_that_waits_goes_on_when_it_can() {
    let queue = table(scenario("queue").client("consumer", waits_for_a_message).client("producer", sends_later));
    let (timed, lines) = run(&queue, steady(&[]), 1);
    let received = lines.iter().find(|line| line.contains("consumer → ")).unwrap_or_else(|| panic!("{lines:?}"));
    assert!(received.starts_with("25 "), "{lines:?}");
    assert_eq!(timed.run.ended, Ended::AtRest);
    // A consumer that is slower than the queue's patience has its message delivered again.
    let (_, lines) = run(&queue, steady(&[("work", "const:90ms"), ("redelivery", "const:40ms")]), 1);
    assert!(lines.iter().any(|line| line.starts_with("65 ") && !line.contains("consumer")), "{lines:?}");
}

/// What the process has sent when it dies arrives all the same.
#[test]
fn calls_outlive_their_process() {
    let one = table(scenario("one").client("a", adds));
    let (timed, lines) = run(&one, steady(&[("crash-every", "const:2ms"), ("crash", "const:20ms")]), 1);
    assert!(lines[0].starts_with("2 a: process dies"), "{lines:?}");
    assert!(lines[1].starts_with("3 a → (late)"), "{lines:?}");
    assert_eq!(timed.run.ended, Ended::AtRest);
}

/// Everything that goes wrong by default, at once: no run is refused by the world, none gets stuck.
#[test]
fn trouble_of_every_kind_ends() {
    let busy = table(
        scenario("busy")
            .clients(2, adds)
            .client("keeper", |ctx| keeps_a_lock(ctx, true))
            .client("consumer", waits_for_a_message)
            .client("producer", sends_later),
    );
    let timing = steady(&[
        ("call-timeout", "const:40ms"),
        ("lost-calls", "0.1"),
        ("lost-answers", "0.1"),
        ("doubled-calls", "0.2"),
        ("redelivery", "const:8ms"),
        ("eviction", "exp:100ms"),
        ("node-loss-every", "exp:60ms"),
        ("node-loss", "exp:10ms"),
        ("node-restart-every", "exp:80ms"),
        ("crash-every", "exp:100ms"),
        ("crash", "exp:20ms"),
        ("limit", "10s"),
    ]);
    let mut kinds = std::collections::BTreeMap::new();
    for seed in 0..60 {
        let (timed, lines) = run(&busy, timing.clone(), seed);
        assert!(matches!(timed.run.ended, Ended::AtRest | Ended::Limit), "{lines:?}");
        for step in &timed.run.steps {
            *kinds.entry(step.kind).or_insert(0) += 1;
        }
    }
    use overtake_sim::world::StepKind::{Answer, Call, Crash, Duplicate, NoAnswer, StoreFault};
    for kind in [Call, Answer, NoAnswer, Duplicate, StoreFault, Crash] {
        assert!(kinds.get(&kind).is_some_and(|n| *n > 20), "{kind:?}: {kinds:?}");
    }
}
