//! Items are ephemeral.

use crate::work_queue::WorkQueue;
use crate::{CreateMode, Environment};

/// *Wrong:* an item goes with the session of the producer, whether or not somebody has taken it.
///
/// *Seen:* the official text tells producers to create "with the sequence and ephemeral flags",
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_Queues>; the queue that comes with ZooKeeper does not.
///
/// *Cure:* persistent items.
#[derive(Clone)]
pub struct EphemeralItems<E: Environment>(E, String);

impl<E: Environment> WorkQueue<E> for EphemeralItems<E> {
    at_a_path!();

    fn item_mode() -> CreateMode {
        CreateMode::EphemeralSequential
    }
}
