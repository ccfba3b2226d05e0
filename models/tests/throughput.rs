//! The throughput question: what grows and what does not, and the chapter's bytes.

use overtake_models::throughput::{Contest, Effort, Measurement, SEED, chapter, growth, measure, percentile, run};
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper as _};
use overtake_sim::clock::duration::SECOND;
use overtake_sim::live::{End, Live, Setup, Timing};
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Program};
use overtake_sim::zookeeper::{Config, ZooKeeper};

fn measured(contest: Contest, servers: usize) -> Vec<Measurement> {
    measure(contest, servers, &Timing::default(), Effort::Quick, SEED).expect("honest programs")
}

fn exponent(measured: &[Measurement], of: impl Fn(&Measurement) -> f64) -> f64 {
    growth(measured, of).expect("points").exponent
}

/// Requests a second that three servers answer when 300 clients ask without a pause.
fn saturated(program: Program) -> f64 {
    let mut service = ZooKeeper::new(Config::default());
    service.seed_node(Text::new("/node"), None, CreateMode::Persistent);
    let setup = Setup { service, servers: 3, programs: vec![program; 300], timing: Timing::default(), seed: SEED };
    let mut live = Live::new(setup, ());
    let mut until = |moment| {
        assert_eq!(live.run(moment, |()| false), Ok(End::Limit));
        live.stats().requests
    };
    let before = until(SECOND);
    (until(3 * SECOND) - before) as f64 / 2.0
}

/// Hunt et al., table 1.
#[test]
fn three_servers_saturate_where_zookeepers_authors_measured_it() {
    async fn writes(ctx: Context) -> Result<(), ZkError> {
        loop {
            ctx.zookeeper().set_data("/node", b"", None).await?;
        }
    }
    async fn reads(ctx: Context) -> Result<(), ZkError> {
        loop {
            ctx.zookeeper().get_data("/node").await?;
        }
    }
    // The leader judges and applies each write; each server answers a third of the reads.
    for (program, most, measured) in [
        (Program::new("writes", writes), 1e9 / 48_000.0, 21_000.0),
        (Program::new("reads", reads), 3e9 / 34_000.0, 87_000.0),
    ] {
        let name = program.name().to_owned();
        let rate = saturated(program);
        assert!((rate / most - 1.0).abs() < 0.005, "{name}: {rate} of {most} a second");
        assert!((rate / measured - 1.0f64).abs() < 0.02, "{name}: {rate} a second, measured were {measured}");
    }
}

#[test]
fn the_predecessor_watching_lock_costs_the_same_for_any_number() {
    for servers in [1, 3] {
        let measured = measured(Contest::Predecessor, servers);
        // Two of them do not always meet.
        for m in &measured[2..] {
            // Create, list, watch, list again, delete: with others about, each acquisition costs just that.
            assert!((4.9..=5.1).contains(&m.requests), "{m:?}");
            assert!((0.95..=1.05).contains(&m.wake_ups), "{m:?}");
            assert_eq!(m.holders, 1);
        }
        // Alone, there is nobody to watch.
        assert_eq!((measured[0].requests, measured[0].wake_ups), (3.0, 0.0));
        assert!(exponent(&measured, |m| m.requests).abs() < 0.02);
        assert!(exponent(&measured, |m| 1.0 / m.rate).abs() < 0.05);
    }
}

#[test]
fn the_herd_of_the_parent_watching_lock_grows_with_the_contenders() {
    let bound = |measured: &[Measurement]| measured.iter().all(|m| m.wake_ups <= 1.05);
    for servers in [1, 3] {
        let herd = measured(Contest::Parent, servers);
        assert!(herd.iter().all(|m| m.holders <= 1));
        let last = herd.last().expect("measured");
        // Everybody else is woken by each release, and by many of the arrivals too.
        assert!(last.wake_ups >= (last.contenders - 1) as f64 * 0.9, "{last:?}");
        let wake_ups = exponent(&herd, |m| m.wake_ups);
        assert!((0.7..1.4).contains(&wake_ups), "{wake_ups}");
        // The bound that the other lock keeps is exceeded.
        assert!(bound(&measured(Contest::Predecessor, servers)) && !bound(&herd));
    }
}

#[test]
fn locks_of_their_own_saturate_the_leader() {
    let timing = Timing::default();
    let of = |n| run(Contest::Apart, n, 3, &timing, SEED, 2 * n as u64, 5 * n as u64).expect("honest programs");
    let (few, many) = (of(3), of(200));
    assert!(few.busy[0] < 0.2 && many.busy[0] > 0.9, "{:?} {:?}", few.busy, many.busy);
    // Two writes for each acquisition, each of which takes the leader its work for it and for applying it.
    let most = 1e9 / (2.0 * 48_000.0);
    assert!(many.rate < most * 1.02 && many.rate > most * 0.85, "{} of {most}", many.rate);
    assert!(many.longest_queue > few.longest_queue);
}

#[test]
fn the_burst_at_the_start_is_not_in_the_longest_queue() {
    // All want the lock within the first ten milliseconds; later one request is on its way at a time, and two at a hand-over.
    let of = |settle| run(Contest::Predecessor, 200, 1, &Timing::default(), SEED, settle, 50).expect("honest programs");
    let (burst, settled) = (of(0), of(50));
    assert!(burst.longest_queue > 50 && settled.longest_queue <= 3, "{burst:?} {settled:?}");
}

#[test]
fn a_run_is_a_function_of_its_seed_on_any_thread() {
    let timing = Timing::default();
    let of = move |seed| run(Contest::Parent, 7, 3, &timing, seed, 20, 60).expect("honest programs");
    let here = of(1);
    let threads = [1, 2].map(|seed| {
        let of = of.clone();
        std::thread::spawn(move || of(seed))
    });
    let [same, other] = threads.map(|thread| thread.join().expect("a run"));
    assert_eq!(here, same);
    assert_ne!(here.hand_overs, other.hand_overs);
}

#[test]
fn percentiles_are_ranks() {
    let values: Vec<u64> = (1..=100).collect();
    assert_eq!([0.5, 0.9, 0.99, 1.0].map(|share| percentile(&values, share)), [50, 90, 99, 100].map(Some));
    assert_eq!(percentile(&values[..9], 0.5), None);
}

#[test]
fn the_chapter_is_the_same_bytes_each_time() {
    let first = chapter("pictures", Effort::Quick).expect("honest programs");
    let again = chapter("pictures", Effort::Quick).expect("honest programs");
    assert_eq!(first, again);
    let names: Vec<&str> = first.pictures.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["throughput.svg", "hand-over.svg", "requests.svg", "wake-ups.svg", "pauses.svg"]);
    for (name, svg) in &first.pictures {
        assert!(first.markdown.contains(&format!("(pictures/{name})")));
        assert!(svg.matches("<circle").count() >= 8, "{name}: {svg}");
    }
    for part in ["How the costs grow", "Where the servers saturate", "one server", "three servers", "two believers"] {
        assert!(first.markdown.contains(part), "{part} is missing:\n{}", first.markdown);
    }
}
