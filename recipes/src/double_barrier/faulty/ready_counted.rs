//! The node `ready` is counted as a member.

use crate::Environment;
use crate::double_barrier::DoubleBarrier;
use crate::lock::Queue;
use crate::names::suffix;

/// *Wrong:* whoever leaves looks at all children, and `ready` is one of them: the list is never empty, and the members wait
/// for a node that belongs to none of them.
///
/// *Seen:* the official text puts `ready` below the barrier and counts "the children",
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_doubleBarriers>.
///
/// *Cure:* count what has a number.
#[derive(Clone)]
pub struct ReadyCounted<E: Environment>(Queue<E>, usize);

impl<E: Environment> DoubleBarrier<E> for ReadyCounted<E> {
    in_queue!();

    fn members(mut children: Vec<String>) -> Vec<String> {
        children.sort_by_key(|name| suffix(name));
        children
    }
}
