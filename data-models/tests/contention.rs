//! What contention costs: attempts grow with contenders and think times, a number of attempts is used up, a lock for all is a bottleneck.

use overtake_data_models::contention::{Contest, Locks, Way, chapter, locks, used_up};
use overtake_data_recipes::optimistic::until_it_is_in;
use overtake_models::odds::starvation::{Contention, contention};
use overtake_models::throughput::Effort;
use overtake_models::timed::Timing;
use std::time::Duration;

const REST: Duration = Duration::from_millis(100);

fn measure(way: &Way, work: &str) -> Vec<Contention> {
    let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
    for (name, value) in [("latency", "lognormal:1ms,0.5"), ("work", work), ("most-steps", "1000000")] {
        timing.set(name, value).expect("a parameter");
    }
    let contest = Contest { way: way.clone(), rounds: 6, rest: REST };
    contention(|n| contest.of(n), &[1, 2, 4], &timing, 4, 1).expect("measurements")
}

/// More contenders, and longer thoughts, make more attempts.
#[test]
fn attempts_grow_with_contenders_and_think_times() {
    let optimistic = Way::Optimistic(until_it_is_in());
    let (short, long) = (measure(&optimistic, "lognormal:500us,0.5"), measure(&optimistic, "lognormal:50ms,0.5"));
    assert_eq!((short[0].attempts.value, short[0].most, short[0].fairness), (1.0, 1, 1.0));
    assert!(long[1].attempts.value > 1.2 && long[2].attempts.value > long[1].attempts.value, "{long:?}");
    assert!(long[2].attempts.value > short[2].attempts.value && long[2].most > 3, "{short:?} {long:?}");
    assert!(short.iter().chain(&long).all(|m| m.given_up.value == 0.0), "nothing is given up for ever");
    let atomic = measure(&Way::Atomic, "lognormal:50ms,0.5");
    assert!(atomic.iter().all(|m| m.attempts.value == 1.0), "{atomic:?}");
}

/// The chapter says what its tables say: a few attempts are used up, a hundred are not, but by one that thinks long among others; and
/// what it calls a bottleneck is one.
#[test]
fn the_chapter_says_what_is_measured() {
    let chapter = chapter("report", Effort::Quick).expect("a chapter");
    println!("{}", chapter.markdown);
    assert_eq!(chapter.pictures.len(), 3);
    let measured = used_up(Effort::Quick).expect("measurements");
    let last = |at: usize| measured[at].1.last().expect("contenders");
    assert!(last(0).given_up.low > last(2).given_up.value, "{measured:?}");
    assert_eq!(last(2).given_up.value, 0.0, "{measured:?}");
    assert!(last(4).given_up.value > 0.5 && last(4).most == 100, "{:?}", last(4));
    for (name, measured) in &measured {
        for m in measured {
            assert!(m.given_up.covers(m.given_up.value), "{m:?}");
            let row = format!("| {name} | {} | {} | {:.2} ±", m.contenders, m.rounds, m.attempts.value);
            assert!(chapter.markdown.contains(&row), "the same each time: {row}");
        }
    }
    let all = locks(Effort::Quick).expect("measurements");
    for locks in &all {
        assert!(chapter.markdown.contains(&locks.sentence()), "{}", locks.sentence());
        let (ratios, bottleneck) = (locks.ratios(), locks.bottleneck());
        assert!((ratios[0].1 - 1.0).abs() < 0.1, "alone there is nobody to wait for: {ratios:?}");
        for (contenders, ratio) in ratios {
            let said = bottleneck.from.is_some_and(|from| from <= contenders);
            assert!(!said || ratio >= 1.5, "{contenders} contenders: {ratio}");
        }
        assert_eq!(locks.sentence().contains("is the bottleneck from"), bottleneck.from.is_some());
    }
    let long = all.last().expect("think times");
    assert!(long.bottleneck().from.is_some_and(|from| from <= 4) && long.bottleneck().ratio > 2.0, "{long:?}");
    // The intervals are apart, too.
    let (one, own) = (long.one.last().expect("contenders"), long.own.last().expect("contenders"));
    assert!(one.rate.high < own.rate.low, "{one:?} {own:?}");
}

/// Where nothing is won without the lock the chapter says so.
#[test]
fn a_lock_that_is_no_bottleneck_is_not_called_one() {
    let own = measure(&Way::OwnLock, "lognormal:500us,0.5");
    let short = Locks { think: "500us", one: own.clone(), own };
    assert_eq!(short.bottleneck().from, None);
    assert!(
        short.sentence().contains("no bottleneck") && short.sentence().contains("1.0 times"),
        "{}",
        short.sentence()
    );
}
