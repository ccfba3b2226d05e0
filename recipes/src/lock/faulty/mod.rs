//! The lock, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! *Slip* numbers count the slips of the recipe's text (seed 1 in `docs/sources.md`);
//! *O* numbers are public bug reports, linked where they are told.

/// What every variant in a tuple struct over its queue has.
macro_rules! in_queue {
    () => {
        fn new(env: E, parent: &str) -> Self {
            Self(Queue::new(env, parent))
        }

        fn queue(&self) -> &Queue<E> {
            &self.0
        }
    };
}

pub mod blind_create_retry;
pub mod curator_forgets_its_node;
pub mod exists_leaves_watches;
pub mod hot_spin_from_zero;
pub mod kazoo_keeps_its_node;
pub mod no_resort_unsorted_children;
pub mod node_left_after_cancellation;
pub mod node_left_after_timeout;
pub mod persistent_node;
pub mod predecessor_gone_ignored;
pub mod release_forgets_on_loss;
pub mod release_without_retry;
pub mod seed_async_create;
pub mod seed_latch_on_any_event;
pub mod seed_native_code;
pub mod seed_parent_missing;
pub mod seed_path_thrown_away;
pub mod seed_separator_missing;
pub mod seed_unlock_when_not_held;
pub mod seed_wait_inside_callback;
pub mod try_leaves_node;
pub mod waits_for_data_change;
pub mod wake_up_taken_for_my_turn;
pub mod watches_lowest;
pub mod whole_names_compared;
pub mod write_lock_as_shipped;

pub use blind_create_retry::BlindCreateRetry;
pub use curator_forgets_its_node::CuratorForgetsItsNode;
pub use exists_leaves_watches::ExistsLeavesWatches;
pub use hot_spin_from_zero::HotSpinFromZero;
pub use kazoo_keeps_its_node::KazooKeepsItsNode;
pub use no_resort_unsorted_children::NoResortUnsortedChildren;
pub use node_left_after_cancellation::NodeLeftAfterCancellation;
pub use node_left_after_timeout::NodeLeftAfterTimeout;
pub use persistent_node::PersistentNode;
pub use predecessor_gone_ignored::PredecessorGoneIgnored;
pub use release_forgets_on_loss::ReleaseForgetsOnLoss;
pub use release_without_retry::ReleaseWithoutRetry;
pub use seed_async_create::SeedAsyncCreate;
pub use seed_native_code::SeedNativeCode;
pub use seed_parent_missing::SeedParentMissing;
pub use seed_path_thrown_away::SeedPathThrownAway;
pub use seed_separator_missing::SeedSeparatorMissing;
pub use seed_unlock_when_not_held::SeedUnlockWhenNotHeld;
pub use seed_wait_inside_callback::SeedWaitInsideCallback;
pub use try_leaves_node::TryLeavesNode;
pub use waits_for_data_change::WaitsForDataChange;
pub use wake_up_taken_for_my_turn::WakeUpTakenForMyTurn;
pub use watches_lowest::WatchesLowest;
pub use whole_names_compared::WholeNamesCompared;
pub use write_lock_as_shipped::{
    ShippedWriteLock, WriteLockBySession, WriteLockWithBareName, WriteLockWithPlainUnlock, WriteLockWithoutRelist,
};

use super::turn::WatchOf;
use super::{Acquired, Contender, LockError, Queue, predecessor};
use crate::retry::retry;
use crate::{Environment, ZooKeeper};

/// Joins the queue as the recipe does and waits as the variant does.
async fn contend<E: Environment>(
    queue: &Queue<E>,
    turn: impl AsyncFn(Contender<E>) -> Result<Option<Acquired>, LockError>,
) -> Result<Acquired, LockError> {
    loop {
        if let Some(lock) = turn(queue.join().await?).await? {
            return Ok(lock);
        }
    }
}

/// Joins the queue as the variant does and waits as the recipe does.
async fn contend_as<E: Environment>(
    queue: &Queue<E>,
    join: impl AsyncFn(&Queue<E>) -> Result<Contender<E>, LockError>,
) -> Result<Acquired, LockError> {
    loop {
        if let Some(lock) = predecessor::turn(join(queue).await?).await? {
            return Ok(lock);
        }
    }
}

/// Watches another contender's node with `exists`, which sets a watch also when the node is gone.
/// Tells whether it is there.
async fn watch_exists<E: Environment>(contender: &Contender<E>, other: &str) -> Result<(bool, WatchOf<E>), LockError> {
    let queue = contender.queue();
    let (zk, path) = (queue.env().zookeeper(), queue.path(other));
    let key = [contender.name(), other, contender.session()];
    let exists = || zk.watch_exists(&path);
    let (stat, watch) = retry(queue.env(), "faulty: exists", &key, exists).await?;
    Ok((stat.is_some(), watch))
}
