//! The replica: it applies what the server has committed, one entry after the other, and takes over when the server stops.

use super::{Answered, At, Data, Documents, Response, Step, Write};
use crate::names::Who;

/// What one commit has written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub writes: Vec<Write>,
    pub answered: Option<Answered>,
}

/// The replica.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Replica {
    pub data: Data,
    /// What it has not applied yet.
    pub log: Vec<Entry>,
    /// How many entries there were, where answers wait for them.
    pub written: u32,
}

impl Documents {
    /// Keeps the answer for the write that is sent again, and sends the replica what was written.
    pub(super) fn replicate_later(
        &mut self,
        writes: Vec<Write>,
        operation: Option<(Who, u32)>,
        response: Response,
    ) -> Step {
        let answered = operation.map(|(caller, operation)| Answered { caller, operation, response: response.clone() });
        self.data.answered.extend(answered.clone());
        let Some(replica) = &mut self.replica else { return Step::Done(response) };
        replica.log.push(Entry { writes, answered });
        replica.written += u32::from(self.settings.majority);
        self.when_replicated(None, response)
    }

    /// The answer to a write; by a majority it waits until the replica has all that is written.
    pub(super) fn when_replicated(&self, by: Option<usize>, response: Response) -> Step {
        match &self.replica {
            Some(replica) if self.settings.majority && by.is_none() => {
                Step::Going(At::Replicating(replica.written, response))
            }
            _ => Step::Done(response),
        }
    }

    /// Whether the replica has that many entries.
    pub(super) fn replicated(&self, entries: u32) -> bool {
        self.replica.as_ref().is_none_or(|replica| replica.written - replica.log.len() as u32 >= entries)
    }

    /// The replica applies the oldest entry.
    pub(super) fn replicate(&mut self) {
        let replica = self.replica.as_mut().expect("a replica");
        let entry = replica.log.remove(0);
        entry.writes.iter().for_each(|write| replica.data.apply(write));
        replica.data.answered.extend(entry.answered);
    }

    /// The server stops. Transactions are gone and calls end where they are. What a replica has not applied is rolled back: it is
    /// the server from now on. Numbers of documents are not drawn twice.
    pub(super) fn stop(&mut self) {
        self.open.clear();
        self.committed.clear();
        self.life += 1;
        if let Some(replica) = &mut self.replica {
            for (name, collection) in &self.data.collections {
                replica.data.collections.entry(name).or_default().next = collection.next;
            }
            self.data = replica.data.clone();
            replica.log.clear();
            replica.written = 0;
        }
    }
}
