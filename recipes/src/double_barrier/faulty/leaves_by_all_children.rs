//! Whoever comes again is waited for as one that has not left.

use crate::Environment;
use crate::double_barrier::DoubleBarrier;
use crate::lock::Queue;

/// *Wrong:* the last one deletes its node, leaves, and comes again before another has seen the empty list. That one sees a
/// member and waits for it to leave, while the member waits for it to enter.
///
/// *Seen:* the official text taken literally, with the same members in a second round,
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_doubleBarriers>.
///
/// *Cure:* look at the members of this round only, or use another barrier for each round.
#[derive(Clone)]
pub struct LeavesByAllChildren<E: Environment>(Queue<E>, usize);

impl<E: Environment> DoubleBarrier<E> for LeavesByAllChildren<E> {
    in_queue!();

    fn of_this_round(members: Vec<String>, _: &str) -> Vec<String> {
        members
    }
}
