//! The chapter of the report: tables, ways of growing, where the servers saturate, and pictures.

use std::fmt::Write as _;
use std::sync::Arc;

use overtake_sim::clock::Distribution;
use overtake_sim::clock::duration::{SECOND, rounded, text};
use overtake_sim::clock::empirical::Empirical;
use overtake_sim::live::Timing;
use overtake_sim::program::ProgramError;

use super::{Contest, Effort, Fit, Measurement, SEED, growth, measure, percentile};
use crate::plots::{Line, Picture};
use crate::timed::pause::{PausePoint, PauseQuestion, TIMEOUTS, share, table};

/// A chapter and its pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// The text, in Markdown.
    pub markdown: String,
    /// File name and SVG of each picture.
    pub pictures: Vec<(String, String)>,
}

/// The chapter, with links to pictures in the folder. The same bytes for the same effort, on every machine.
///
/// # Errors
/// When a program breaks the rules.
///
/// # Panics
/// When two contenders held one lock at once, which is no matter of throughput.
pub fn chapter(folder: &str, effort: Effort) -> Result<Chapter, ProgramError> {
    let timing = Timing::default();
    let mut chapter = Chapter { markdown: String::new(), pictures: Vec::new() };
    chapter.about(&timing);
    let mut all = Vec::new();
    for servers in [1, 3] {
        for contest in [Contest::Predecessor, Contest::Parent, Contest::Apart] {
            let measured = measure(contest, servers, &timing, effort, SEED)?;
            assert!(measured.iter().all(|m| m.holders <= 1), "{contest:?}: two held the lock at once");
            all.push(measured);
        }
    }
    for measured in &all {
        chapter.table(measured);
    }
    chapter.growth(&all);
    chapter.saturation(&all);
    chapter.plots(folder, &all);
    chapter.pauses(folder, effort);
    Ok(chapter)
}

fn servers(n: usize) -> &'static str {
    if n == 1 { "one server" } else { "three servers" }
}

/// What happens in a contest, with its servers.
fn heading(m: &Measurement) -> String {
    let contest = match m.contest {
        Contest::Parent => "waiters watch the parent",
        Contest::Predecessor => "waiters watch the node before their own",
        Contest::Apart => "each contender has a lock of its own",
    };
    format!("{contest}, {}", servers(m.servers))
}

fn curve(measured: &[Measurement], of: impl Fn(&Measurement) -> f64) -> Vec<(f64, f64)> {
    measured.iter().map(|m| (m.contenders as f64, of(m))).collect()
}

impl Chapter {
    fn about(&mut self, timing: &Timing) {
        let rows = [
            ("from client to server, one way", timing.network.to_string()),
            ("from server to server, one way", timing.peers.to_string()),
            ("a server's work for a read", timing.read.to_string()),
            ("the leader's work for a write, up to its proposal", timing.write.to_string()),
            ("a server's work for passing on or applying a write", timing.apply.to_string()),
            ("more for each child in a list", text(timing.per_child)),
            ("more for each watch event", text(timing.per_event)),
            ("until a proposal is on disk", timing.log.to_string()),
            ("the lock is held for", timing.work.to_string()),
        ];
        self.markdown += "## Throughput\n\n\
            Contenders want the lock, hold it, release it and want it again at once. The recipes' own code runs in virtual \
            time over servers that do one thing after the other. The work for reads and writes is set so that three servers \
            give what ZooKeeper's authors measured, 87,000 reads or 21,000 writes a second (Hunt et al., USENIX ATC 2010, \
            table 1): a write takes the leader its work up to the proposal and that for applying it. The rest is assumed:\n\n\
            | what | takes |\n| --- | --- |\n";
        for (what, takes) in rows {
            let _ = writeln!(self.markdown, "| {what} | {takes} |");
        }
        let _ = writeln!(
            self.markdown,
            "\nEverything follows from seed {SEED}. Each run first settles; queues and all else are of the time that was \
             measured. A star marks a run of fewer than {} acquisitions: its numbers are rough, and it is left out where the \
             growth of costs is fitted.",
            Measurement::ENOUGH
        );
    }

    fn table(&mut self, measured: &[Measurement]) {
        let contended = measured[0].contest != Contest::Apart;
        let what = if contended { "hand-over" } else { "waiting" };
        let _ = writeln!(self.markdown, "\n### Throughput: {}\n", heading(&measured[0]));
        let _ = writeln!(
            self.markdown,
            "| contenders | acquisitions/s | {what} p50 | p90 | p99 | max | waiting p50 | requests | wake-ups | busy: leader, \
             others | longest queue | measured |\n|{}",
            " ---: |".repeat(12)
        );
        for m in measured {
            let lengths = if contended { &m.hand_overs } else { &m.waits };
            let cell = |of: Option<u64>| of.map_or("–".into(), rounded);
            let at = |share| cell(percentile(lengths, share));
            let busy: Vec<String> = m.busy.iter().map(|busy| format!("{:.0}%", busy * 100.0)).collect();
            let _ = writeln!(
                self.markdown,
                "| {} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {} | {} | {}{} |",
                m.contenders,
                short(m.rate),
                at(0.5),
                at(0.9),
                at(0.99),
                cell(lengths.last().copied()),
                cell(percentile(&m.waits, 0.5).filter(|_| contended)),
                m.requests,
                m.wake_ups,
                busy.join(", "),
                m.longest_queue,
                m.acquisitions,
                if m.is_short() { " \\*" } else { "" }
            );
        }
    }

    fn growth(&mut self, all: &[Vec<Measurement>]) {
        self.markdown += "\n### How the costs grow\n\nThe exponent of the number of contenders, from five on (least squares over \
             the logarithms): 0 does not grow, 1 grows in proportion, 2 with the square.\n\n\
             | | requests | wake-ups | time for an acquisition | left out as too short |\n\
             | --- | ---: | ---: | ---: | ---: |\n";
        for measured in all.iter().filter(|measured| measured[0].contest != Contest::Apart) {
            let exponent = |fit: Option<Fit>| fit.map_or("–".into(), |fit| format!("{:.2}", tidy(fit.exponent)));
            let short: Vec<String> =
                measured.iter().filter(|m| m.is_short()).map(|m| format!("{} contenders", m.contenders)).collect();
            let _ = writeln!(
                self.markdown,
                "| {} | {} | {} | {} | {} |",
                heading(&measured[0]),
                exponent(growth(measured, |m| m.requests)),
                exponent(growth(measured, |m| m.wake_ups)),
                exponent(growth(measured, |m| 1.0 / m.rate)),
                if short.is_empty() { "–".into() } else { short.join(", ") },
            );
        }
    }

    fn saturation(&mut self, all: &[Vec<Measurement>]) {
        self.markdown += "\n### Where the servers saturate\n\nThe first number of contenders at which a server works for nine \
             tenths of the time.\n\n\
             | | the leader | any other server | most acquisitions/s |\n| --- | ---: | ---: | ---: |\n";
        for measured in all {
            let first = |of: &dyn Fn(&Measurement) -> f64| {
                measured.iter().find(|m| of(m) >= 0.9).map_or("never".into(), |m| m.contenders.to_string())
            };
            let others = |m: &Measurement| m.busy[1..].iter().copied().fold(0.0, f64::max);
            let other = if measured[0].servers == 1 { "–".into() } else { first(&others) };
            let most = measured.iter().map(|m| m.rate).fold(0.0, f64::max);
            let leader = first(&|m: &Measurement| m.busy[0]);
            let _ = writeln!(self.markdown, "| {} | {leader} | {other} | {} |", heading(&measured[0]), short(most));
        }
    }

    fn plots(&mut self, folder: &str, all: &[Vec<Measurement>]) {
        let lines = |with_apart: bool, of: &dyn Fn(&Measurement) -> f64| {
            let wanted = |measured: &&Vec<Measurement>| with_apart || measured[0].contest != Contest::Apart;
            let line = |measured: &Vec<Measurement>| Line {
                name: format!("{}, {}", measured[0].contest.name(), servers(measured[0].servers)),
                points: curve(measured, of),
                dotted: false,
            };
            all.iter().filter(wanted).map(line).collect::<Vec<_>>()
        };
        let hand_over = |m: &Measurement| percentile(&m.hand_overs, 0.5).map_or(0.0, |n| n as f64 / 1e6);
        let pictures = [
            ("throughput", "Acquisitions a second", "acquisitions a second", lines(true, &|m| m.rate)),
            ("hand-over", "From a release to the next grant", "median, in milliseconds", lines(false, &hand_over)),
            ("requests", "Requests for one acquisition", "requests", lines(false, &|m| m.requests)),
            ("wake-ups", "Wake-ups for one acquisition", "wake-ups", lines(false, &|m| m.wake_ups)),
        ];
        self.markdown.push('\n');
        for (name, title, up, lines) in pictures {
            self.picture(folder, name, title, "contenders", up, lines);
        }
    }

    fn picture(&mut self, folder: &str, name: &str, title: &str, across: &str, up: &str, lines: Vec<Line>) {
        let picture = Picture { title: title.into(), across: across.into(), up: up.into(), lines };
        match picture.svg() {
            Ok(svg) => {
                let _ = writeln!(self.markdown, "![{title}]({folder}/{name}.svg)");
                self.pictures.push((format!("{name}.svg"), svg));
            }
            Err(why) => {
                let _ = writeln!(self.markdown, "({why}.)");
            }
        }
    }

    fn pauses(&mut self, folder: &str, effort: Effort) {
        let samples = if effort == Effort::Quick { 20_000 } else { 200_000 };
        let log = include_str!("../../data/gc-pauses.log");
        let log = Empirical::from_text("models/data/gc-pauses.log", log).expect("a log that can be read");
        let questions = [
            ("a heavy tail", PauseQuestion::heavy_tailed(samples, SEED)),
            ("a collector's log", PauseQuestion::about(Distribution::Empirical(Arc::new(log)), samples, SEED)),
        ];
        self.markdown += "\n## How long a session time-out outlasts pauses\n\n\
             The holder of a lock pauses. For each length of pause that is drawn: does its session expire, do two believe that \
             they hold the lock, do two write to a resource that does not look at fencing tokens? Shares of all pauses, with 95 % \
             intervals.\n";
        let mut lines = Vec::new();
        for (name, question) in questions {
            let points = question.answer(&TIMEOUTS);
            let _ = writeln!(self.markdown, "\n### Pauses: {name} (`{}`, {samples} draws)\n", question.pauses);
            self.markdown += &table(&points);
            let line = |what: &str, hits: fn(&PausePoint) -> u64| Line {
                name: format!("{what}, {name}"),
                points: points
                    .iter()
                    .map(|point| (point.timeout as f64 / SECOND as f64, share(hits(point), point.samples).seen))
                    .collect(),
                dotted: false,
            };
            lines.push(line("two believers", |point| point.believers));
            lines.push(line("two writers", |point| point.writers));
        }
        self.markdown.push('\n');
        let title = "Two holders, by session time-out";
        self.picture(folder, "pauses", title, "session time-out, in seconds", "share of all pauses", lines);
    }
}

/// Three digits that say something.
fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// No minus in front of nothing.
fn tidy(value: f64) -> f64 {
    if value.abs() < 0.005 { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_is_marked_and_left_out() {
        let chapter = |acquisitions: u64| {
            let of =
                |&n| super::super::run(Contest::Predecessor, n, 1, &Timing::default(), SEED, 5, 20).expect("honest");
            let mut measured: Vec<Measurement> = [5, 10, 20].iter().map(of).collect();
            measured.iter_mut().for_each(|m| m.requests = 5.0);
            let last = &mut measured[2];
            (last.acquisitions, last.requests) = (acquisitions, 500.0);
            let mut chapter = Chapter { markdown: String::new(), pictures: Vec::new() };
            chapter.table(&measured);
            chapter.growth(&[measured]);
            chapter.markdown
        };
        let row =
            |text: &str, begin: &str| text.lines().rfind(|line| line.starts_with(begin)).expect("a row").to_owned();
        let (short, enough) = (chapter(19), chapter(20));
        assert!(row(&short, "| 20 |").ends_with("| 19 \\* |") && row(&enough, "| 20 |").ends_with("| 20 |"));
        let growth = [&short, &enough].map(|text| row(text, "| waiters"));
        assert!(growth[0].ends_with("| 20 contenders |") && growth[0].contains("one server | 0.00 |"), "{growth:?}");
        assert!(growth[1].ends_with("| – |") && growth[1].contains("one server | 3.32 |"), "{growth:?}");
    }
}
