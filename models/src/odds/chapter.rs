//! The chapter of the report: the slide, the methods side by side, and how incidents grow.

use std::fmt::Write as _;

use overtake_sim::clock::Rng;
use overtake_sim::clock::duration::{MILLISECOND, SECOND, text};

use super::arithmetic::Slide;
use super::ask::{Method, Odds, Question};
use super::chain::exact;
use super::closed::two_clients;
use super::estimate::{Estimate, counted};
use super::family::{self, Way};
use super::field::Field;
use super::graph::Graph;
use super::starts::Starts;
use super::walk::plain;
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
    side_by_side(&mut chapter, &methods(effort)?);
    grows(&mut chapter, folder, growth()?);
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

/// What each method says of one gap between two clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The mean gap, in nanoseconds.
    pub gap: u64,
    /// By hand.
    pub form: f64,
    /// The scenario's own states, solved.
    pub chain: f64,
    /// Importance sampling on the race's steps.
    pub race: Estimate,
    /// Importance splitting.
    pub split: Estimate,
    /// Plain Monte Carlo, with the number of its runs; where hits are too rare for it, none.
    pub plain: Option<Estimate>,
}

/// Runs of plain Monte Carlo over the states: enough for a hundred hits at 1e-4.
const PLAIN: u64 = 1_000_000;
/// Below that nothing is asked of them.
const TOO_RARE: f64 = 5e-5;

/// The methods side by side, from what is common to one in a thousand million.
///
/// # Errors
/// A sentence, when a method has no answer.
pub fn methods(effort: Effort) -> Result<Vec<Compared>, String> {
    let scenario = family::once(Way::Replace, 2);
    let runs = if effort == Effort::Quick { 2_000 } else { 20_000 };
    let split = if effort == Effort::Quick { 0.05 } else { 0.03 };
    let gaps = [100 * MILLISECOND, 10 * SECOND, 520 * SECOND, 52_000 * SECOND, 52_000_000 * SECOND];
    let compare = |gap| {
        let starts = Starts::Arriving(gap);
        let ask = |method, within, most_runs| {
            let question = Question {
                timing: timing(),
                starts,
                method,
                within,
                most_runs,
                seed: SEED,
                ..Question::about(&scenario)
            };
            match question.answer()?.odds {
                Odds::Estimated(estimate) => Ok(estimate),
                other => Err(format!("{method:?} at a gap of {}: {other:?}", text(gap))),
            }
        };
        let form = two_clients(LATENCY as f64, THINK as f64, gap as f64);
        let graph = Graph::of(&scenario, &timing(), 100_000).map_err(|why| format!("{why:?}"))?;
        let field = Field::new(&graph, starts);
        let few = || plain(&field, PLAIN, &mut Rng::new(SEED));
        Ok(Compared {
            gap,
            form,
            chain: exact(&field)?.value,
            race: ask(Method::Race, 0.02, runs)?,
            split: ask(Method::Split, split, 100 * runs)?,
            plain: (form > TOO_RARE).then(few).map(|batch| counted(batch.hits, batch.runs)),
        })
    };
    gaps.into_iter().map(compare).collect()
}

fn side_by_side(chapter: &mut Chapter, rows: &[Compared]) {
    let _ = writeln!(
        chapter.markdown,
        "\n### Odds: methods side by side\n\n\
         Two clients at one cart, each of which reads it, thinks, and writes it with one more; the second begins an exponential gap \
         after the first. Latencies are exponential with a mean of {}, think times of {}. The closed form is worked out by \
         hand; the chain solves the scenario's own states; the other methods sample, with 95 % intervals. At 1e-9 plain runs \
         would have to be a hundred thousand million for as many hits as they have at 1e-4.\n\n\
         | mean gap | closed form | chain | importance on the race's steps | splitting | plain, {PLAIN} runs |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: |",
        text(LATENCY),
        text(THINK),
    );
    let told = |e: &Estimate| format!("{:.3e} ({:.2e} to {:.2e})", e.value, e.low, e.high);
    for row in rows {
        let Compared { gap, form, chain, race, split, plain } = row;
        let plain = plain.as_ref().map_or("too rare".into(), told);
        let _ = writeln!(
            chapter.markdown,
            "| {} | {form:.6e} | {chain:.6e} | {} | {} | {plain} |",
            text(*gap),
            told(race),
            told(split)
        );
    }
}

/// Incidents a month at a thousand carts, by how many clients come to each in an hour: exact.
///
/// # Errors
/// A sentence, when the states are too many.
pub fn growth() -> Result<Vec<(f64, f64)>, String> {
    let (carts, hour, hours_a_month) = (1000.0, 3600 * SECOND, 720.0);
    let incidents = |clients: usize| {
        let graph = Graph::of(&family::once(Way::Replace, clients), &timing(), 1_000_000)
            .map_err(|why| format!("{clients} clients: {why:?}"))?;
        // Neighbours of a Poisson process with so many arrivals an hour.
        let field = Field::new(&graph, Starts::Arriving(hour / clients as u64));
        Ok((clients as f64, exact(&field)?.value * carts * hours_a_month))
    };
    (2..=5).map(incidents).collect()
}

/// What twice the clients make of the incidents, as the points say.
pub fn twice_the_clients(points: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    let (few, incidents) = points.first()?;
    let (_, more) = points.iter().find(|(clients, _)| *clients == 2.0 * few)?;
    Some((*few, 2.0 * few, more / incidents))
}

fn grows(chapter: &mut Chapter, folder: &str, shared: Vec<(f64, f64)>) {
    let linear: Vec<(f64, f64)> = shared.iter().map(|(n, _)| (*n, shared[0].1 * n / shared[0].0)).collect();
    let exponent = fit(&shared).map_or(0.0, |fit| fit.exponent);
    let twice = twice_the_clients(&shared).map_or(String::new(), |(few, many, times)| {
        let ways = |n: f64| n * (n - 1.0);
        format!(
            "With {many} clients at each cart instead of {few} there are {times:.1} times as many: n clients meet in n(n - 1) ways, \
             {} and {} here, since each update meets each other client. ",
            ways(many),
            ways(few)
        )
    });
    let _ = writeln!(
        chapter.markdown,
        "\n### Odds: how incidents grow\n\n\
         A thousand carts, each with so many clients in an hour, whose updates are lost as above (exact). With twice the carts there \
         are twice the incidents. {twice}The exponent between two and five clients is {exponent:.2}; with many clients it comes to 2.\n\n\
         | clients an hour at a cart | incidents a month | if it grew in proportion | n(n - 1), in proportion |\n\
         | ---: | ---: | ---: | ---: |",
    );
    for ((clients, incidents), (_, linear)) in shared.iter().zip(&linear) {
        let pairs = shared[0].1 * clients * (clients - 1.0) / (shared[0].0 * (shared[0].0 - 1.0));
        let _ = writeln!(chapter.markdown, "| {clients} | {incidents:.1} | {linear:.1} | {pairs:.1} |");
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
}

/// Adds a picture to the chapter and to its text: its title, what goes across and what up.
pub fn picture(chapter: &mut Chapter, folder: &str, name: &str, [title, across, up]: [&str; 3], lines: Vec<Line>) {
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
