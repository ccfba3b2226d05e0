//! A claim is persistent.

use crate::work_queue::WorkQueue;
use crate::{CreateMode, Environment};

/// *Wrong:* the consumer dies and its claim stays, so nobody handles the item.
///
/// *Seen:* <https://issues.apache.org/jira/browse/HBASE-16144> (O47), here with a queue.
///
/// *Cure:* an ephemeral claim.
#[derive(Clone)]
pub struct PersistentClaim<E: Environment>(E, String);

impl<E: Environment> WorkQueue<E> for PersistentClaim<E> {
    at_a_path!();

    fn claim_mode() -> CreateMode {
        CreateMode::Persistent
    }
}
