//! The replica: it applies what the server has committed, one entry after the other, and takes over when the server stops.

use super::{Answered, Data, Documents, Write};
use crate::names::Who;

/// What one commit has written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub writes: Vec<Write>,
    pub answered: Option<Answered>,
    /// The transaction that it was.
    pub committed: Option<(Who, u8)>,
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

impl Data {
    /// Makes the writes, and keeps what is told when they are sent again.
    pub(super) fn take(&mut self, entry: &Entry) {
        entry.writes.iter().for_each(|write| self.apply(write));
        self.answered.extend(entry.answered.clone());
        self.committed.extend(entry.committed);
    }
}

impl Documents {
    /// By a majority: how many entries the replica must have until what is seen now may be told; `None`: it has them.
    pub(super) fn to_replicate(&self) -> Option<u32> {
        let replica = self.replica.as_ref().filter(|replica| self.settings.majority && !replica.log.is_empty());
        replica.map(|replica| replica.written)
    }

    /// A transaction begins under a number that was used before: the one before it is not asked for any more.
    pub(super) fn forget_commit(&mut self, of: (Who, u8)) {
        self.read_only.retain(|other| *other != of);
        self.data.committed.retain(|other| *other != of);
        if let Some(replica) = &mut self.replica {
            replica.data.committed.retain(|other| *other != of);
            replica.log.iter_mut().for_each(|entry| entry.committed = entry.committed.filter(|other| *other != of));
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
        replica.data.take(&entry);
    }

    /// The server stops. Transactions are gone and calls end where they are. What a replica has not applied is rolled back: it is
    /// the server from now on. Numbers of documents are not drawn twice.
    pub(super) fn stop(&mut self) {
        self.open.clear();
        self.read_only.clear();
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
