//! `InterProcessMultiLock`: several locks as one (§5.4).

use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::mutex::InterProcessLock;
use crate::sync::Threads;

/// All of the locks or none. They are taken in the order of the list and given back in the opposite order. Two objects
/// with the locks in another order can wait for one another for ever.
pub struct InterProcessMultiLock<S: Threads> {
    locks: Vec<Arc<dyn InterProcessLock<S>>>,
}

impl<S: Threads> InterProcessMultiLock<S> {
    /// Over these locks.
    pub fn new(locks: Vec<Arc<dyn InterProcessLock<S>>>) -> Self {
        Self { locks }
    }

    /// Each member gets the **full** time.
    fn go(&self, time: Option<Duration>) -> Result<bool, Error> {
        let mut acquired: Vec<&Arc<dyn InterProcessLock<S>>> = Vec::new();
        let mut failed = None;
        let mut all = true;
        for lock in &self.locks {
            let got = match time {
                None => lock.acquire().map(|()| true),
                Some(time) => lock.acquire_timeout(time),
            };
            match got {
                Ok(true) => acquired.push(lock),
                Ok(false) => {
                    all = false;
                    break;
                }
                // It goes on with those that are left, as Curator does.
                Err(error) => {
                    all = false;
                    failed = Some(error);
                }
            }
        }
        if all {
            return Ok(true);
        }
        for lock in acquired.into_iter().rev() {
            // The error that led here says more.
            let _ = lock.release();
        }
        failed.map_or(Ok(false), Err)
    }
}

impl<S: Threads> InterProcessLock<S> for InterProcessMultiLock<S> {
    fn acquire(&self) -> Result<(), Error> {
        self.go(None).map(drop)
    }

    fn acquire_timeout(&self, time: Duration) -> Result<bool, Error> {
        self.go(Some(time))
    }

    /// All are attempted; the last error is answered at the end.
    fn release(&self) -> Result<(), Error> {
        let mut failed = Ok(());
        for lock in self.locks.iter().rev() {
            if let Err(error) = lock.release() {
                failed = Err(error);
            }
        }
        failed
    }

    fn is_acquired_in_this_process(&self) -> bool {
        self.locks.iter().all(|lock| lock.is_acquired_in_this_process())
    }
}
