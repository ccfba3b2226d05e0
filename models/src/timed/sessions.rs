//! Connections and sessions of a run: attempts, expiry at the server and at the library, the server going down.

use overtake_sim::names::{Who, slot_of};
use overtake_sim::world::{Link, Step, StepKind};

use super::record::Note;
use super::run::{Event, Run};

impl Run<'_, '_, '_> {
    /// The connection of the client is lost; its library will try to connect again.
    pub fn drops(&mut self, slot: usize) {
        let now = self.now();
        let reading = self.hosts[slot].clock.reading(now);
        if self.link(slot) == Link::Down {
            // The server has closed the connection, and the library hears nothing of it: it gives up by itself. The world
            // delivers what was written before; here it comes now.
            let host = &mut self.hosts[slot];
            host.incoming.arrivals.iter_mut().for_each(|arrival| *arrival = (now, true));
            host.incoming.unschedule();
            self.schedule_wires(slot);
            return self.suspended(slot);
        }
        if !self.take(self.course.find(StepKind::Cut, slot), StepKind::Cut) {
            // This world allows no more of them: as if the silence were over.
            let (timeout, host) = (self.server.timeout(), &mut self.hosts[slot]);
            if let Some(connection) = &mut host.connection {
                connection.reconnected(timeout, reading, &mut self.own);
            }
            return;
        }
        self.suspended(slot);
    }

    /// The library has noticed that the connection is gone.
    pub fn suspended(&mut self, slot: usize) {
        let now = self.now();
        let host = &mut self.hosts[slot];
        let reading = host.clock.reading(now);
        let Some(connection) = &mut host.connection else { return };
        host.epoch += 1;
        connection.drops(reading);
        let pause = connection.pause_before_attempt(&mut self.own);
        let event = Event::Attempt { slot, epoch: host.epoch };
        self.queue.push_in(pause, event);
        self.schedule_library(slot);
    }

    /// The library starts to connect: a packet there and back, and the connect request.
    pub fn attempts(&mut self, slot: usize) {
        let now = self.now();
        let Some(connection) = &self.hosts[slot].connection else { return };
        if connection.is_connected() || self.link(slot) != Link::Down {
            return;
        }
        let until = now.saturating_add(connection.connect_timeout());
        if self.server.down_until > now {
            // Refused at once.
            return self.attempts_again(slot, now);
        }
        let arrives = self.latency() + self.latency() + self.latency();
        let setup = self.course.world().setup();
        let to = match &setup.clients[slot] {
            client if !client.roams => client.server,
            _ => self.own.below(setup.followers as u64 + 1) as u8,
        };
        let epoch = self.hosts[slot].epoch;
        self.queue.push_in(arrives, Event::Connect { slot, epoch, until, to });
    }

    /// The attempt has failed at the moment; the next one follows after a pause.
    pub fn attempts_again(&mut self, slot: usize, failed: u64) {
        let host = &mut self.hosts[slot];
        let Some(connection) = &mut host.connection else { return };
        let pause = connection.pause_before_attempt(&mut self.own);
        // A pause of no length must not stop time.
        self.queue.push(failed.saturating_add(pause.max(1)), Event::Attempt { slot, epoch: host.epoch });
    }

    /// The connect request is at the server, which asks the leader. One that has not seen what the client has closes the
    /// connection without an answer.
    pub fn connects(&mut self, slot: usize, to: u8) {
        let Some(session) = self.session(slot) else { return };
        let alive = self.course.world().view(&self.course.state).zookeeper().is_alive(session);
        let ways = self.course.enabled.iter().filter(|step| step.kind == StepKind::Reconnect);
        // Any server can tell that a session is over; the world has one of them do it.
        let mut ways = ways.filter(|step| usize::from(step.slot) == slot && (!alive || step.arg == u16::from(to)));
        let Some(way) = ways.next().copied() else {
            return self.attempts_again(slot, self.now());
        };
        self.renewed(session);
        self.take(Some(way), StepKind::Reconnect);
    }

    /// The library declares its session over. The connection goes first if it is still there.
    pub fn gives_up(&mut self, slot: usize) {
        if self.link(slot) == Link::Up {
            return self.drops(slot);
        }
        let Some(session) = self.session(slot) else { return };
        let view = self.course.world().view(&self.course.state);
        if !view.client(slot).frames().is_empty() {
            // The program has not been told of the lost connection yet; the alarm comes again.
            return;
        }
        if let Some(step) = self.course.find(StepKind::GiveUp, slot) {
            self.note(session, Note::GivenUp);
            self.take(Some(step), StepKind::GiveUp);
            return;
        }
        if view.zookeeper().is_alive(session) {
            let step = Step { kind: StepKind::Expire, slot: slot as u8, arg: session };
            if !self.take(Some(step), StepKind::Expire) {
                self.hosts[slot].connection = None;
                let epoch = self.hosts[slot].epoch;
                return self.queue.push_in(1, Event::Connect { slot, epoch, until: u64::MAX, to: 0 });
            }
            self.server.abandoned.insert(session);
            self.note(session, Note::GivenUp);
        }
        self.take(self.course.find(StepKind::Reconnect, slot), StepKind::Reconnect);
    }

    /// The session tracker empties every bucket whose moment has come.
    pub fn tracker_wakes(&mut self) {
        self.server.alarm = None;
        let now = self.now();
        if let Some(later) = self.server.later(now) {
            self.server.alarm = Some(later);
            return self.queue.push(later, Event::Tracker);
        }
        while let Some(due) = self.server.expire_next(now) {
            for session in due {
                self.expires(session);
            }
        }
        self.schedule_tracker();
    }

    fn expires(&mut self, session: Who) {
        let (now, slot) = (self.now(), slot_of(session));
        let closing = self.course.world().view(&self.course.state).zookeeper().is_closing(session);
        if closing && self.server.abandoned.contains(&session) {
            self.note(session, Note::Expired);
            return self.commits(session);
        }
        let step = |kind| Step { kind, slot: slot as u8, arg: session };
        let kinds = [StepKind::Expire, StepKind::Lapse];
        let enabled = kinds.into_iter().find(|kind| self.course.enabled.contains(&step(*kind)));
        let Some(kind) = enabled else {
            self.server.spare(session, now);
            self.note(session, Note::Renewed);
            // The session of a program that is over stays open in every world; that is no refusal.
            if !self.course.world().view(&self.course.state).client(slot).is_over() {
                *self.refused.entry(StepKind::Expire).or_default() += 1;
            }
            return;
        };
        self.note(session, Note::Expired);
        self.take(Some(step(kind)), kind);
        self.commits(session);
    }

    /// The transaction that ends the session is on its way, behind those before it.
    fn commits(&mut self, session: Who) {
        let at = self.now().saturating_add(self.timing.commit.sample(&mut self.service));
        self.last_commit = self.last_commit.max(at);
        self.queue.push(self.last_commit, Event::Commit { session });
    }

    /// The end of the session is applied.
    pub fn ends(&mut self, session: Who) {
        let step = Step { kind: StepKind::Apply, slot: slot_of(session) as u8, arg: session };
        // Where calls are steps, an expiry is one step, and the end is applied already.
        if self.course.enabled.contains(&step) {
            self.note(session, Note::Applied);
            self.take(Some(step), StepKind::Apply);
        }
    }

    /// The server shuts down, or its leader: every connection is closed.
    pub fn server_goes_down(&mut self, down: u64) {
        let now = self.now();
        self.server.down_until = self.server.down_until.max(now.saturating_add(down));
        let up = self.server.down_until;
        self.queue.push(up, Event::ServerUp);
        if let Some(step) = self.course.enabled.iter().copied().find(|step| step.kind == StepKind::Elect) {
            self.take(Some(step), StepKind::Elect);
            return;
        }
        *self.refused.entry(StepKind::Elect).or_default() += 1;
        if !self.replicas.is_empty() {
            // An election is more than cuts; without it the leader only stands still.
            return;
        }
        let closing: Vec<Who> = {
            let service = self.course.world().view(&self.course.state).zookeeper();
            service.sessions().filter(|s| service.is_closing(*s) && !self.server.abandoned.contains(s)).collect()
        };
        for session in closing {
            self.ends(session);
        }
        for slot in 0..self.hosts.len() {
            if self.link(slot) == Link::Up && self.hosts[slot].connection.is_some() {
                self.drops(slot);
            }
        }
    }

    /// The server is up: every session gets a fresh time-out.
    pub fn server_is_up(&mut self) {
        let now = self.now();
        if self.server.down_until > now {
            return;
        }
        self.server.restarted(now);
        let sessions: Vec<Who> = self.course.world().view(&self.course.state).zookeeper().sessions().collect();
        for session in sessions {
            self.note(session, Note::Renewed);
        }
        self.schedule_tracker();
    }
}
