//! The picture of a path: what each property is at its end, and the steps on lanes, one for each client and one for
//! the server.

use std::fmt::Write;
use std::sync::PoisonError;

use overtake_sim::world::{Link, Step, StepKind, View};

use super::model::{Action, ScenarioModel, State};
use super::render::{budget, marks};
use super::truth::Truth;
use crate::property::Kind;

/// Between two lanes.
const LANE: usize = 96;
/// From the left edge to the first lane: the numbers of the steps stand there.
const MARGIN: usize = 84;
/// Between two lines of the list of properties.
const LINE: usize = 20;
/// Between two steps.
const ROW: usize = 26;
/// A character of the text, roughly.
const CHARACTER: usize = 8;

const BACKGROUND: &str = "#10233a";
const TEXT: &str = "#e7ecef";
const FAINT: &str = "#8fa3b5";
const QUIET: &str = "#3d5a78";
const GOOD: &str = "#7fd18b";
const BAD: &str = "#ff8a80";
const FAULT: &str = "#ffb74d";
const LAST: &str = "#23466b";
const SERVER: &str = "#90caf9";
/// One for each client in turn.
const CLIENTS: [&str; 6] = ["#f2e27a", "#80deea", "#ce93d8", "#a5d6a7", "#ffab91", "#9fa8da"];

/// The picture of a path, as SVG.
pub(super) fn picture(model: &ScenarioModel, path: &[(State, Option<Action>)]) -> String {
    let mut picture = Picture { out: String::new(), widest: 0, y: 24 };
    picture.head(model, path);
    picture.lanes(model, path);
    let (width, height) = (picture.widest + 24, picture.y + 10);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" \
         font-size=\"13\"><rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{BACKGROUND}\"/>{}</svg>",
        picture.out
    )
}

struct Picture {
    out: String,
    widest: usize,
    y: usize,
}

/// Text that SVG takes as text.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn colour(slot: usize) -> &'static str {
    CLIENTS[slot % CLIENTS.len()]
}

impl Picture {
    fn text(&mut self, x: usize, y: usize, fill: &str, text: &str, more: &str) {
        let _ = write!(self.out, "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\" {more}>{}</text>", escape(text));
        if !more.contains("anchor") {
            self.widest = self.widest.max(x + CHARACTER * text.chars().count());
        }
    }

    /// The title, the truth of each property at the end of the path, and what the search does.
    fn head(&mut self, model: &ScenarioModel, path: &[(State, Option<Action>)]) {
        self.text(14, self.y, TEXT, &model.title, "font-weight=\"bold\"");
        self.y += LINE;
        let state = &path[path.len() - 1].0;
        let left = budget(model.world.view(state.row()).budget());
        let here = match (path.len() - 1, &model.recorded) {
            (0, _) => format!("at the start; faults left: {left}"),
            (n, Some(recorded)) => format!("after step {n} of {}; faults left: {left}", recorded.taken.len()),
            (n, None) => format!("after step {n}; faults left: {left}"),
        };
        self.text(14, self.y, FAINT, &here, "");
        self.y += LINE + 6;
        for (id, (truth, before)) in model.truths(path).into_iter().enumerate() {
            let property = &model.judged[id];
            let (fill, sign, mut word) = match truth {
                Truth::Holds => (GOOD, "✔", "holds".to_owned()),
                Truth::Violated(why) => (BAD, "✘", format!("VIOLATED: {why}")),
                Truth::Reached => (GOOD, "✔", "reached".to_owned()),
                Truth::NotHere => (FAINT, "·", "not here".to_owned()),
            };
            if let Some(before) = before {
                let what = if property.is_sometimes() { "reached" } else { "violated" };
                let what = if matches!(property.kind, Kind::Eventually(_)) { "reached" } else { what };
                let _ = match before {
                    0 => write!(word, " ({what} at the start)"),
                    n => write!(word, " ({what} after step {n})"),
                };
            }
            if model.recorded.is_none() && model.broken_by_a_step(property, state) {
                word.push_str("; one of the next steps violates it");
            }
            let bold = if fill == BAD { "font-weight=\"bold\"" } else { "" };
            self.text(14, self.y, fill, &format!("{sign} {}: {word}", property.name), bold);
            self.y += LINE;
        }
        if let Some(recorded) = &model.recorded {
            self.text(14, self.y, FAINT, &format!("this trace violates: {}", recorded.violates), "");
            self.y += LINE;
        }
        if let Some(error) = model.world.error() {
            self.text(14, self.y, BAD, &format!("a program broke the rules: {error}"), "");
            self.y += LINE;
        }
        let search = model.search.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !search.is_empty() {
            self.text(14, self.y, FAINT, &search, "font-style=\"italic\"");
            self.y += LINE;
        }
        self.y += 14;
    }

    fn lanes(&mut self, model: &ScenarioModel, path: &[(State, Option<Action>)]) {
        let world = model.world;
        let clients = world.setup().clients.len();
        let x_of = |slot: usize| MARGIN + slot * LANE;
        let server = x_of(clients);
        let column = server + 56;
        for (slot, client) in world.setup().clients.iter().enumerate() {
            self.text(x_of(slot), self.y, colour(slot), &client.name, "text-anchor=\"middle\" font-weight=\"bold\"");
        }
        self.text(server, self.y, SERVER, "server", "text-anchor=\"middle\" font-weight=\"bold\"");
        let top = self.y + 10;
        let y_of = |at: usize| top + at * ROW;
        let steps = path.len() - 1;
        if steps > 0 {
            let rect = y_of(steps) - ROW / 2;
            let _ = write!(
                self.out,
                "<rect x=\"4\" y=\"{rect}\" width=\"99%\" height=\"{ROW}\" rx=\"4\" fill=\"{LAST}\"/>"
            );
        }
        let bottom = y_of(steps) + 20;
        self.line((server, top), (server, bottom), SERVER, "opacity=\"0.5\"");
        for (at, (state, _)) in path.iter().enumerate() {
            let until = if at == steps { bottom } else { y_of(at + 1) };
            let before = (at > 0).then(|| world.view(path[at - 1].0.row()));
            self.lives(&world.view(state.row()), before.as_ref(), &x_of, (y_of(at), until));
        }
        let cycle = model.recorded.as_ref().filter(|r| r.cycle > 0).map(|r| r.taken.len() - r.cycle);
        for (at, (_, action)) in path.iter().enumerate() {
            let Some(action) = action else { continue };
            let (y, taken) = (y_of(at + 1), &action.0);
            let fill = if at + 1 == steps { TEXT } else { "#c3d0db" };
            let fill = if taken.step.is_fault() { FAULT } else { fill };
            let sign = if cycle.is_some_and(|from| at >= from) { "↻" } else { " " };
            self.text(14, y + 4, FAINT, &format!("{:>3}{sign}", at + 1), "");
            let woken = match taken.notified {
                0 => String::new(),
                1 => "   (sends 1 watch event)".into(),
                n => format!("   (sends {n} watch events)"),
            };
            let bold = if at + 1 == steps { "font-weight=\"bold\"" } else { "" };
            self.text(column, y + 4, fill, &format!("{}{woken}", taken.text), bold);
            self.step(taken.step, &x_of, server, y);
        }
        self.y = bottom + 6;
    }

    fn line(&mut self, from: (usize, usize), to: (usize, usize), stroke: &str, more: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = write!(
            self.out,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{stroke}\" stroke-width=\"1.5\" {more}/>"
        );
    }

    /// The lanes of the clients between two steps: broken where the connection is, a bar where marks are set.
    fn lives(&mut self, view: &View<'_>, before: Option<&View<'_>>, x_of: &impl Fn(usize) -> usize, y: (usize, usize)) {
        for client in view.clients() {
            let (x, stroke) = (x_of(client.slot()), colour(client.slot()));
            if client.is_crashed() {
                continue;
            }
            match client.link() {
                Link::Up => self.line((x, y.0), (x, y.1), stroke, "opacity=\"0.6\""),
                Link::Down => self.line((x, y.0), (x, y.1), FAULT, "stroke-dasharray=\"3 4\""),
                Link::Off => self.line((x, y.0), (x, y.1), stroke, "stroke-dasharray=\"1 5\" opacity=\"0.6\""),
            }
            let set = marks(&client);
            if set.is_empty() {
                continue;
            }
            let (left, height) = (x - 4, y.1 - y.0);
            let _ = write!(
                self.out,
                "<rect x=\"{left}\" y=\"{}\" width=\"8\" height=\"{height}\" fill=\"{stroke}\"/>",
                y.0
            );
            let earlier = before.and_then(|view| view.clients().nth(client.slot()).map(|c| marks(&c)));
            for (nth, mark) in set.iter().filter(|m| !earlier.iter().flatten().any(|e| e == *m)).enumerate() {
                let label: String = mark.split(' ').next().unwrap_or(mark).chars().take(11).collect();
                let more = "text-anchor=\"start\" font-size=\"10\"";
                self.text(x + 8, y.0 + 13 + 10 * nth, stroke, &label, more);
            }
        }
    }

    /// The arrow or the dot of a step.
    fn step(&mut self, step: Step, x_of: &impl Fn(usize) -> usize, server: usize, y: usize) {
        let slot = usize::from(step.slot);
        match step.kind {
            StepKind::Serve | StepKind::Call => self.arrow(x_of(slot), server, y, colour(slot), ""),
            StepKind::Deliver | StepKind::Notice | StepKind::Answer | StepKind::Ring => {
                self.arrow(server, x_of(slot), y, colour(slot), "")
            }
            StepKind::Reconnect => self.arrow(x_of(slot), server, y, colour(slot), "stroke-dasharray=\"5 3\""),
            StepKind::Local | StepKind::Restart | StepKind::Write => self.dot(x_of(slot), y, colour(slot)),
            StepKind::Interrupt
            | StepKind::Cut
            | StepKind::Crash
            | StepKind::GiveUp
            | StepKind::Ask
            | StepKind::NoAnswer
            | StepKind::Duplicate => self.cross(x_of(slot), y),
            StepKind::Expire | StepKind::Elect | StepKind::Resync | StepKind::StoreFault => self.cross(server, y),
            StepKind::Lapse
            | StepKind::Apply
            | StepKind::Sweep
            | StepKind::Accept
            | StepKind::Commit
            | StepKind::Store => self.dot(server, y, FAULT),
        }
        if matches!(step.kind, StepKind::Expire | StepKind::Lapse | StepKind::Apply) {
            self.line((x_of(slot), y), (server, y), QUIET, "stroke-dasharray=\"1 4\"");
        }
    }

    fn arrow(&mut self, from: usize, to: usize, y: usize, stroke: &str, more: &str) {
        self.line((from, y), (to, y), stroke, more);
        let back = if to > from { to - 8 } else { to + 8 };
        let (up, down) = (y - 4, y + 4);
        let _ = write!(self.out, "<path d=\"M{to} {y}L{back} {up}L{back} {down}Z\" fill=\"{stroke}\"/>");
        let _ = write!(self.out, "<circle cx=\"{from}\" cy=\"{y}\" r=\"2.5\" fill=\"{stroke}\"/>");
    }

    fn dot(&mut self, x: usize, y: usize, fill: &str) {
        let _ = write!(self.out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{fill}\" stroke=\"{BACKGROUND}\"/>");
    }

    fn cross(&mut self, x: usize, y: usize) {
        let (left, right, up, down) = (x - 5, x + 5, y - 5, y + 5);
        let _ = write!(
            self.out,
            "<path d=\"M{left} {up}L{right} {down}M{left} {down}L{right} {up}\" stroke=\"{FAULT}\" stroke-width=\"3\"/>"
        );
    }
}
