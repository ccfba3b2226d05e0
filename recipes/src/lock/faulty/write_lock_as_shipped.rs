//! ZooKeeper's own `WriteLock`, as shipped and slip by slip.

use crate::Environment;
use crate::lock::write_lock::{Slips, Writer};
use crate::lock::{Acquired, Lock, LockError, Patience, Queue};

/// *Wrong:* all that the others here have, at once.
///
/// *Seen:* `zookeeper-recipes-lock/…/WriteLock.java` of 3.8, the same on master (§5.9, Z144, Z145).
///
/// *Cure:* [`WriteLock`](crate::lock::WriteLock), repaired.
#[derive(Clone)]
pub struct ShippedWriteLock<E: Environment>(Writer<E>);

/// *Wrong:* `exists` on the predecessor finds nothing; the loop is left and nobody runs `lock()` again.
///
/// *Seen:* <https://github.com/shayhatsor/zookeeper/issues/26> (O18); Z144.
///
/// *Cure:* list again.
#[derive(Clone)]
pub struct WriteLockWithoutRelist<E: Environment>(Writer<E>);

/// *Wrong:* a node that is found again after a lost reply is kept by its bare name. The path of the own node then sorts
/// before the own name: the lock waits for itself, and `unlock` throws since the name is no path.
///
/// *Seen:* run on 3.8.0: `lock()` false, `isOwner` false, node left (§5.9, Z145).
///
/// *Cure:* keep the path.
#[derive(Clone)]
pub struct WriteLockWithBareName<E: Environment>(Writer<E>);

/// *Wrong:* the prefix is the id of the session, so the second lock object of a session finds the node of the first,
/// takes it for its own and owns the lock too.
///
/// *Seen:* read in the source (§5.9).
///
/// *Cure:* an id for each lock.
#[derive(Clone)]
pub struct WriteLockBySession<E: Environment>(Writer<E>);

/// *Wrong:* `unlock` sends its delete once; after a lost connection the node stays and the error is thrown. A node whose
/// create was interrupted it does not know at all.
///
/// *Seen:* `WriteLock.unlock` executes its operation without `retryOperation`; compare O40.
///
/// *Cure:* repeat the delete.
#[derive(Clone)]
pub struct WriteLockWithPlainUnlock<E: Environment>(Writer<E>);

macro_rules! write_lock {
    ($name:ident, $slips:expr) => {
        impl<E: Environment> Lock<E> for $name<E> {
            fn new(env: E, parent: &str) -> Self {
                Self(Writer::new(env, parent, $slips))
            }

            write_lock_calls!();
        }
    };
}

write_lock!(
    ShippedWriteLock,
    Slips { no_relist: true, bare_name: true, session_prefix: true, no_sync: true, plain_unlock: true }
);
write_lock!(WriteLockWithoutRelist, Slips { no_relist: true, ..Slips::default() });
write_lock!(WriteLockWithBareName, Slips { bare_name: true, ..Slips::default() });
write_lock!(WriteLockBySession, Slips { session_prefix: true, ..Slips::default() });
write_lock!(WriteLockWithPlainUnlock, Slips { plain_unlock: true, ..Slips::default() });
