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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::sync::Std;

    type Calls = Arc<Mutex<Vec<String>>>;

    /// A lock that answers what it is told to, and writes down what it is asked.
    struct Member {
        name: &'static str,
        acquire: Result<bool, Error>,
        release: Result<(), Error>,
        calls: Calls,
    }

    impl Member {
        fn asked(&self, what: String) {
            self.calls.lock().unwrap().push(format!("{what} {}", self.name));
        }
    }

    impl InterProcessLock<Std> for Member {
        fn acquire(&self) -> Result<(), Error> {
            self.asked("acquire".into());
            self.acquire.clone().map(drop)
        }

        fn acquire_timeout(&self, time: Duration) -> Result<bool, Error> {
            self.asked(format!("acquire for {time:?}"));
            self.acquire.clone()
        }

        fn release(&self) -> Result<(), Error> {
            self.asked("release".into());
            self.release.clone()
        }

        fn is_acquired_in_this_process(&self) -> bool {
            true
        }
    }

    fn over(members: &[(&'static str, Result<bool, Error>, Result<(), Error>)]) -> (InterProcessMultiLock<Std>, Calls) {
        let calls = Calls::default();
        let member = |(name, acquire, release): &(&'static str, Result<bool, Error>, Result<(), Error>)| {
            let (acquire, release, calls) = (acquire.clone(), release.clone(), calls.clone());
            Arc::new(Member { name, acquire, release, calls }) as Arc<dyn InterProcessLock<Std>>
        };
        (InterProcessMultiLock::new(members.iter().map(member).collect()), calls)
    }

    fn lost(base: &str) -> Error {
        Error::Lost { base: base.into() }
    }

    /// It goes on with those that are left, gives back what it got in the opposite order, and answers the last error.
    #[test]
    fn one_that_fails_does_not_keep_it_from_the_rest() {
        let failed = Err(lost("b"));
        let (multi, calls) = over(&[
            ("a", Ok(true), Ok(())),
            ("b", failed, Ok(())),
            ("c", Ok(true), Ok(())),
            ("d", Err(lost("d")), Ok(())),
        ]);
        assert_eq!(multi.acquire(), Err(lost("d")));
        let expected = ["acquire a", "acquire b", "acquire c", "acquire d", "release c", "release a"];
        assert_eq!(*calls.lock().unwrap(), expected);
    }

    /// One whose time is up ends it there; each member has the full time.
    #[test]
    fn one_that_times_out_ends_it_and_each_has_the_full_time() {
        let (multi, calls) = over(&[("a", Ok(true), Ok(())), ("b", Ok(false), Ok(())), ("c", Ok(true), Ok(()))]);
        assert_eq!(multi.acquire_timeout(Duration::from_secs(3)), Ok(false));
        assert_eq!(*calls.lock().unwrap(), ["acquire for 3s a", "acquire for 3s b", "release a"]);
    }

    /// All are released, whatever one of them says.
    #[test]
    fn a_release_attempts_all() {
        let (multi, calls) = over(&[("a", Ok(true), Ok(())), ("b", Ok(true), Err(lost("b"))), ("c", Ok(true), Ok(()))]);
        assert_eq!(multi.acquire(), Ok(()));
        assert_eq!(multi.release(), Err(lost("b")));
        assert_eq!(calls.lock().unwrap()[3..], ["release c", "release b", "release a"]);
    }
}
