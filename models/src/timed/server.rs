//! The server's side of time: its clock, its session tracker, and whether it runs at all.

use std::collections::BTreeSet;

use overtake_sim::clock::{Granting, MachineClock, SessionTracker};
use overtake_sim::names::Who;

use super::Flaw;

/// The server's process.
#[derive(Debug)]
pub(super) struct Server {
    pub clock: MachineClock,
    pub granting: Granting,
    tracker: SessionTracker<Who>,
    /// What the clients of sessions wish for.
    wished: u64,
    /// Up to this moment it is shut down.
    pub down_until: u64,
    /// Sessions that their library has given up while the server counted on.
    pub abandoned: BTreeSet<Who>,
    /// The sessions that were there when it was looked at last.
    known: Vec<Who>,
    /// The moment of the tracker's alarm that is in the queue.
    pub alarm: Option<u64>,
    flaw: Flaw,
}

impl Server {
    pub fn new(clock: MachineClock, tick: u64, wished: u64, flaw: Flaw) -> Self {
        Self {
            tracker: SessionTracker::new(tick, clock.reading(0)),
            clock,
            granting: Granting::of_tick(tick),
            wished,
            down_until: 0,
            abandoned: BTreeSet::new(),
            known: Vec::new(),
            alarm: None,
            flaw,
        }
    }

    /// The session time-out that every client gets.
    pub fn timeout(&self) -> u64 {
        self.granting.negotiate(self.wished)
    }

    fn counted(&self) -> u64 {
        match self.flaw {
            Flaw::RoundsDown => self.timeout() - self.granting.tick,
            _ => self.timeout(),
        }
    }

    /// When a follower goes on, which does not stand still with its leader; `None` for at once.
    pub fn elected(&self, now: u64) -> Option<u64> {
        (self.down_until > now).then_some(self.down_until)
    }

    /// When the server takes what arrives at the moment; `None` for at once.
    pub fn later(&self, now: u64) -> Option<u64> {
        let at = self.clock.runs_at(now).max(self.down_until);
        (at > now).then_some(at)
    }

    /// Looks at the sessions that the service knows: new ones are tracked, those that are gone are not. Answers the new.
    pub fn sessions_are(&mut self, now: u64, sessions: impl Iterator<Item = Who>) -> Vec<Who> {
        let sessions: Vec<Who> = sessions.collect();
        let reading = self.clock.reading(now);
        for gone in self.known.iter().filter(|s| !sessions.contains(s)) {
            self.tracker.remove(*gone);
            self.abandoned.remove(gone);
        }
        let new: Vec<Who> = sessions.iter().copied().filter(|s| !self.known.contains(s)).collect();
        for &session in &new {
            self.tracker.add(session, self.counted(), reading);
        }
        self.known = sessions;
        new
    }

    /// A request or a ping of the session has arrived.
    pub fn touch(&mut self, session: Who, now: u64) {
        if self.flaw != Flaw::ForgetsTouches {
            self.tracker.touch(session, self.clock.reading(now));
        }
    }

    /// The sessions of the next bucket, when its moment has come.
    pub fn expire_next(&mut self, now: u64) -> Option<Vec<Who>> {
        let reading = self.clock.reading(now);
        self.tracker.skip_empty(reading);
        let due = self.tracker.expire_next(reading)?;
        if self.flaw == Flaw::WrongSession && !due.is_empty() {
            // Everybody but those whose time is over.
            return Some(self.known.iter().copied().filter(|s| !due.contains(s)).collect());
        }
        Some(due)
    }

    /// The end of the session cannot happen in this world: it gets a fresh time-out.
    pub fn spare(&mut self, session: Who, now: u64) {
        self.tracker.add(session, self.counted(), self.clock.reading(now));
    }

    /// The server is up again: every session gets a fresh time-out.
    pub fn restarted(&mut self, now: u64) {
        if self.flaw != Flaw::KeepsDeadlines {
            self.tracker = self.tracker.restarted(self.clock.reading(now));
        }
    }

    /// The moment at which the tracker has something to do.
    pub fn wakes_at(&self) -> Option<u64> {
        self.tracker.wakes_at().map(|reading| self.clock.moment(reading))
    }
}
