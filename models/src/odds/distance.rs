//! How far a state is from a violation: the least number of steps, backwards from all violating states. Importance splitting
//! takes it as its level.

use std::collections::VecDeque;

use super::graph::Pending;

/// The least number of steps from each node to the target; `u32::MAX` where there is no way.
pub(super) fn to(target: u32, nodes: &[Vec<Pending>]) -> Vec<u32> {
    let mut first = vec![0u32; nodes.len() + 1];
    for pending in nodes.iter().flatten() {
        first[pending.next as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut place = first.clone();
    let mut before = vec![0u32; first[nodes.len()] as usize];
    for (node, pendings) in nodes.iter().enumerate() {
        for pending in pendings {
            let at = &mut place[pending.next as usize];
            before[*at as usize] = node as u32;
            *at += 1;
        }
    }
    let mut distance = vec![u32::MAX; nodes.len()];
    distance[target as usize] = 0;
    let mut queue = VecDeque::from([target]);
    while let Some(node) = queue.pop_front() {
        let range = first[node as usize] as usize..first[node as usize + 1] as usize;
        for &earlier in &before[range] {
            if distance[earlier as usize] == u32::MAX {
                distance[earlier as usize] = distance[node as usize] + 1;
                queue.push_back(earlier);
            }
        }
    }
    distance
}
