//! Searches over any [`Space`](crate::space::Space): breadth first, depth first, probes, shortest traces, fair liveness.

mod bfs;
mod dfs;
mod liveness;
mod probe;
mod shortest;
pub mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub use bfs::breadth_first;
pub use dfs::depth_first;
pub use liveness::{Lasso, Liveness, fair_liveness};
pub use probe::{Probe, probe};
pub use shortest::{Path, shortest};

/// Bounds of a search that are not part of the question.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Threads.
    pub threads: usize,
    /// Bytes for visited states, frontier and tables. More ends the search, honestly.
    pub memory: usize,
    /// Time. More ends the search, honestly.
    pub time: Option<Duration>,
    /// About so many distinct states. More ends the search, honestly.
    pub states: Option<usize>,
    /// Raised from outside (Ctrl-C) to end the search, honestly.
    pub stop: Arc<AtomicBool>,
    /// Where a watcher can read how far it is.
    pub progress: Arc<Progress>,
    /// Go on after the first violation, to find one of each property.
    pub every_property: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 4 << 30,
            time: None,
            states: None,
            stop: Arc::default(),
            progress: Arc::default(),
            every_property: false,
        }
    }
}

/// How far a search is; read while it runs.
#[derive(Debug, Default)]
pub struct Progress {
    /// Distinct states.
    pub states: AtomicUsize,
    /// Depth, where there is one.
    pub depth: AtomicUsize,
    /// States found and not yet expanded.
    pub frontier: AtomicUsize,
    /// Bytes held.
    pub bytes: AtomicUsize,
}

/// Why a search ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// A violation was found and no other was wanted.
    Violation,
    /// The memory ceiling.
    Memory,
    /// The time limit.
    Time,
    /// The limit of states.
    States,
    /// Ctrl-C.
    Interrupted,
    /// A program broke the rules; see the space's error.
    Error,
}

/// What a search has seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Distinct states.
    pub states: usize,
    /// Distinct states of a probe that came before.
    pub probed: usize,
    /// Steps taken, the start not counted.
    pub transitions: usize,
    /// States on the longest of the shortest paths (breadth first), 0 where not known.
    pub depth: usize,
    /// Bits of violated properties.
    pub violated: u64,
    /// Bits of reached `sometimes` properties.
    pub reached: u64,
    /// Most watch events that one step sent.
    pub notified: u8,
    /// Bytes of visited set and frontier at their largest.
    pub bytes: usize,
    /// Most states waiting to be expanded.
    pub frontier: usize,
    /// Why it ended early; `None`: everything was seen.
    pub stopped: Option<Stopped>,
    /// How long it took.
    pub time: Duration,
}

/// Watches over the limits; shared by the threads of a search.
struct Watch<'a> {
    limits: &'a Limits,
    start: Instant,
    halt: AtomicU64,
}

impl<'a> Watch<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self { limits, start: Instant::now(), halt: AtomicU64::new(0) }
    }

    fn stop(&self, why: Stopped) {
        let code = 1 + why as u64;
        let _ = self.halt.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn stopped(&self) -> Option<Stopped> {
        use Stopped::{Error, Interrupted, Memory, States, Time, Violation};
        let all = [Violation, Memory, Time, States, Interrupted, Error];
        match self.halt.load(Ordering::Relaxed) {
            0 => None,
            code => Some(all[code as usize - 1]),
        }
    }

    /// Looks at the number of states.
    fn counts(&self, states: usize) {
        if self.limits.states.is_some_and(|most| states >= most) {
            self.stop(Stopped::States);
        }
    }

    /// Looks at everything that is cheap to look at.
    fn check(&self, error: bool) -> bool {
        if self.limits.stop.load(Ordering::Relaxed) {
            self.stop(Stopped::Interrupted);
        }
        if self.limits.time.is_some_and(|time| self.start.elapsed() > time) {
            self.stop(Stopped::Time);
        }
        if error {
            self.stop(Stopped::Error);
        }
        self.halt.load(Ordering::Relaxed) != 0
    }
}
