//! Leaving a double barrier.

use super::DoubleBarrier;
use crate::events::node_event;
use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, LockError};
use crate::names::leaf;
use crate::retry::retry;
use crate::{Environment, ZkError, ZooKeeper};

/// Waits until all members of this round want to leave: the lowest for the highest, the others, their nodes deleted, for the
/// lowest.
pub(super) async fn leave<E: Environment, B: DoubleBarrier<E>>(barrier: &B, member: Acquired) -> Result<(), LockError> {
    let (queue, _) = barrier.parts();
    let (env, zk) = (queue.env(), queue.env().zookeeper());
    let own = leaf(&member.path);
    let mut last = String::new();
    loop {
        let key = [own, last.as_str()];
        let children = retry(env, "double barrier: list", &key, || zk.children(queue.parent())).await?;
        let mut members = B::members(children);
        if last.is_empty() {
            last = members.last().cloned().unwrap_or_else(|| own.to_owned());
        }
        members = B::of_this_round(members, &last);
        let (Some(lowest), Some(highest)) = (members.first(), members.last()) else {
            return barrier.clear(None).await;
        };
        let awaited = match (lowest == own, highest == own) {
            (true, true) => return barrier.clear(Some(&member.path)).await,
            (true, false) => highest,
            (false, _) => {
                if members.iter().any(|name| name == own) {
                    let delete = Guard::new(env, Target::Path(member.path.clone()));
                    env.keeping(&[lowest, &last], delete.finish("double barrier: own node")).await?;
                }
                lowest
            }
        };
        let (path, key) = (queue.path(awaited), [own, awaited, &last]);
        match retry(env, "double barrier: watch for", &key, || zk.watch_data(&path)).await {
            Ok((_, _, mut watch)) => drop(node_event(env, "double barrier: wait for", &key, &mut watch).await?),
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
