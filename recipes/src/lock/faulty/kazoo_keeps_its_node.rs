//! kazoo's lock after a time-out, before its clean-up.

use crate::Environment;
use crate::lock::kazoo::{Care, Kazoo};
use crate::lock::{Acquired, Lock, LockError, Patience, Queue};

/// *Wrong:* a wait that times out is answered with "not acquired", and the node stays in the queue. The next one in
/// line waits for it until the session ends.
///
/// *Seen:* <https://github.com/python-zk/kazoo/issues/732> (O46).
///
/// *Cure:* find the node and delete it before answering.
#[derive(Clone)]
pub struct KazooKeepsItsNode<E: Environment>(Kazoo<E>);

impl<E: Environment> Lock<E> for KazooKeepsItsNode<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Kazoo::new(env, parent, false, Care { keeps_node_on_timeout: true, ..Care::default() }))
    }

    kazoo_calls!();
}
