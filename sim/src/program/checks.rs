//! The checks that keep programs honest: every edge runs twice with other numbers, and histories that a checkpoint made
//! one are run side by side.

use std::sync::atomic::Ordering;

use super::ProgramError;
use super::automaton::{Automaton, Edge, EdgeKey, Node, NodeId};
use super::history::{History, same_shape};
use super::landing::Landing;

/// Second histories kept per node, to check its checkpoint with.
const ALTERNATIVES: usize = 4;

impl Automaton {
    /// Runs the history and the observation once more with other numbers in the same order, and compares.
    pub(super) fn repeat(&self, node: &Node, key: &EdgeKey, first: &Landing) -> Result<(), ProgramError> {
        self.stats.repeated.fetch_add(1, Ordering::Relaxed);
        let (again, _) = self.follow(node, key, &node.history, false)?;
        let program = || self.program_name(node.key.program).to_owned();
        if again != *first {
            return Err(ProgramError::NotDeterministic {
                program: program(),
                observation: key.obs.to_string(),
                first: first.key.to_string(),
                second: again.key.to_string(),
            });
        }
        let (second, _) = self.follow(node, key, &node.history.respread(self.naming(), 13, 8), true)?;
        if second != *first {
            return Err(ProgramError::LooksIntoNames {
                program: program(),
                observation: key.obs.to_string(),
                first: first.key.to_string(),
                second: second.key.to_string(),
            });
        }
        Ok(())
    }

    /// Runs another history of the node with the same observation, and compares; answers the longer history.
    pub(super) fn compare(
        &self,
        node: &Node,
        key: &EdgeKey,
        other: &History,
        first: &Landing,
    ) -> Result<History, ProgramError> {
        self.stats.compared.fetch_add(1, Ordering::Relaxed);
        let seen = match self.follow(node, key, other, false) {
            Ok((second, history)) if second == *first => return Ok(history),
            Ok((second, _)) => second.key.to_string(),
            Err(error) => error.to_string(),
        };
        let anchor = node.key.tasks.first().and_then(|t| t.anchor.as_ref());
        Err(ProgramError::DishonestCheckpoint {
            program: self.program_name(node.key.program).into(),
            place: anchor.map_or("its end", |a| a.0).into(),
            observation: key.obs.to_string(),
            first: first.key.to_string(),
            second: seen,
        })
    }

    /// Other histories have come to nodes: keeps some, compares them on the edges that are known, and follows them on
    /// from there, since what a checkpoint forgot may only show steps later.
    pub(super) fn merge(&self, mut arrived: Vec<(NodeId, History)>) -> Result<(), ProgramError> {
        while let Some((id, history)) = arrived.pop() {
            let node = &self.nodes[id as usize];
            if node.key.tasks.is_empty() {
                continue;
            }
            {
                let mut kept = node.alternatives.lock().expect("alternatives");
                let same = |other: &History| same_shape(&other.observations, &history.observations);
                if kept.len() >= ALTERNATIVES || same(&node.history) || kept.iter().any(same) {
                    continue;
                }
                kept.push(history.clone());
            }
            let known = node.known.lock().expect("known edges").clone();
            for (key, edge) in known {
                arrived.push((edge.to, self.follow_known(node, &key, &edge, &history)?));
            }
        }
        Ok(())
    }

    /// Runs another history along an edge that is known; answers the longer history.
    fn follow_known(
        &self,
        node: &Node,
        key: &EdgeKey,
        edge: &Edge,
        history: &History,
    ) -> Result<History, ProgramError> {
        let first = Landing {
            key: self.nodes[edge.to as usize].key.clone(),
            sent: edge.sent.clone(),
            made: edge.made,
            seq: edge.seq.clone(),
            zxid: edge.zxid.clone(),
            who: edge.who.clone(),
        };
        self.compare(node, key, history, &first)
    }

    /// The same, and on from there.
    pub(super) fn compare_known(
        &self,
        node: &Node,
        key: &EdgeKey,
        edge: &Edge,
        history: &History,
    ) -> Result<(), ProgramError> {
        let longer = self.follow_known(node, key, edge, history)?;
        self.merge(vec![(edge.to, longer)])
    }
}
