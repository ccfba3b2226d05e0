//! `odds`: how likely one run goes wrong, and how many incidents a month that makes.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use overtake_models::Scenario;
use overtake_models::odds::{
    Answer, DAYS_A_MONTH, Estimate, Method, Odds, Question, Slide, Starts, Traffic, at_least_one, months,
};
use overtake_models::search::Limits;
use overtake_models::timed::Timing;
use overtake_sim::clock::duration::{self, DAY, HOUR};
use serde_json::{Value, json};

use super::args::Bounds;
use super::exit::{Exit, Failure, Outcome};
use super::names::{bounded, typed_bounds};
use super::progress::Watcher;
use super::screen::{BAD, BUG, FAINT, GOOD, STRONG, field, grouped, quoted, say, styled};
use super::{CommandLine, interrupts};
use crate::guard::guarded;

/// A month, in nanoseconds.
const MONTH: u64 = DAYS_A_MONTH * DAY;

/// What to ask.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Odds")]
pub(in crate::cli) struct Asking {
    /// Clients come to one thing so often within the time of --per, one after the other as a Poisson process
    #[arg(long, value_name = "N", requires = "per", value_parser = positive)]
    pub rate: Option<f64>,
    /// The period of --rate (hour, day, month, 90min …); without --rate each client of a run begins once in it, at any moment
    #[arg(long, value_name = "TIME", value_parser = period)]
    pub per: Option<u64>,
    /// Things that the race is about: carts, groups, documents
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = positive)]
    pub things: f64,
    /// Similar cases: places in the programs with the same mistake
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = positive)]
    pub cases: f64,
    /// One way between a client and its server or store: exp:2ms, lognormal:1ms,0.5, uniform:1ms..3ms, const:1ms, pareto:…, file:PATH
    #[arg(long, value_name = "DIST")]
    pub latency: Option<String>,
    /// A piece of work of a program: between reading and writing, inside a critical section
    #[arg(long, value_name = "DIST")]
    pub think: Option<String>,
    /// A server's or store's work for one request
    #[arg(long, value_name = "DIST")]
    pub service: Option<String>,
    /// Any other length of time or share, by the name that is printed: --time client-pause-every=exp:1h
    #[arg(long, value_name = "NAME=VALUE")]
    pub time: Vec<String>,
    /// How the probability is found
    #[arg(long, value_enum, default_value_t = How::Auto)]
    pub method: How,
    /// The interval wanted: plus and minus so much of the estimate
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = share)]
    pub within: f64,
    /// Most runs
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub runs: u64,
    /// Most states that are kept in memory
    #[arg(long, value_name = "N", default_value_t = 300_000, value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    pub states: u64,
    /// Seed of every draw
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads; they do not change what is found [default: as many as cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Only the arithmetic, for this probability of one case
    #[arg(long, value_name = "P", conflicts_with = "slide", value_parser = probability)]
    pub chance: Option<f64>,
    /// The arithmetic of the slide on Murphy's law
    #[arg(long)]
    pub slide: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum How {
    /// Exactly where every time is exponential, else race, else starts
    Auto,
    /// The chain of exponential times, solved
    Exact,
    /// Importance sampling on the steps of the race window
    Race,
    /// Importance splitting by the number of steps to a violation
    Split,
    /// Full virtual time (pauses, faults), importance sampling on when clients begin
    Starts,
    /// Full virtual time, plain Monte Carlo
    Plain,
}

impl How {
    fn method(self) -> Method {
        match self {
            Self::Auto => Method::Auto,
            Self::Exact => Method::Exact,
            Self::Race => Method::Race,
            Self::Split => Method::Split,
            Self::Starts => Method::Starts,
            Self::Plain => Method::Plain,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.replace([',', '_'], "").parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 1e15 => Ok(number),
        _ => Err(format!("{text:?} is not a number above 0")),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(format!("{text:?} is not a probability from 0 to 1, such as 1e-9")),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').map(|share| share.trim().parse::<f64>()) {
        Some(Ok(share)) if (0.1..=100.0).contains(&share) => Ok(share / 100.0),
        _ => Err(format!("{text:?} is not a share from 0.1% to 100%")),
    }
}

fn period(text: &str) -> Result<u64, String> {
    match text.trim() {
        "hour" => Ok(HOUR),
        "day" => Ok(DAY),
        "week" => Ok(7 * DAY),
        "month" => Ok(MONTH),
        other => match duration::parse(other)? {
            0 => Err("a period of no length".into()),
            length => Ok(length),
        },
    }
}

impl Asking {
    fn timing(&self) -> Result<Timing, String> {
        let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
        let short = [("latency", &self.latency), ("work", &self.think), ("service", &self.service)];
        for (name, value) in short {
            if let Some(value) = value {
                timing.set(name, value)?;
            }
        }
        for parameter in &self.time {
            let (name, value) = parameter
                .split_once('=')
                .ok_or_else(|| format!("{parameter:?} is no NAME=VALUE such as client-pause-every=exp:1h"))?;
            timing.set(name.trim(), value.trim())?;
        }
        Ok(timing)
    }

    fn starts(&self) -> Result<Starts, String> {
        match (self.rate, self.per) {
            (None, None) => Ok(Starts::AtOnce),
            (None, Some(period)) => Ok(Starts::Within(period)),
            (Some(rate), Some(period)) => match (period as f64 / rate) as u64 {
                0 => Err(format!("--rate {rate} is more than one in a nanosecond")),
                gap => Ok(Starts::Arriving(gap)),
            },
            (Some(_), None) => Err("--rate needs --per".into()),
        }
    }

    /// Runs at one thing in a month: of the scenario, or (where clients arrive) of pairs of neighbours.
    fn runs_a_month(&self) -> Option<f64> {
        let per = self.per?;
        Some(self.rate.unwrap_or(1.0) * (MONTH as f64 / per as f64))
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(Traffic { things: self.things, runs: self.runs_a_month()?, cases: self.cases })
    }

    /// What decides the answer, as it is typed.
    fn typed(&self) -> Vec<String> {
        let mut typed = Vec::new();
        typed.extend(self.rate.map(|rate| format!("--rate {rate}")));
        typed.extend(self.per.map(|per| format!("--per {}", duration::text(per))));
        for (name, number) in [("things", self.things), ("cases", self.cases)] {
            if number != 1.0 {
                typed.push(format!("--{name} {number}"));
            }
        }
        for (name, value) in [("latency", &self.latency), ("think", &self.think), ("service", &self.service)] {
            typed.extend(value.as_ref().map(|value| format!("--{name} {}", quoted(value))));
        }
        typed.extend(self.time.iter().map(|parameter| format!("--time {}", quoted(parameter))));
        if self.method != How::Auto {
            let name = self.method.to_possible_value().map(|value| value.get_name().to_owned());
            typed.extend(name.map(|name| format!("--method {name}")));
        }
        typed.push(format!("--within {}%", self.within * 100.0));
        typed.push(format!("--runs {} --states {} --seed {}", self.runs, self.states, self.seed));
        typed
    }
}

pub(super) fn odds(line: &CommandLine, name: Option<&str>, bounds: &Bounds, asking: &Asking) -> Outcome {
    if asking.slide {
        return slide(asking);
    }
    match (name, asking.chance) {
        (Some(_), Some(_)) => Err(Failure::bad_input("--chance takes no scenario: it is the probability already")),
        (None, Some(chance)) => arithmetic(line, asking, chance),
        (None, None) => Err(Failure::bad_input("odds needs the name of a scenario, or --chance, or --slide")),
        (Some(name), None) => of_scenario(line, &bounded(line.scenario(name)?, bounds)?, asking),
    }
}

fn slide(asking: &Asking) -> Outcome {
    let slide = Slide::MURPHY;
    if asking.json {
        say(json!({
            "chance": slide.chance,
            "cases": slide.traffic.cases,
            "carts": slide.traffic.things,
            "events_a_cart": slide.traffic.runs,
            "incidents_a_month": slide.incidents(),
            "more_carts": slide.more_carts,
            "claimed_more": slide.claimed,
            "more": slide.more(),
            "off_by": slide.off_by(),
            "lines": slide.lines(),
            "exit": Exit::AsExpected as u8,
        }))?;
        return Ok(Exit::AsExpected);
    }
    say(styled(STRONG, "Chance for an inconsistency to happen per month"))?;
    slide.lines().into_iter().try_for_each(|line| say(format!("  {line}")))?;
    Ok(Exit::AsExpected)
}

fn arithmetic(line: &CommandLine, asking: &Asking, chance: f64) -> Outcome {
    let traffic =
        asking.traffic().ok_or_else(|| Failure::bad_input("--chance needs --per (and --rate): how often a month"))?;
    let typed = asking.typed().join(" ");
    let reproduce = format!("{} odds --chance {chance:e} {typed}", line.program);
    let value = Estimate { value: chance, low: chance, high: chance, runs: 0, hits: 0, effective: 0.0 };
    if asking.json {
        let incidents = incidents_json(traffic, &value);
        say(json!({"chance": chance, "incidents": incidents, "reproduce": reproduce, "exit": Exit::AsExpected as u8}))?;
        return Ok(Exit::AsExpected);
    }
    field("one case", format!("{chance:e}"))?;
    incidents(asking, traffic, &value, "each run")?;
    say(format!("\n{} {reproduce}", styled(FAINT, "reproduce:")))?;
    Ok(Exit::AsExpected)
}

fn of_scenario(line: &CommandLine, scenario: &Scenario, asking: &Asking) -> Outcome {
    let question = Question {
        timing: asking.timing().map_err(Failure::bad_input)?,
        starts: asking.starts().map_err(Failure::bad_input)?,
        method: asking.method.method(),
        within: asking.within,
        most_runs: asking.runs,
        most_states: asking.states as usize,
        seed: asking.seed,
        threads: asking.threads.map_or_else(|| Limits::default().threads, usize::from),
        stop: Arc::default(),
        ..Question::about(scenario)
    };
    interrupts(&question.stop);
    let typed = [vec![line.program.clone(), "odds".into(), quoted(scenario.name())], typed_bounds(scenario)].concat();
    let reproduce = [typed, asking.typed()].concat().join(" ");
    if !asking.json {
        parameters(scenario, &question)?;
    }
    let answer = {
        let watcher = Watcher::new(1);
        watcher.started(0, scenario.name(), &question.progress);
        guarded(|| question.answer()).map_err(|why| Failure::bad_input(format!("{}: {why}", scenario.name())))?
    };
    let exit = match answer.odds {
        Odds::Never | Odds::Exact(_) | Odds::Estimated(_) => Exit::AsExpected,
        Odds::TooLittle(_) => Exit::Held,
        Odds::Stopped => Exit::Interrupted,
    };
    let traffic = asking.traffic().map(|traffic| match question.starts {
        // A run of n clients that arrive one after the other holds n - 1 pairs of neighbours.
        Starts::Arriving(_) => Traffic { runs: traffic.runs / (scenario.size().max(2) - 1) as f64, ..traffic },
        _ => traffic,
    });
    if asking.json {
        say(as_json(&question, &answer, traffic, &reproduce, exit))?;
        return Ok(exit);
    }
    tell(scenario, &answer)?;
    if let (Some(estimate), Some(traffic)) = (value(&answer), traffic) {
        let what = match question.starts {
            Starts::Arriving(_) => {
                format!("clients come one after the other, and {} in a row are one run", scenario.size())
            }
            _ => "each period is one run".into(),
        };
        incidents(asking, traffic, &estimate, &what)?;
    }
    say(format!("\n{} {reproduce}", styled(FAINT, "reproduce:")))?;
    Ok(exit)
}

/// Everything that decides the answer.
fn parameters(scenario: &Scenario, question: &Question<'_>) -> Outcome<()> {
    say(styled(STRONG, scenario.name()))?;
    field("bounds", scenario.bounds())?;
    let names: Vec<&str> = scenario.judged_by().iter().filter(|p| !p.is_sometimes()).map(|p| p.name).collect();
    field("wrong is", format!("that one of these is violated: {}", names.join(", ")))?;
    field("starts", question.starts.text())?;
    for (at, (name, value)) in question.timing.parameters().into_iter().enumerate() {
        field(if at == 0 { "times" } else { "" }, format!("{name}: {value}"))?;
    }
    field(
        "until",
        format!(
            "the interval is ± {:.1} % of the estimate, or {} runs are done",
            question.within * 100.0,
            grouped(question.most_runs as usize)
        ),
    )?;
    field("seed", question.seed)?;
    field("threads", question.threads)
}

/// The probability with its interval, if one is known.
fn value(answer: &Answer) -> Option<Estimate> {
    let exact = |value| Estimate { value, low: value, high: value, runs: 0, hits: 0, effective: 0.0 };
    match &answer.odds {
        Odds::Never => Some(exact(0.0)),
        Odds::Exact(value) => Some(exact(*value)),
        Odds::Estimated(estimate) => Some(*estimate),
        Odds::TooLittle(_) | Odds::Stopped => None,
    }
}

fn tell(scenario: &Scenario, answer: &Answer) -> Outcome<()> {
    field("assumes", answer.assumptions.first().map_or("", String::as_str))?;
    answer.assumptions.iter().skip(1).try_for_each(|line| field("", line))?;
    if let Some(states) = answer.states {
        let distance = answer.distance.map_or(String::new(), |n| format!("; {n} steps to a violation at least"));
        field("states", format!("{}, all met{distance}", grouped(states)))?;
    }
    if !answer.violated.is_empty() {
        field("violated", styled(BUG, answer.violated.join(", ")))?;
    }
    match &answer.odds {
        Odds::Never => field(
            "one run",
            styled(
                GOOD,
                format!(
                    "0: proved within {}, no faults: no order of events violates anything",
                    plural(scenario.size())
                ),
            ),
        ),
        Odds::Exact(value) => {
            field("method", answer.method.text())?;
            field("one run", format!("goes wrong with probability {}", styled(BUG, format!("{value:.6e}"))))
        }
        Odds::Estimated(estimate) => {
            field("method", answer.method.text())?;
            field(
                "runs",
                format!(
                    "{}, of which {} went wrong{}",
                    grouped(estimate.runs as usize),
                    grouped(estimate.hits as usize),
                    match answer.method {
                        Method::Split => " (replications, each of many copies)".into(),
                        _ => format!(" (worth {:.0} of equal weight)", estimate.effective),
                    }
                ),
            )?;
            let told = format!("{:.3e}, 95 % between {:.3e} and {:.3e}", estimate.value, estimate.low, estimate.high);
            field("one run", format!("goes wrong with probability {}", styled(BUG, told)))
        }
        Odds::TooLittle(why) => {
            field("method", answer.method.text())?;
            field("one run", styled(BAD, format!("no answer: {why}; give more --runs, or another --method")))
        }
        Odds::Stopped => field("one run", "interrupted"),
    }
}

fn plural(clients: usize) -> String {
    if clients == 1 { "1 client".into() } else { format!("{clients} clients") }
}

fn incidents(asking: &Asking, traffic: Traffic, value: &Estimate, what: &str) -> Outcome<()> {
    field(
        "traffic",
        format!(
            "{} things × {:.4} runs a month × {} cases = {:.4e} a month ({what}; a month has {DAYS_A_MONTH} days)",
            asking.things,
            traffic.runs,
            asking.cases,
            traffic.events()
        ),
    )?;
    let told = |probability: f64| short(traffic.incidents(probability));
    let expected = traffic.incidents(value.value);
    let interval = match value.low < value.high {
        true => format!(", 95 % between {} and {}", told(value.low), told(value.high)),
        false => String::new(),
    };
    field("incidents", format!("{} a month to be expected{interval}", styled(STRONG, short(expected))))?;
    let (low, high) = months(expected);
    field(
        "",
        format!(
            "at least one in {:.3} % of all months; 95 % of all months have {low} to {high}, if things and cases are independent",
            100.0 * at_least_one(expected)
        ),
    )
}

fn short(number: f64) -> String {
    if number == 0.0 || (1e-3..1e6).contains(&number) { format!("{number:.4}") } else { format!("{number:.3e}") }
}

fn incidents_json(traffic: Traffic, value: &Estimate) -> Value {
    let expected = traffic.incidents(value.value);
    json!({
        "things": traffic.things,
        "runs_a_month": traffic.runs,
        "cases": traffic.cases,
        "expected": expected,
        "low": traffic.incidents(value.low),
        "high": traffic.incidents(value.high),
        "at_least_one": at_least_one(expected),
        "months": months(expected),
    })
}

fn as_json(question: &Question<'_>, answer: &Answer, traffic: Option<Traffic>, reproduce: &str, exit: Exit) -> Value {
    let parameters = question.timing.parameters().into_iter().map(|(name, value)| (name, value.into()));
    let estimate = value(answer);
    let why = if let Odds::TooLittle(why) = &answer.odds { Some(why) } else { None };
    json!({
        "name": question.scenario.name(),
        "bounds": question.scenario.bounds(),
        "starts": question.starts.text(),
        "parameters": parameters.collect::<serde_json::Map<_, _>>(),
        "seed": question.seed,
        "method": answer.method.text(),
        "states": answer.states,
        "distance": answer.distance,
        "violated": answer.violated,
        "assumptions": answer.assumptions,
        "never": answer.odds == Odds::Never,
        "exact": matches!(answer.odds, Odds::Exact(_) | Odds::Never),
        "probability": estimate.map(|e| e.value),
        "low": estimate.map(|e| e.low),
        "high": estimate.map(|e| e.high),
        "runs": estimate.map(|e| e.runs),
        "hits": estimate.map(|e| e.hits),
        "effective": estimate.map(|e| e.effective),
        "no_answer": why,
        "incidents": estimate.zip(traffic).map(|(estimate, traffic)| incidents_json(traffic, &estimate)),
        "reproduce": reproduce,
        "exit": exit as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read() {
        assert_eq!(positive("500,000"), Ok(500_000.0));
        assert!(["0", "-1", "x", "inf", "nan"].iter().all(|bad| positive(bad).is_err()));
        assert_eq!(period("month"), Ok(30 * DAY));
        assert_eq!(period("90min"), Ok(90 * 60 * 1_000_000_000));
        assert!(period("0s").is_err() && period("soon").is_err());
        assert_eq!(share("20%"), Ok(0.2));
        assert!(["20", "0%", "101%", "x%"].iter().all(|bad| share(bad).is_err()));
        assert_eq!(probability("1e-9"), Ok(1e-9));
        assert!(["2", "-1", "nan"].iter().all(|bad| probability(bad).is_err()));
    }
}
