//! Searches by loom: every order of events, and every value that the memory model lets a thread read.
//!
//! loom ends normally where it was cut off: its bounds on permutations and time are looked at now and then only, and a
//! run that they ended looks like one that is complete. Here the executions are counted, so a run is complete or it is
//! said to be cut off. The bounds of the environment (`LOOM_MAX_PERMUTATIONS` and others) are not heeded.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::quiet::quietly;

/// A program for loom: at most five threads, no daemons, no choices.
#[derive(Clone)]
pub struct MemoryProgram {
    name: String,
    body: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for MemoryProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryProgram").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MemoryProgram {
    /// A program that panics where it is wrong.
    pub fn new(name: &str, body: impl Fn() + Send + Sync + 'static) -> Self {
        Self { name: name.into(), body: Arc::new(body) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Where loom ends at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Most executions.
    pub executions: usize,
    /// Most switches in one execution.
    pub branches: usize,
    /// Most preemptions in an execution, if there is a bound.
    pub preemptions: Option<usize>,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self { executions: 1_000_000, branches: 10_000, preemptions: None }
    }
}

/// What loom found. Only [`Proved`](Self::Proved) is a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryVerdict {
    /// Every execution was tried.
    Proved,
    /// Nothing was found, and why that is no proof.
    Held(String),
    /// An execution goes wrong, and how.
    Falsified(String),
}

/// What loom found, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOutcome {
    /// The verdict.
    pub verdict: MemoryVerdict,
    /// Executions; where something was found, the last one found it.
    pub executions: u64,
}

/// Lets loom search the program.
pub fn search_memory(program: &MemoryProgram, limits: MemoryLimits) -> MemoryOutcome {
    let count = Arc::new(AtomicU64::new(0));
    let (counted, body) = (count.clone(), program.body.clone());
    let mut builder = loom::model::Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = limits.branches;
    builder.preemption_bound = limits.preemptions;
    builder.max_permutations = Some(limits.executions.saturating_add(1));
    builder.max_duration = None;
    builder.checkpoint_file = None;
    // The bound is looked at before each execution.
    builder.checkpoint_interval = 1;
    let ended = quietly(|| {
        panic::catch_unwind(AssertUnwindSafe(|| {
            builder.check(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                body();
            });
        }))
    });
    let executions = count.load(Ordering::Relaxed);
    let verdict = match ended {
        Err(panic) => judge(super::quiet::words(panic.as_ref())),
        Ok(()) if executions >= limits.executions as u64 => {
            MemoryVerdict::Held(format!("the limit of {} executions was reached", limits.executions))
        }
        Ok(()) => match limits.preemptions {
            None => MemoryVerdict::Proved,
            Some(most) => MemoryVerdict::Held(format!("every execution with at most {most} preemptions was tried")),
        },
    };
    MemoryOutcome { verdict, executions }
}

/// loom says by a panic, too, that it was cut off within an execution.
fn judge(why: &str) -> MemoryVerdict {
    let first = why.lines().next().unwrap_or_default();
    if first.contains("maximum number of branches") {
        return MemoryVerdict::Held(format!("an execution was cut off: {first}"));
    }
    MemoryVerdict::Falsified(first.into())
}
