//! The chapter of the report: the slide, the methods side by side, how costs grow, and what contention costs.

use std::fmt::Write as _;

use overtake_sim::clock::duration::{MILLISECOND, SECOND, text};

use super::arithmetic::Slide;
use super::ask::{Method, Odds, Question};
use super::chain::exact;
use super::closed::two_clients;
use super::family::{self, Way};
use super::field::Field;
use super::graph::Graph;
use super::starts::Starts;
use super::starvation::{Contention, contention};
use crate::plots::{Line, Picture};
use crate::throughput::{Chapter, Effort, SEED, fit};
use crate::timed::Timing;

/// Mean latency and think time of the chapter, in nanoseconds.
const LATENCY: u64 = MILLISECOND;
const THINK: u64 = 50 * MILLISECOND;

/// Exponential times, so that everything can be told exactly.
fn timing() -> Timing {
    let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
    for (name, value) in [
        ("latency", format!("exp:{}", text(LATENCY))),
        ("work", format!("exp:{}", text(THINK))),
        ("service", "const:0s".into()),
    ] {
        timing.set(name, &value).expect("a parameter");
    }
    timing
}

/// The chapter, with links to pictures in the folder. The same bytes for the same effort, on every machine.
///
/// # Errors
/// A sentence, when a scenario of the chapter makes no world or a program breaks the rules.
pub fn chapter(folder: &str, effort: Effort) -> Result<Chapter, String> {
    let mut chapter = Chapter { markdown: String::new(), pictures: Vec::new() };
    slide(&mut chapter);
    methods(&mut chapter, effort)?;
    growth(&mut chapter, folder)?;
    costs(&mut chapter, folder, effort)?;
    Ok(chapter)
}

fn slide(chapter: &mut Chapter) {
    chapter.markdown += "## Odds\n\n\
        How likely it is that one run of a scenario goes wrong, and how many incidents a month that makes: `overtake odds`.\n\n\
        ### Odds: the slide on Murphy's law\n\n";
    for line in Slide::MURPHY.lines() {
        let _ = writeln!(chapter.markdown, "- {line}");
    }
}

fn estimate(question: &Question<'_>) -> Result<String, String> {
    Ok(match question.answer()?.odds {
        Odds::Never => "0".into(),
        Odds::Exact(value) => format!("{value:.6e}"),
        Odds::Estimated(estimate) => {
            format!("{:.3e} ({:.2e} to {:.2e})", estimate.value, estimate.low, estimate.high)
        }
        Odds::TooLittle(_) => "no answer".into(),
        Odds::Stopped => "stopped".into(),
    })
}

fn methods(chapter: &mut Chapter, effort: Effort) -> Result<(), String> {
    let _ = writeln!(
        chapter.markdown,
        "\n### Odds: methods side by side\n\n\
         Two clients at one cart, each of which reads it, thinks, and writes it with one more; the second begins an exponential gap \
         after the first. Latencies are exponential with a mean of {}, think times of {}. The closed form is worked out by \
         hand; the chain solves the scenario's own states; the other methods sample, with 95 % intervals.\n\n\
         | mean gap | closed form | chain | importance on the race's steps | splitting | plain, {} runs |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: |",
        text(LATENCY),
        text(THINK),
        if effort == Effort::Quick { 2_000 } else { 20_000 }
    );
    let scenario = family::once(Way::Replace, 2);
    let gaps = [100 * MILLISECOND, 10 * SECOND, 520 * SECOND, 52_000 * SECOND, 52_000_000 * SECOND];
    for gap in gaps {
        let ask = |method, within, most_runs| Question {
            timing: timing(),
            starts: Starts::Arriving(gap),
            method,
            within,
            most_runs,
            seed: SEED,
            ..Question::about(&scenario)
        };
        let runs = if effort == Effort::Quick { 2_000 } else { 20_000 };
        let form = two_clients(LATENCY as f64, THINK as f64, gap as f64);
        // The race is led by another chain than the true one here, or there would be nothing to sample.
        let race = estimate(&ask(Method::Race, 0.02, runs))?;
        let split = estimate(&ask(Method::Split, if effort == Effort::Quick { 0.3 } else { 0.1 }, 10 * runs))?;
        let plain = if form > 1e-3 { estimate(&ask(Method::Plain, 0.0, runs))? } else { "–".into() };
        let chain = estimate(&ask(Method::Exact, 0.0, 0))?;
        let _ = writeln!(chapter.markdown, "| {} | {form:.6e} | {chain} | {race} | {split} | {plain} |", text(gap));
    }
    Ok(())
}

fn growth(chapter: &mut Chapter, folder: &str) -> Result<(), String> {
    // So many clients come to a cart in an hour; a cart is one of a thousand.
    let (carts, hour) = (1000.0, 3600 * SECOND);
    let month = 720.0;
    let mut shared = Vec::new();
    for clients in 2..=5usize {
        let graph = Graph::of(&family::once(Way::Replace, clients), &timing(), 1_000_000)
            .map_err(|why| format!("{clients} clients: {why:?}"))?;
        // Neighbours of a Poisson process with so many arrivals an hour.
        let field = Field::new(&graph, Starts::Arriving(hour / clients as u64));
        shared.push((clients as f64, exact(&field)?.value * carts * month));
    }
    let linear: Vec<(f64, f64)> = shared.iter().map(|(n, _)| (*n, shared[0].1 * n / 2.0)).collect();
    let exponent = |points: &[(f64, f64)]| fit(points).map_or(0.0, |fit| fit.exponent);
    let _ = writeln!(
        chapter.markdown,
        "\n### Odds: how incidents grow\n\n\
         A thousand carts, each with so many clients in an hour, whose updates are lost as above (exact). With twice the carts there \
         are twice the incidents. With twice the clients at each cart there are four times as many: twice the updates, and each \
         of them meets twice as many others. The exponent between two and five clients is {:.2}.\n\n\
         | clients an hour at a cart | incidents a month | if it grew in proportion |\n| ---: | ---: | ---: |",
        exponent(&shared)
    );
    for ((clients, incidents), (_, linear)) in shared.iter().zip(&linear) {
        let _ = writeln!(chapter.markdown, "| {clients} | {incidents:.1} | {linear:.1} |");
    }
    chapter.markdown.push('\n');
    picture(
        chapter,
        folder,
        "odds-growth",
        ["Lost updates a month at a thousand carts", "clients an hour at each cart", "incidents a month"],
        vec![
            Line { name: "at one cart".into(), points: shared, dotted: false },
            Line { name: "in proportion".into(), points: linear, dotted: true },
        ],
    );
    Ok(())
}

fn costs(chapter: &mut Chapter, folder: &str, effort: Effort) -> Result<(), String> {
    let contenders: &[usize] = if effort == Effort::Quick { &[1, 2, 4] } else { &[1, 2, 3, 4, 6, 8, 10, 12] };
    let (runs, rounds) = if effort == Effort::Quick { (2, 5) } else { (8, 12) };
    let thinking = |think: &str| {
        let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
        for (name, value) in [("latency", "lognormal:1ms,0.5"), ("work", think), ("service", "exp:200us")] {
            timing.set(name, value).expect("a parameter");
        }
        timing
    };
    let measure =
        |way, think: &str| contention(|n| family::contest(way, n, rounds), contenders, &thinking(think), runs, SEED);
    chapter.markdown += "\n### Odds: what contention costs\n\n\
        Contenders change a document again and again in virtual time, with pauses of up to 100ms in between, until the first of them \
        is done with its rounds. Latencies are \
        log-normal (median 1ms), a store's work exponential (mean 200us). An optimistic client that finds another version begins \
        anew, reads, thinks and writes again: the more there are, and the longer they think, the more attempts one change \
        takes, and some change takes many. Locks are asked for again every 5ms; under one lock for all the contenders change documents \
        of their own, and still wait for each other: the lock is the bottleneck.\n\n\
        | | contenders | attempts a change | most for one change | changes a second | the slowest did, of the quickest |\n\
        | --- | ---: | ---: | ---: | ---: | ---: |\n";
    let think = "lognormal:5ms,0.5";
    let kinds = [
        (Way::Optimistic, "lognormal:500us,0.5"),
        (Way::Optimistic, think),
        (Way::Optimistic, "lognormal:50ms,0.5"),
        (Way::BacksOff, think),
        (Way::Atomic, think),
        (Way::OneLock, think),
        (Way::OwnLock, think),
    ];
    let mut all = Vec::new();
    for (way, think) in kinds {
        let measured = measure(way, think)?;
        let name = format!("{}, thinks {}", way.text(), think.split([':', ',']).nth(1).unwrap_or(think));
        for m in &measured {
            let Contention { contenders, attempts, most, rate, fairness, .. } = m;
            let _ = writeln!(
                chapter.markdown,
                "| {name} | {contenders} | {attempts:.2} | {most} | {rate:.1} | {:.0} % |",
                100.0 * fairness
            );
        }
        all.push((way, name, measured));
    }
    chapter.markdown.push('\n');
    let lines = |wanted: &dyn Fn(Way) -> bool, of: fn(&Contention) -> f64| {
        let those = all.iter().filter(|(way, ..)| wanted(*way));
        let line = |(_, name, measured): &(Way, String, Vec<Contention>)| Line {
            name: name.clone(),
            points: measured.iter().map(|m| (m.contenders as f64, of(m))).collect(),
            dotted: false,
        };
        those.map(line).collect::<Vec<_>>()
    };
    let optimistic = |way| matches!(way, Way::Optimistic | Way::BacksOff);
    let attempts = lines(&optimistic, |m| m.attempts);
    let titles = ["Attempts of optimistic locking", "contenders", "attempts for one change"];
    picture(chapter, folder, "odds-attempts", titles, attempts);
    let titles = ["Changes a second, of all together", "contenders", "changes a second"];
    let rates = lines(&|_| true, |m| m.rate);
    picture(chapter, folder, "odds-throughput", titles, rates);
    Ok(())
}

fn picture(chapter: &mut Chapter, folder: &str, name: &str, [title, across, up]: [&str; 3], lines: Vec<Line>) {
    let picture = Picture { title: title.into(), across: across.into(), up: up.into(), lines };
    match picture.svg() {
        Ok(svg) => {
            let _ = writeln!(chapter.markdown, "![{title}]({folder}/{name}.svg)");
            chapter.pictures.push((format!("{name}.svg"), svg));
        }
        Err(why) => {
            let _ = writeln!(chapter.markdown, "({why}.)");
        }
    }
}
