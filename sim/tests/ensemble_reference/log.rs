//! The reference: a plain list of what the leader has committed, and how much of it each server has applied.

use std::collections::VecDeque;

use overtake_recipes::CreateMode;
use overtake_sim::names::{Text, Who};
use overtake_sim::zookeeper::{Reply, Request, Write, ZooKeeper};

/// An entry of the list.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A request that the leader has judged.
    Request(Who, Request),
    /// The end of a session that the leader had marked, or (where a rule is spoilt) one that nobody was to end.
    End { session: Who, marked: bool },
}

/// What a follower is sent: an entry, by its place in the list, or the mark that a sync leaves.
#[derive(Clone, Copy, Debug)]
enum Arrival {
    Entry(usize),
    Sync,
}

/// Committed entries; server 0 has applied all, each other server so many of the first.
#[derive(Clone, Debug)]
pub struct Log {
    entries: Vec<Entry>,
    /// A server that has applied none, the first, the first two … of the entries, by doing just that.
    prefixes: Vec<ZooKeeper>,
    answers: Vec<Option<Reply>>,
    arrivals: Vec<VecDeque<Arrival>>,
    applied: Vec<usize>,
}

impl Log {
    /// Nothing committed yet; every server has the nodes and sessions of the start.
    pub fn new(start: ZooKeeper, servers: usize) -> Self {
        Self {
            entries: Vec::new(),
            prefixes: vec![start],
            answers: Vec::new(),
            arrivals: vec![VecDeque::new(); servers],
            applied: vec![0; servers],
        }
    }

    /// The leader commits; answers the place.
    pub fn commit(&mut self, entry: Entry) -> usize {
        let mut zookeeper = self.prefixes[self.entries.len()].clone();
        self.answers.push(match &entry {
            Entry::Request(session, request) => Some(zookeeper.apply(*session, request, &mut Vec::new())),
            Entry::End { session, .. } => {
                zookeeper.apply_close(*session, &mut Vec::new());
                None
            }
        });
        self.prefixes.push(zookeeper);
        self.entries.push(entry);
        let at = self.entries.len() - 1;
        self.applied[0] = self.entries.len();
        self.arrivals[1..].iter_mut().for_each(|a| a.push_back(Arrival::Entry(at)));
        at
    }

    /// The leader answers a sync of a client at the server.
    pub fn sync(&mut self, server: u8) {
        self.arrivals[server as usize].push_back(Arrival::Sync);
    }

    /// The server takes the oldest that it has not taken; `false` when there is none.
    pub fn arrive(&mut self, server: u8) -> bool {
        match self.arrivals[server as usize].pop_front() {
            Some(Arrival::Entry(at)) => self.applied[server as usize] = at + 1,
            Some(Arrival::Sync) => {}
            None => return false,
        }
        true
    }

    /// The server has all.
    pub fn catch_up(&mut self, server: u8) {
        self.arrivals[server as usize].clear();
        self.applied[server as usize] = self.entries.len();
    }

    /// What the server has, if it has applied just that many entries.
    pub fn at(&self, server: u8) -> &ZooKeeper {
        &self.prefixes[self.applied[server as usize]]
    }

    /// What the server would answer to a read now.
    pub fn read(&self, server: u8, session: Who, request: &Request) -> Reply {
        self.at(server).clone().apply(session, request, &mut Vec::new())
    }

    /// The answer to the entry.
    pub fn answer(&self, at: usize) -> &Reply {
        self.answers[at].as_ref().expect("an entry that is answered")
    }

    /// Ephemeral nodes that sessions for which no rightful end is in the list have created and nobody has deleted.
    pub fn live_ephemerals(&self) -> Vec<(Who, Text)> {
        let mut live: Vec<(Who, Text)> = Vec::new();
        for (entry, answer) in self.entries.iter().zip(&self.answers) {
            let done = answer.as_ref().is_some_and(|answer| answer.result.is_ok());
            let (session, writes) = match entry {
                Entry::Request(session, Request::CloseSession) | Entry::End { session, marked: true } => {
                    live.retain(|(owner, _)| owner != session);
                    continue;
                }
                Entry::Request(session, Request::Write(write)) if done => (session, std::slice::from_ref(write)),
                Entry::Request(session, Request::Multi(writes)) if done => (session, &writes[..]),
                _ => continue,
            };
            for write in writes {
                match write {
                    Write::Create { path, mode: CreateMode::Ephemeral, .. } => live.push((*session, *path)),
                    Write::Delete { path, .. } => live.retain(|(_, other)| other != path),
                    _ => {}
                }
            }
        }
        live
    }
}
