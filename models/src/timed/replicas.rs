//! The followers of a run: what they forward to the leader, what they have still to apply, and the touches that they note.

use std::collections::VecDeque;

use overtake_sim::clock::LearnerTouches;
use overtake_sim::names::{Who, slot_of};
use overtake_sim::world::{Step, StepKind};

use super::host::Wire;
use super::record::Note;
use super::run::{Event, Run};

/// A follower.
#[derive(Debug, Default)]
pub(super) struct Replica {
    /// On its way to the leader.
    pub forwarded: Wire,
    /// Committed, and on its way into the follower's tree.
    pub behind: Wire,
    touches: LearnerTouches<Who>,
    /// The leader's next ping is in the queue.
    asked: bool,
    /// Answers to the leader's pings that are on their way.
    answers: VecDeque<Vec<Who>>,
}

impl Run<'_, '_, '_> {
    /// A request or a ping of the session has arrived at the server of its client. A follower notes it, and the leader
    /// hears of it with the answer to its next ping (§3.2).
    pub fn touched(&mut self, session: Option<Who>) {
        let Some(session) = session else { return };
        let at = self.course.world().view(&self.course.state).client(slot_of(session)).server();
        let Some(replica) = usize::from(at).checked_sub(1) else { return self.renewed(session) };
        self.replicas[replica].touches.touch(session);
        if !std::mem::replace(&mut self.replicas[replica].asked, true) {
            let interval = LearnerTouches::<Who>::interval(self.timing.tick).max(1);
            self.queue.push((self.now() / interval + 1) * interval, Event::LeaderAsks { replica });
        }
    }

    /// The leader knows that the session is alive: it counts a full time-out from now.
    pub fn renewed(&mut self, session: Who) {
        if self.course.world().view(&self.course.state).zookeeper().is_alive(session) {
            let now = self.now();
            self.server.touch(session, now);
            self.note(session, Note::Touched);
        }
    }

    /// The leader's ping is at the follower: the note goes back.
    pub fn leader_asks(&mut self, replica: usize) {
        let way = self.timing.forward.sample(&mut self.network);
        let follower = &mut self.replicas[replica];
        follower.asked = false;
        let answer = follower.touches.answer();
        follower.answers.push_back(answer);
        self.queue.push_in(way, Event::LeaderHears { replica });
    }

    /// The note is at the leader.
    pub fn leader_hears(&mut self, replica: usize) {
        if let Some(later) = self.server.later(self.now()) {
            return self.queue.push(later, Event::LeaderHears { replica });
        }
        for session in self.replicas[replica].answers.pop_front().unwrap_or_default() {
            self.renewed(session);
        }
    }

    /// Looks at what followers have still to do.
    pub fn look_at_replicas(&mut self, step: Option<Step>) {
        let now = self.now();
        for replica in 0..self.replicas.len() {
            let view = self.course.world().view(&self.course.state);
            let follower = &view.ensemble().followers[replica];
            let (forwarded, behind) = (follower.forwarded.len(), follower.behind.len());
            let timing = self.timing;
            let follower = &mut self.replicas[replica];
            match step {
                Some(Step { kind: StepKind::Accept, slot, .. }) if usize::from(slot) == replica + 1 => {
                    follower.forwarded.pop();
                }
                Some(Step { kind: StepKind::Commit, slot, .. }) if usize::from(slot) == replica + 1 => {
                    follower.behind.pop();
                }
                Some(Step { kind: StepKind::Elect, .. }) => {
                    // A follower that has lost its leader has nobody to tell.
                    *follower = Self::fresh(follower);
                }
                Some(Step { kind: StepKind::Resync, slot, .. }) if usize::from(slot) == replica + 1 => {
                    // What it had noted is gone with it (§3.2).
                    *follower = Self::fresh(follower);
                }
                _ => {}
            }
            for (wire, length, takes) in [
                (&mut follower.forwarded, forwarded, &timing.forward),
                (&mut follower.behind, behind, &timing.replicate),
            ] {
                if wire.arrivals.len() > length {
                    wire.clear();
                }
                while wire.arrivals.len() < length {
                    wire.push(now + takes.sample(&mut self.network), false);
                }
            }
            for (wire, accept) in [(&mut follower.forwarded, true), (&mut follower.behind, false)] {
                let Some(&(at, _)) = wire.arrivals.front() else { continue };
                if !std::mem::replace(&mut wire.scheduled, true) {
                    let ticket = wire.ticket;
                    self.queue.push(at, Event::Replica { replica, ticket, accept });
                }
            }
        }
    }

    /// A follower after an election: its wires are empty, and its note is gone. Tickets go on, so that old events stay stale.
    fn fresh(old: &Replica) -> Replica {
        let wire = |wire: &Wire| Wire { ticket: wire.ticket + 1, ..Wire::default() };
        let answers = old.answers.iter().map(|_| Vec::new()).collect();
        Replica {
            forwarded: wire(&old.forwarded),
            behind: wire(&old.behind),
            touches: LearnerTouches::new(),
            asked: old.asked,
            answers,
        }
    }

    /// The leader takes what the follower has forwarded, or the follower applies a commit.
    pub fn replica_acts(&mut self, replica: usize, ticket: u64, accept: bool) {
        let follower = &self.replicas[replica];
        if ticket != if accept { follower.forwarded.ticket } else { follower.behind.ticket } {
            return;
        }
        let later = if accept { self.server.later(self.now()) } else { self.server.elected(self.now()) };
        if let Some(later) = later {
            return self.queue.push(later, Event::Replica { replica, ticket, accept });
        }
        let kind = if accept { StepKind::Accept } else { StepKind::Commit };
        self.take(Some(Step { kind, slot: replica as u8 + 1, arg: 0 }), kind);
    }
}
