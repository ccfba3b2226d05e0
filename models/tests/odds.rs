//! Odds: exact chains against closed forms, sampling against both, intervals that cover, and refusals.

mod odds_told;

use std::time::Duration;

use overtake_models::odds::family::{self, Way};
use overtake_models::odds::{
    Answer, Estimate, Field, Graph, Method, Odds, Question, Starts, counted, exact, plain, replicated, split,
    two_clients,
};
use overtake_models::property::Property;
use overtake_models::throughput::{Effort, fit};
use overtake_models::timed::Timing;
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::dht::Expiration;
use overtake_recipes::store::documents::{Documents as _, Filter, Isolation, Op, eq};
use overtake_recipes::store::{Dht as _, Search as _, doc};
use overtake_recipes::{DataEnvironment, Environment, StoreError, ZkError, ZooKeeper};
use overtake_sim::clock::Rng;
use overtake_sim::clock::duration::{HOUR, MILLISECOND, SECOND};
use overtake_sim::names::Text;
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Search, Stores};

fn timing(parameters: &[(&str, &str)]) -> Timing {
    let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
    for (name, value) in parameters {
        timing.set(name, value).expect("a parameter");
    }
    timing
}

/// Exponential latencies of a millisecond, think times of fifty.
fn exponential() -> Timing {
    timing(&[("latency", "exp:1ms"), ("work", "exp:50ms"), ("service", "const:0s")])
}

fn ask<'a>(scenario: &'a Scenario, timing: Timing, starts: Starts, method: Method) -> Question<'a> {
    Question { timing, starts, method, ..Question::about(scenario) }
}

fn estimated(answer: &Answer) -> Estimate {
    match &answer.odds {
        Odds::Estimated(estimate) => *estimate,
        other => panic!("{other:?}"),
    }
}

fn solved(scenario: &Scenario, timing: &Timing, starts: Starts) -> f64 {
    let graph = Graph::of(scenario, timing, 100_000).expect("a graph");
    exact(&Field::new(&graph, starts)).expect("exponential times").value
}

/// Reads the tally, thinks, and writes it with one more mark, whatever it is by then, or only if it is still the same.
async fn adds(ctx: Context, guarded: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("read", &[]);
        let (mut data, stat) = zk.get_data("/tally").await?;
        ctx.work("think").await;
        data.push(b'|');
        match zk.set_data("/tally", &data, guarded.then_some(stat.version)).await {
            Err(ZkError::BadVersion) => {}
            written => return written.map(drop),
        }
    }
}

fn tally(clients: usize, guarded: bool) -> Scenario {
    scenario("tally").node("/tally").clients(clients, move |ctx| adds(ctx, guarded)).property(Property::at_rest(
        "every mark is there",
        "seed 3, snippet 1",
        move |view| {
            let data = view.zookeeper().data(Text::new("/tally")).flatten();
            let marks = data.map_or(0, |data| data.full().len());
            if marks == clients { Ok(()) } else { Err(format!("{marks} marks of {clients}")) }
        },
    ))
}

mod exactly {
    use super::*;

    /// The formula is derived in `models/src/odds/closed.rs`; the chain knows nothing of it but the programs.
    #[test]
    fn the_chain_is_the_closed_form() {
        for scenario in [tally(2, false), family::once(Way::Replace, 2)] {
            for gap in [10 * MILLISECOND, SECOND, 60 * SECOND, HOUR, 52_000_000 * SECOND] {
                let form = two_clients(1e6, 50e6, gap as f64);
                let chain = solved(&scenario, &exponential(), Starts::Arriving(gap));
                assert!((chain / form - 1.0).abs() < 1e-12, "{} {gap}: {chain:e}, not {form:e}", scenario.name());
            }
        }
        assert!((two_clients(1e6, 50e6, 52e15) - 1e-9).abs() < 1e-15);
    }

    /// A service time is a second stage: with stages of 1 and 2 the window is longer by what the formula of rare meetings
    /// says, and the chain agrees with plain runs over the same states.
    #[test]
    fn stages_are_states() {
        let mut timing = exponential();
        timing.set("service", "exp:5ms").expect("a parameter");
        let gap = 60 * SECOND;
        let graph = Graph::of(&tally(2, false), &timing, 100_000).expect("a graph");
        let field = Field::new(&graph, Starts::Arriving(gap));
        let chain = exact(&field).expect("exponential times");
        // From one read to its write: a latency, a think time, a latency, a service time.
        assert!((chain.value * 60e9 / 57e6 - 1.0).abs() < 2e-3, "{}", chain.value);
        assert!(chain.states > field.len());
        let near = Field::new(&graph, Starts::Arriving(100 * MILLISECOND));
        let (chain, runs) = (exact(&near).expect("exponential times").value, plain(&near, 200_000, &mut Rng::new(1)));
        assert!(counted(runs.hits, runs.runs).covers(chain), "{chain} {runs:?}");
    }

    #[test]
    fn only_exponential_times_are_exact() {
        let scenario = tally(2, false);
        let question = |starts, method| ask(&scenario, exponential(), starts, method).answer();
        assert!(question(Starts::Within(HOUR), Method::Exact).unwrap_err().contains("only exponential"));
        let auto = |starts| question(starts, Method::Auto).expect("an answer").method;
        assert_eq!(auto(Starts::Arriving(HOUR)), Method::Exact);
        assert_eq!(auto(Starts::AtOnce), Method::Exact);
        assert_eq!(auto(Starts::Within(HOUR)), Method::Race);
    }

    /// With twice as many clients at one document there are more than twice as many updates lost: each client meets each other one.
    #[test]
    fn incidents_grow_with_the_square() {
        let incidents = |clients: u64| {
            let each =
                solved(&family::once(Way::Replace, clients as usize), &exponential(), Starts::Arriving(HOUR / clients));
            (clients as f64, each)
        };
        let points: Vec<_> = (2..=4).map(incidents).collect();
        // Of n arrivals in a row n - 1 pairs are neighbours, each n times as close as one would be.
        let pairs = |n: f64| n * (n - 1.0);
        assert!((points[2].1 / points[0].1 / (pairs(4.0) / pairs(2.0)) - 1.0).abs() < 1e-3, "{points:?}");
        assert!(fit(&points).expect("a fit").exponent > 2.0);
    }
}

mod sampled {
    use super::*;

    /// At a probability that plain runs can see, all methods say the same, full virtual time among them.
    #[test]
    fn all_methods_agree() {
        let starts = Starts::Arriving(SECOND);
        for scenario in [tally(2, false), family::once(Way::Replace, 2)] {
            let truth = solved(&scenario, &exponential(), starts);
            for (method, runs) in
                [(Method::Race, 2_000), (Method::Split, 40_000), (Method::Plain, 20_000), (Method::Starts, 10_000)]
            {
                let question =
                    Question { within: 0.05, most_runs: runs, ..ask(&scenario, exponential(), starts, method) };
                let answer = question.answer().expect("an answer");
                let estimate = estimated(&answer);
                // The race is exact where times are exponential.
                let near = (estimate.value / truth - 1.0).abs() < 1e-9;
                assert!(near || estimate.covers(truth), "{method:?}: {truth} is not in {estimate:?}");
            }
        }
    }

    /// Plain Monte Carlo at 1e-4 sees what the chain says.
    #[test]
    fn plain_runs_at_one_in_ten_thousand() {
        let graph = Graph::of(&tally(2, false), &exponential(), 100_000).expect("a graph");
        let field = Field::new(&graph, Starts::Arriving(520 * SECOND));
        let truth = exact(&field).expect("exponential times").value;
        assert!((truth * 1e4 - 1.0).abs() < 1e-3, "{truth}");
        let runs = plain(&field, 1_000_000, &mut Rng::new(1));
        assert!(counted(runs.hits, runs.runs).covers(truth), "{truth} {runs:?}");
    }

    /// One in a thousand million, within twenty parts of a hundred: against the chain by splitting, and by importance on the
    /// steps where times are not exponential and the truth is the mean window over the mean gap.
    #[test]
    fn one_in_a_thousand_million() {
        let scenario = family::once(Way::Replace, 2);
        let starts = Starts::Arriving(52_000_000 * SECOND);
        let truth = solved(&scenario, &exponential(), starts);
        assert!((truth * 1e9 - 1.0).abs() < 1e-6);
        for method in [Method::Race, Method::Split, Method::Starts] {
            let question = Question { within: 0.1, ..ask(&scenario, exponential(), starts, method) };
            let estimate = estimated(&question.answer().expect("an answer"));
            assert!((estimate.value / truth - 1.0).abs() < 0.2, "{method:?}: {estimate:?}");
            assert!(estimate.relative() <= 0.1, "{method:?}: {estimate:?}");
        }
        for (latency, work, window) in [
            ("const:1ms", "const:50ms", 52.0),
            ("lognormal:1ms,0.5", "lognormal:50ms,0.5", (2.0 + 50.0) * (0.125f64).exp()),
            ("uniform:0s..2ms", "pareto:20ms,1.5,cap=1s", 2.0 + 60.0 - 40.0 * (0.02f64).sqrt()),
        ] {
            let timing = timing(&[("latency", latency), ("work", work), ("service", "const:0s")]);
            let truth = window * 1e6 / 52e15;
            let question = Question { within: 0.05, ..ask(&scenario, timing, starts, Method::Race) };
            let estimate = estimated(&question.answer().expect("an answer"));
            assert!((estimate.value / truth - 1.0).abs() < 0.2, "{latency} {work}: {truth:e} {estimate:?}");
        }
    }

    /// Of forty seeds nearly all give an interval that holds the truth.
    #[test]
    fn intervals_cover_the_truth() {
        let scenario = family::once(Way::Replace, 2);
        let starts = Starts::Arriving(52_000_000 * SECOND);
        let uneven = || timing(&[("latency", "const:1ms"), ("work", "uniform:10ms..90ms"), ("service", "const:0s")]);
        let cases = [
            (Method::Race, uneven(), starts, 52e6 / 52e15, 1_024),
            (Method::Split, exponential(), starts, solved(&scenario, &exponential(), starts), 4_096),
        ];
        for (method, timing, starts, truth, most_runs) in cases {
            covers(method, timing, starts, truth, most_runs);
        }
    }

    /// Splitting where nothing is rare: a third of the runs goes wrong, and the intervals hold that as often as they say.
    #[test]
    fn intervals_of_splitting_cover_what_is_common() {
        let starts = Starts::Arriving(100 * MILLISECOND);
        let truth = two_clients(1e6, 50e6, 100e6);
        assert!((truth - 0.346).abs() < 1e-3);
        covers(Method::Split, exponential(), starts, truth, 4_096);
    }

    /// The mean of many replications of splitting is the truth: no bias beyond one part in seventy.
    #[test]
    fn splitting_is_unbiased() {
        let graph = Graph::of(&family::once(Way::Replace, 2), &exponential(), 100_000).expect("a graph");
        let field = Field::new(&graph, Starts::Arriving(100 * MILLISECOND));
        let truth = exact(&field).expect("exponential times").value;
        let seed = Rng::new(7);
        let values: Vec<f64> = (0..2_000).map(|run| split(&field, 64, &mut seed.fork(run))).collect();
        let estimate = replicated(&values).expect("an estimate");
        println!("{truth} {estimate:?}");
        assert!(estimate.covers(truth) && estimate.relative() < 0.015, "{truth} {estimate:?}");
    }

    /// The same for plain runs of clients that begin at once, of which 5 in 1,024 go well: too few for an interval about means of
    /// batches, which is why runs of equal weight are counted.
    #[test]
    fn plain_intervals_cover_the_truth() {
        let truth = solved(&family::once(Way::Replace, 2), &exponential(), Starts::AtOnce);
        covers(Method::Plain, exponential(), Starts::AtOnce, truth, 1_024);
    }

    fn covers(method: Method, timing: Timing, starts: Starts, truth: f64, most_runs: u64) {
        let scenario = family::once(Way::Replace, 2);
        let covered = (0..40).filter(|seed| {
            let question = ask(&scenario, timing.clone(), starts, method);
            let answer = Question { seed: *seed, within: 0.0, most_runs, ..question }.answer().expect("an answer");
            estimated(&answer).covers(truth)
        });
        let covered = covered.count();
        assert!((34..=40).contains(&covered), "{method:?}: {covered} of 40 hold {truth:e}");
    }

    #[test]
    fn threads_change_nothing() {
        let scenario = family::once(Way::Replace, 2);
        let timing = timing(&[("work", "lognormal:50ms,0.5")]);
        for method in [Method::Race, Method::Split, Method::Starts, Method::Plain] {
            let answer = |threads| {
                let question = ask(&scenario, timing.clone(), Starts::Arriving(SECOND), method);
                Question { threads, most_runs: 2_000, ..question }.answer().expect("an answer")
            };
            assert_eq!(answer(1), answer(3), "{method:?}");
        }
    }
}

/// Types two letters, three hundred milliseconds apart, and shows whatever is found.
async fn shows_what_arrives(ctx: Context) {
    let mut open = Vec::new();
    for input in ["a", "ab"] {
        ctx.mark_with("typed", input);
        let (search, shown) = (ctx.search(), ctx.clone());
        open.push(ctx.spawn_task(async move {
            if let Ok(result) = search.query(input).await {
                shown.mark_with("shows", &result);
            }
        }));
        ctx.sleep(Duration::from_millis(300)).await;
    }
    for task in open {
        task.await;
    }
}

fn look_ups() -> Scenario {
    scenario("look-ups")
        .client("user", shows_what_arrives)
        .stores(Stores { search: Some(Search), ..Stores::default() })
        .property(Property::at_rest("the display belongs to the last input", "seed 3", |view| {
            let client = view.client(0);
            let (typed, shows) = (client.mark("typed").flatten(), client.mark("shows").flatten());
            if typed == shows { Ok(()) } else { Err(format!("{typed:?} is typed, {shows:?} is shown")) }
        }))
}

/// One look-up overtakes the other only if it is three hundred milliseconds quicker: a tail, and no matter of when clients begin.
#[test]
fn tails_of_latencies_are_reached() {
    let look_ups = look_ups();
    // X and Y are two latencies of rate a each: P(X > t + Y) = E e^(-a(t + Y)) (1 + a(t + Y)) = e^(-at) (2 + at) / 4.
    for (latency, mean) in [("exp:60ms", 60.0f64), ("exp:15ms", 15.0)] {
        let at: f64 = 300.0 / mean;
        let truth = (-at).exp() * (2.0 + at) / 4.0;
        let timing = timing(&[("latency", latency), ("service", "const:0s")]);
        let question = Question { within: 0.05, ..ask(&look_ups, timing.clone(), Starts::AtOnce, Method::Race) };
        let estimate = estimated(&question.answer().expect("an answer"));
        assert!((estimate.value / truth - 1.0).abs() < 0.1, "{latency}: {truth:e} {estimate:?}");
        if mean > 20.0 {
            let question =
                Question { most_runs: 20_000, within: 0.0, ..ask(&look_ups, timing, Starts::AtOnce, Method::Plain) };
            let estimate = estimated(&question.answer().expect("an answer"));
            assert!(estimate.covers(truth), "{truth:e} {estimate:?}");
        }
    }
}

/// Takes the lock by PUT with an expiration, works, and gives it back.
async fn works_under_a_lock(ctx: Context) -> Result<(), StoreError> {
    let dht = ctx.dht();
    loop {
        ctx.checkpoint("ask", &[]);
        if dht.put("lock", 1.into(), Expiration::After(Duration::from_millis(40))).await? {
            break;
        }
        ctx.sleep(Duration::from_millis(7)).await;
    }
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    dht.del("lock").await?;
    Ok(())
}

/// Clocks that run on through others' steps: an item expires after its own duration, in the graph as in virtual time.
#[test]
fn items_expire_in_time() {
    let lease = scenario("lease")
        .clients(2, works_under_a_lock)
        .stores(Stores { dht: Some(Dht::seed(1)), ..Stores::default() })
        .key_expiries(3)
        .property(Property::always("one holder", "semantics §6", |view| {
            let holders = view.clients().filter(|client| client.is_marked("holds")).count();
            if holders < 2 { Ok(()) } else { Err("two hold the lock".into()) }
        }));
    let timing = timing(&[("latency", "lognormal:1ms,0.5"), ("work", "exp:25ms"), ("service", "exp:200us")]);
    let answer = |method, most_runs| {
        let question = ask(&lease, timing.clone(), Starts::AtOnce, method);
        estimated(&Question { within: 0.0, most_runs, ..question }.answer().expect("an answer"))
    };
    let (race, plain) = (answer(Method::Race, 2_048), answer(Method::Plain, 16_384));
    assert!(race.low < plain.high && plain.low < race.high, "{race:?} {plain:?}");
    assert!((0.05..0.5).contains(&plain.value), "{plain:?}");
}

/// Reads the document with a lock, in a transaction; waits where another has it.
async fn locks_a_document(ctx: Context) -> Result<(), StoreError> {
    let documents = ctx.documents();
    documents.within(1, "carts", Op::Begin(Isolation::ReadCommitted)).await?;
    ctx.mark_with("asks", "now");
    let first: Filter = eq("_id", 1);
    documents.within(1, "carts", Op::FindForUpdate(first)).await?;
    ctx.mark("has it");
    ctx.work("work").await;
    documents.within(1, "carts", Op::Commit).await?;
    ctx.mark("done");
    Ok(())
}

/// A call that had to wait at its store is taken a service time after it can be, in the graph as in virtual time.
#[test]
fn calls_that_wait_go_on() {
    let rows = scenario("rows")
        .client("first", locks_a_document)
        .client("second", locks_a_document)
        .client("timer", |ctx: Context| async move {
            ctx.sleep(Duration::from_millis(30)).await;
            ctx.mark("late");
        })
        .stores(Stores {
            documents: Some(Documents::new().with("carts", doc([("_id", 1.into())]))),
            ..Stores::default()
        })
        .property(Property::always("the second is not late", "for the test", |view| {
            let (second, timer) = (view.client(1), view.client(2));
            let late = timer.is_marked("late") && second.is_marked("asks") && !second.is_marked("done");
            if late { Err("the second is not done in time".into()) } else { Ok(()) }
        }));
    let timing = timing(&[("latency", "lognormal:1ms,0.5"), ("work", "exp:8ms"), ("service", "exp:500us")]);
    let answer = |method, most_runs| {
        let question = ask(&rows, timing.clone(), Starts::AtOnce, method);
        estimated(&Question { within: 0.0, most_runs, ..question }.answer().expect("an answer"))
    };
    let (race, plain) = (answer(Method::Race, 4_096), answer(Method::Plain, 16_384));
    assert!(race.low < plain.high && plain.low < race.high, "{race:?} {plain:?}");
    assert!((0.02..0.6).contains(&plain.value), "{plain:?}");
}

mod refusals {
    use super::*;

    /// What is proved has no odds to be estimated.
    #[test]
    fn what_cannot_go_wrong_is_told() {
        for scenario in [tally(2, true), family::once(Way::Optimistic, 2), family::once(Way::Atomic, 2)] {
            let answer =
                ask(&scenario, exponential(), Starts::Arriving(HOUR), Method::Auto).answer().expect("an answer");
            assert_eq!(answer.odds, Odds::Never, "{}", scenario.name());
            assert!(answer.states.is_some_and(|states| states > 10) && answer.violated.is_empty());
        }
    }

    #[test]
    fn too_little_effort_is_told() {
        let rare = Starts::Arriving(52_000_000 * SECOND);
        let (tally, look_ups) = (tally(2, false), look_ups());
        let cases = [
            (&tally, rare, Method::Plain, 500, "none of 512 runs"),
            (&tally, rare, Method::Starts, 1, "worth"),
            // No step of a look-up that overtakes is likely, so there is nothing to split.
            (&look_ups, Starts::AtOnce, Method::Split, 5_000, "replications saw nothing"),
        ];
        for (scenario, starts, method, most_runs, expected) in cases {
            let timing = timing(&[("latency", "exp:15ms"), ("work", "lognormal:50ms,2"), ("service", "const:0s")]);
            let question = Question { most_runs, ..ask(scenario, timing, starts, method) };
            let odds = question.answer().expect("an answer").odds;
            assert!(matches!(&odds, Odds::TooLittle(why) if why.contains(expected)), "{method:?}: {odds:?}");
        }
    }

    #[test]
    fn faults_are_left_to_full_virtual_time() {
        let scenario = tally(2, false);
        let mut troubled = exponential();
        troubled.set("client-pause-every", "exp:10s").expect("a parameter");
        let why = ask(&scenario, troubled.clone(), Starts::AtOnce, Method::Race).answer().unwrap_err();
        assert!(why.contains("client-pause-every exp:10s") && why.contains("plain"), "{why}");
        let question =
            Question { most_runs: 1_000, ..ask(&scenario, troubled, Starts::Arriving(SECOND), Method::Auto) };
        let answer = question.answer().expect("an answer");
        assert_eq!(answer.method, Method::Starts);
        assert!(answer.assumptions.iter().any(|line| line.contains("client-pause-every")), "{:?}", answer.assumptions);
    }

    #[test]
    fn a_space_too_large_is_told() {
        let scenario = tally(2, false);
        let question = Question { most_states: 10, ..ask(&scenario, exponential(), Starts::AtOnce, Method::Exact) };
        assert!(question.answer().unwrap_err().contains("more than 10 states"));
        let question = Question { method: Method::Auto, most_runs: 1_000, ..question };
        assert_eq!(question.answer().expect("an answer").method, Method::Plain);
    }

    #[test]
    fn what_is_stopped_says_so() {
        let scenario = tally(2, false);
        let question = ask(&scenario, exponential(), Starts::Within(HOUR), Method::Race);
        question.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(question.answer().expect("an answer").odds, Odds::Stopped);
    }
}
