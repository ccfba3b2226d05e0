//! The background thread: what goes on after its caller has left, such as deletes that must succeed in the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

use super::request::Service;
use super::{Client, Env};
use crate::block_on::Tasks;
use crate::sync::{Role, Threads};
use crate::wake::{EVENT, WakeCell};

type Job<S, V> = Box<dyn FnOnce(Env<S, V>, &Tasks) + Send>;

/// The jobs that wait for the thread, and how to wake it.
pub(super) struct Background<S: Threads, V: Service> {
    queue: S::Mutex<Queue<S, V>>,
    runs: S::Flag,
}

struct Queue<S: Threads, V: Service> {
    jobs: Vec<Job<S, V>>,
    cell: Option<Arc<WakeCell<S>>>,
    stopped: bool,
}

impl<S: Threads, V: Service> Background<S, V> {
    pub fn new() -> Self {
        let queue = Queue { jobs: Vec::new(), cell: None, stopped: false };
        Self {
            queue: S::mutex("background queue", queue),
            runs: S::flag("mark that the background thread runs", false),
        }
    }

    pub fn stop(&self) {
        let mut queue = S::lock(&self.queue);
        queue.stopped = true;
        let cell = queue.cell.clone();
        drop(queue);
        if let Some(cell) = cell {
            cell.post(EVENT);
        }
    }
}

impl<S: Threads, V: Service> Client<S, V> {
    /// Hands a job to the background thread, which is started with the first one.
    pub(crate) fn in_background(&self, job: impl FnOnce(Env<S, V>, &Tasks) + Send + 'static) {
        let background = &self.inner.background;
        let mut queue = S::lock_to(&background.queue, || "hands work to the background".into());
        if queue.stopped {
            return;
        }
        queue.jobs.push(Box::new(job));
        let cell = queue.cell.clone();
        drop(queue);
        if let Some(cell) = cell {
            cell.post(EVENT);
        }
        if !S::swap_flag(&background.runs, true, Ordering::AcqRel) {
            let this = self.clone();
            S::spawn(Role::Daemon, format!("background {}", self.inner.place + 1), move || this.work_in_background());
        }
    }

    /// The body of the background thread.
    fn work_in_background(&self) {
        let cell = Arc::new(WakeCell::<S>::new());
        let waker = Waker::from(cell.clone());
        let mut context = Context::from_waker(&waker);
        let tasks = Tasks::default();
        loop {
            let mut queue = S::lock_to(&self.inner.background.queue, || "looks for work".into());
            queue.cell.get_or_insert_with(|| cell.clone());
            if queue.stopped {
                return;
            }
            let jobs = std::mem::take(&mut queue.jobs);
            drop(queue);
            for job in jobs {
                job(Env::new(self.clone(), tasks.clone()), &tasks);
            }
            tasks.poll(&mut context);
            cell.wait();
        }
    }
}
