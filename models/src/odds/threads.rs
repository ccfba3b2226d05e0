//! Jobs on several threads, whose results do not depend on how many there are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Hands out the numbers of jobs.
pub(super) struct Jobs<'a> {
    next: &'a AtomicUsize,
    of: usize,
    stop: &'a AtomicBool,
}

impl Jobs<'_> {
    /// The next job that nobody has.
    pub fn take(&self) -> Option<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|job| *job < self.of)
    }
}

/// Has so many threads do so many jobs; answers the results in the order of the jobs, or `None` when it was stopped. What a
/// thread needs for all of its jobs it makes first.
///
/// # Errors
/// The first error.
pub(super) fn spread<T: Send>(
    threads: usize,
    jobs: usize,
    stop: &AtomicBool,
    work: impl Fn(&Jobs<'_>, &mut dyn FnMut(usize, T)) -> Result<(), String> + Sync,
) -> Result<Option<Vec<T>>, String> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.max(1)) {
            scope.spawn(|| {
                let jobs = Jobs { next: &next, of: jobs, stop };
                let mut put = |job, result| results.lock().expect("results").push((job, result));
                if let Err(why) = work(&jobs, &mut put) {
                    next.store(usize::MAX / 2, Ordering::Relaxed);
                    failed.lock().expect("failure").get_or_insert(why);
                }
            });
        }
    });
    if let Some(why) = failed.into_inner().expect("failure") {
        return Err(why);
    }
    let mut results: Vec<(usize, T)> = results.into_inner().expect("results");
    if results.len() < jobs {
        return Ok(None);
    }
    results.sort_by_key(|(job, _)| *job);
    Ok(Some(results.into_iter().map(|(_, result)| result).collect()))
}
