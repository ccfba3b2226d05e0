//! How far long runs are: on standard error, and only when somebody sits before it.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use overtake_models::search::Progress;

use super::screen::{bytes, grouped, rough};

/// How often the line is drawn.
const EVERY: Duration = Duration::from_millis(120);

/// Watches over the searches that run and shows one line about them.
pub(super) struct Watcher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    running: Mutex<Vec<(usize, String, Arc<Progress>)>>,
    done: AtomicUsize,
    of: usize,
    over: (Mutex<bool>, Condvar),
}

impl Watcher {
    /// Starts to watch over so many searches.
    pub fn new(of: usize) -> Self {
        let shared =
            Arc::new(Shared { running: Mutex::default(), done: AtomicUsize::new(0), of, over: Default::default() });
        let thread = std::io::stderr().is_terminal().then(|| {
            let shared = shared.clone();
            std::thread::spawn(move || show(&shared))
        });
        Self { shared, thread }
    }

    /// A search has started.
    pub fn started(&self, place: usize, name: &str, progress: &Arc<Progress>) {
        let entry = (place, name.to_owned(), progress.clone());
        self.shared.running.lock().expect("running").push(entry);
    }

    /// A search is over.
    pub fn done(&self, place: usize) {
        self.shared.done.fetch_add(1, Ordering::Relaxed);
        let mut running = self.shared.running.lock().expect("running");
        running.retain(|(other, ..)| *other != place);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let (over, wake) = &self.shared.over;
        *over.lock().expect("over") = true;
        wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn show(shared: &Shared) {
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("a template");
    bar.set_style(style);
    let (mut before, mut rate) = (None, 0.0);
    let (over, wake) = &shared.over;
    let mut is_over = over.lock().expect("over");
    while !*is_over {
        let (line, states) = line(shared, rate);
        let now = Instant::now();
        if let Some((then, had)) = before {
            let passed = now.duration_since(then);
            if passed > Duration::from_millis(900) {
                rate = f64::max(states as f64 - had as f64, 0.0) / passed.as_secs_f64();
                before = Some((now, states));
            }
        } else {
            before = Some((now, states));
        }
        if !line.is_empty() {
            bar.set_message(line);
            bar.tick();
        }
        is_over = wake.wait_timeout(is_over, EVERY).expect("over").0;
    }
    bar.finish_and_clear();
}

fn line(shared: &Shared, rate: f64) -> (String, usize) {
    let running = shared.running.lock().expect("running");
    let sum = |field: fn(&Progress) -> &AtomicUsize| -> usize {
        let numbers = running.iter().map(|(.., p)| field(p).load(Ordering::Relaxed));
        numbers.sum()
    };
    let (states, frontier, held) = (sum(|p| &p.states), sum(|p| &p.frontier), sum(|p| &p.bytes));
    let depth = running.iter().map(|(.., p)| p.depth.load(Ordering::Relaxed)).max();
    let names: Vec<&str> = running.iter().map(|(_, name, _)| name.as_str()).collect();
    if names.is_empty() {
        return (String::new(), states);
    }
    let count = match shared.of {
        0 | 1 => String::new(),
        of => format!("{}/{of} ", shared.done.load(Ordering::Relaxed)),
    };
    let line = format!(
        "{count}{}: {} states{}, depth {}, frontier {}, {}",
        names.join(" + "),
        grouped(states),
        if rate > 0.0 { format!(", {}/s", rough(rate)) } else { String::new() },
        depth.unwrap_or(0),
        rough(frontier as f64),
        bytes(held)
    );
    (line, states)
}
