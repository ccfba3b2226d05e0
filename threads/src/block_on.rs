//! Running a future on the calling thread, which sleeps while there is nothing to do.

use std::cell::RefCell;
use std::fmt;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use crate::sync::Threads;
use crate::wake::{INTERRUPT, WakeCell};

/// The wait was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// What Java's threads have and Rust's have not: a flag that makes whoever waits, or will wait, give up. It stays set
/// until it is [cleared](Self::clear).
pub struct Interrupt<S: Threads> {
    flag: S::Flag,
    waiting: S::Mutex<Option<Arc<WakeCell<S>>>>,
}

impl<S: Threads> Interrupt<S> {
    /// Not set.
    pub fn new() -> Self {
        Self { flag: S::flag("interrupt flag", false), waiting: S::mutex("interrupt", None) }
    }

    /// Interrupts.
    pub fn interrupt(&self) {
        S::set(&self.flag, true, Ordering::Release);
        let waiting = S::lock(&self.waiting).clone();
        if let Some(cell) = waiting {
            cell.post(INTERRUPT);
        }
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        S::is_set(&self.flag, Ordering::Acquire)
    }

    /// Takes the flag away.
    pub fn clear(&self) {
        S::set(&self.flag, false, Ordering::Release);
    }

    fn waits(&self, cell: Option<Arc<WakeCell<S>>>) {
        *S::lock(&self.waiting) = cell;
    }
}

impl<S: Threads> Default for Interrupt<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Tasks that run beside a future on its thread.
#[derive(Clone, Default)]
pub struct Tasks(Rc<RefCell<Vec<Pin<Box<dyn Future<Output = ()>>>>>>);

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tasks")
    }
}

impl Tasks {
    /// One more.
    pub fn push(&self, task: impl Future<Output = ()> + 'static) {
        self.0.borrow_mut().push(Box::pin(task));
    }

    /// Lets each of them go on. `true`: all are over.
    pub fn poll(&self, context: &mut Context<'_>) -> bool {
        let mut waiting = Vec::new();
        loop {
            let round = self.0.take();
            if round.is_empty() {
                break;
            }
            for mut task in round {
                if task.as_mut().poll(context).is_pending() {
                    waiting.push(task);
                }
            }
        }
        let over = waiting.is_empty();
        self.0.borrow_mut().extend(waiting);
        over
    }
}

/// Runs the future, and the tasks beside it, on the calling thread until all are over.
pub fn block_on<S: Threads, F: Future>(tasks: &Tasks, future: F) -> F::Output {
    match run::<S, F>(tasks, None, future) {
        Ok(output) => output,
        Err(Interrupted) => unreachable!("there was nothing to interrupt it with"),
    }
}

/// As [`block_on`], unless it is interrupted first: then the future is dropped, and the tasks with it.
///
/// # Errors
/// [`Interrupted`].
pub fn block_on_or<S: Threads, F: Future>(
    tasks: &Tasks,
    interrupt: &Interrupt<S>,
    future: F,
) -> Result<F::Output, Interrupted> {
    if interrupt.is_set() {
        return Err(Interrupted);
    }
    let ended = run(tasks, Some(interrupt), future);
    interrupt.waits(None);
    ended
}

fn run<S: Threads, F: Future>(
    tasks: &Tasks,
    interrupt: Option<&Interrupt<S>>,
    future: F,
) -> Result<F::Output, Interrupted> {
    let mut cell = None;
    let mut future = pin!(future);
    let mut output = None;
    loop {
        // The first look costs no cell: most calls are answered at once.
        let waker = cell.as_ref().map_or(Waker::noop().clone(), |cell: &Arc<WakeCell<S>>| Waker::from(cell.clone()));
        let mut context = Context::from_waker(&waker);
        if output.is_none()
            && let Poll::Ready(ready) = future.as_mut().poll(&mut context)
        {
            output = Some(ready);
        }
        if tasks.poll(&mut context)
            && let Some(output) = output.take()
        {
            return Ok(output);
        }
        let Some(cell) = &cell else {
            let new = Arc::new(WakeCell::new());
            if let Some(interrupt) = interrupt {
                interrupt.waits(Some(new.clone()));
                if interrupt.is_set() {
                    return Err(Interrupted);
                }
            }
            cell = Some(new);
            continue;
        };
        if cell.wait() & INTERRUPT != 0 {
            return Err(Interrupted);
        }
    }
}
