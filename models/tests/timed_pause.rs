//! The pause question: its numbers are the simulator's, the seed decides them, and they answer what theory says.

use overtake_models::property;
use overtake_models::sample::Judge;
use overtake_models::scenarios;
use overtake_models::timed::pause::{PauseOutcome, PauseQuestion, TIMEOUTS, pause, share, table};
use overtake_models::timed::pause_log::{EXAMPLE, made_up};
use overtake_models::timed::{Fault, Plan, Timed, Timing, roomy};
use overtake_sim::clock::duration::{MILLISECOND, SECOND};
use overtake_sim::clock::empirical::Empirical;
use overtake_sim::clock::{Distribution, Rng};
use overtake_sim::world::{Engine, Reductions};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/gc-pauses.log");

fn constant(text: &str) -> Distribution {
    text.parse().unwrap()
}

/// Everything takes a fixed time, so that an outcome is a matter of the pause's length.
fn fixed() -> Timing {
    Timing {
        latency: constant("const:1ms"),
        service: constant("const:0s"),
        commit: constant("const:2ms"),
        work: constant("const:300s"),
        waking: constant("const:0s"),
        retransmit: constant("const:0s"),
        drift: 0,
        ..Timing::default().healthy()
    }
}

#[test]
fn the_seed_decides_the_answer() {
    let ask = |seed| PauseQuestion::heavy_tailed(2_000, seed).answer(&TIMEOUTS);
    assert_eq!(ask(1), ask(1));
    assert_ne!(ask(1), ask(2));
    let other = std::thread::spawn(move || ask(1)).join().unwrap();
    assert_eq!(ask(1), other);
}

/// The connection is given up two thirds of the time-out after the last answer, which may be a third old when the pause
/// starts, and the library waits up to a second before it connects: so a pause of less than T - T/3 - 1 s never costs a
/// session, one longer than T + tick always does, and one of 2T/3, which one may take for safe, sometimes.
#[test]
fn the_length_of_a_pause_decides() {
    let timing = fixed();
    let outcomes = |length: u64| (0..500).map(move |n| (length, n)).collect::<Vec<_>>();
    let lost = |length: u64| {
        let expired = outcomes(length)
            .into_iter()
            .filter(|(length, n)| pause(&timing, 6 * SECOND, *length, &mut Rng::new(*n)).expired);
        expired.count()
    };
    assert_eq!(lost(2_900 * MILLISECOND), 0);
    assert!((1..100).contains(&lost(3_900 * MILLISECOND)));
    assert!((1..500).contains(&lost(6 * SECOND)));
    assert_eq!(lost(9 * SECOND), 500);
}

/// Far beyond the time-out, everybody goes on believing: the holder stood still while the waiter was granted the lock. And it
/// writes when the work that is left is shorter than the time until it is told.
#[test]
fn a_long_pause_gives_two_believers() {
    let long = |work: &str| {
        let timing = Timing { work: constant(work), ..fixed() };
        pause(&timing, 6 * SECOND, 60 * SECOND, &mut Rng::new(3))
    };
    assert_eq!(long("const:300s"), PauseOutcome { expired: true, believers: true, writers: false });
    assert_eq!(long("const:1ms"), PauseOutcome { expired: true, believers: true, writers: true });
}

/// The same question asked of whole worlds: for each length of a pause, the runs of the scheduler lose the session and break
/// `at most one believer` where the question says so.
#[test]
fn whole_worlds_agree() {
    let lock = scenarios::all().into_iter().find(|s| s.name() == "predecessor lock").unwrap();
    let scenario = roomy(&lock.with_clients(2).property(property::at_most_one_believer()));
    let believer = scenario.judged_by().iter().position(|p| p.name == "at most one believer").unwrap();
    let world = scenario.world().unwrap();
    let mut engine = Engine::new(&world, Reductions::NONE);
    let mut judge = Judge::new(&mut engine, scenario.judged_by());
    // Pings every 7/3 s meet ticks of 2 s in every phase.
    let timed = Timed::new(Timing { timeout: 7 * SECOND, ..fixed() });
    const N: u64 = 60;
    for length in [3, 5, 6, 7, 8, 9, 14] {
        let (mut worlds, mut asked) = (0, 0);
        for seed in 0..N {
            // Of requests that arrive at one moment the server takes the first client's first, so that is the holder. The
            // pause starts anywhere in seven ticks, which are six turns of pings.
            let at = 20 * SECOND + Rng::new(seed).below(14 * SECOND);
            let plan = Plan::new(vec![(at, Fault::ClientPause { slot: 0, length: length * SECOND })]);
            let run = timed.run_plan(&mut engine, &mut judge, seed, &plan);
            worlds += u64::from(run.run.violated == Some(believer));
            asked += u64::from(pause(&timed.timing, 7 * SECOND, length * SECOND, &mut Rng::new(seed)).believers);
        }
        let difference = worlds.abs_diff(asked);
        // Five standard deviations of the difference of two such counts at most.
        assert!(difference <= 27, "{length} s: {worlds} of {N} worlds, {asked} of {N} samples");
        if matches!(length, 3 | 14) {
            assert_eq!(worlds, asked, "{length} s");
        }
    }
}

#[test]
fn longer_time_outs_are_safer_and_heavier_tails_are_not() {
    let points = PauseQuestion::heavy_tailed(20_000, 1).answer(&TIMEOUTS);
    assert!(points.windows(2).all(|pair| pair[0].expired >= pair[1].expired), "{}", table(&points));
    assert!(points.iter().all(|p| p.expired >= p.believers && p.believers >= p.writers));
    assert!(points[0].writers > 0 && points[0].believers > 50, "{}", table(&points));
    // No pause is lost on a time-out that is longer than any.
    let light = PauseQuestion::about(constant("uniform:1ms..100ms"), 2_000, 1).answer(&TIMEOUTS);
    assert!(light.iter().all(|p| p.expired == 0), "{}", table(&light));
    assert!(table(&points).lines().count() == 2 + TIMEOUTS.len());
}

#[test]
fn the_share_has_wilsons_interval() {
    // 10 of 100: the textbook's 5.5 % to 17.4 %.
    let tenth = share(10, 100);
    assert!((tenth.low - 0.0552).abs() < 5e-4 && (tenth.high - 0.1744).abs() < 5e-4, "{tenth:?}");
    let none = share(0, 1_000);
    assert!(none.low == 0.0 && none.high > 0.003 && none.high < 0.004, "{none:?}");
    assert_eq!(share(5, 5).high, 1.0);
}

#[test]
fn the_example_log_is_what_its_head_says() {
    let file = std::fs::read_to_string(DATA).expect("the example log");
    assert_eq!(file, made_up(EXAMPLE.0, EXAMPLE.1), "written by another command than the one in its head");
    let measured = Empirical::read(DATA).unwrap();
    assert_eq!(measured.lengths().len(), EXAMPLE.1);
    let pauses: Distribution = format!("file:{DATA}").parse().unwrap();
    let points = PauseQuestion::about(pauses, 20_000, 1).answer(&[2 * SECOND, 60 * SECOND]);
    assert!(points[0].believers > points[1].believers && points[0].writers > 0, "{}", table(&points));
}
