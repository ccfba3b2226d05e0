//! A failed acquire of Curator's mutex leaves its node behind.

use crate::Environment;
use crate::client::{Options, RetryPolicy};
use crate::lock::curator::{Care, Mutex};
use crate::lock::{Acquired, Lock, LockError, Patience, Queue};

/// *Wrong:* when listing or watching fails for good, the error is thrown and the node stays: nobody knows of it, and
/// the lock is blocked until the session ends.
///
/// *Seen:* CURATOR-45, CURATOR-79 (O37, O38).
///
/// *Cure:* a guaranteed delete before the error goes on.
#[derive(Clone)]
pub struct CuratorForgetsItsNode<E: Environment>(Mutex<E>);

impl<E: Environment> Lock<E> for CuratorForgetsItsNode<E> {
    fn new(env: E, parent: &str) -> Self {
        let options = Options { policy: RetryPolicy::never(), ..Options::default() };
        Self(Mutex::new(env, parent, options, Care { forgets_on_failure: true, ..Care::default() }))
    }

    curator_calls!();
}
