//! What a step has changed: new things on the wires, new waits of the programs, new sessions, and when each of them is over.

use overtake_recipes::SessionState;
use overtake_recipes::store::dht::Node;
use overtake_sim::clock::ConnectionClock;
use overtake_sim::clock::duration::MILLISECOND;
use overtake_sim::names::Text;
use overtake_sim::program::{OpView, local_ops};
use overtake_sim::world::{Link, Step, StepKind};

use super::host::LocalOp;
use super::record::Note;
use super::run::{Event, Run};

/// A step that was taken, with what only the state before it can tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub step: Step,
    /// The change of the connection that it delivers, if it is one.
    pub delivering: Option<SessionState>,
    /// How many of the client's last own waits are new; `None` where the step does not move the program.
    pub made: Option<usize>,
    /// The item to which it gives another life.
    pub renewed: Option<(Node, Text)>,
}

impl Run<'_, '_, '_> {
    /// Looks at what the step has changed.
    pub fn look_around(&mut self, taken: Option<Taken>) {
        for slot in 0..self.hosts.len() {
            let own = taken.filter(|t| t.step.slot as usize == slot && !t.step.kind.is_of_servers());
            if own.is_some() || self.hosts[slot].word != self.course.state[2 + slot] {
                self.hosts[slot].word = self.course.state[2 + slot];
                self.look_at_wires(slot, own);
                self.look_at_waits(slot, own);
                self.look_at_calls(slot, own);
                self.schedule_wires(slot);
                self.schedule_library(slot);
            }
        }
        if self.service_word != self.course.state[1] {
            self.service_word = self.course.state[1];
            let now = self.now();
            let new =
                self.server.sessions_are(now, self.course.world().view(&self.course.state).zookeeper().sessions());
            for session in new {
                self.note(session, Note::Opened);
            }
            self.schedule_tracker();
            self.look_at_replicas(taken.map(|taken| taken.step));
            self.look_at_stores(taken);
        } else if taken.is_some_and(|taken| taken.renewed.is_some()) {
            // An item that gets another life of the same length is the same in the world.
            self.look_at_stores(taken);
        }
        self.wake_calls();
        self.look_for_notices();
    }

    fn look_at_wires(&mut self, slot: usize, own: Option<Taken>) {
        let now = self.now();
        let world = self.course.world();
        let view = world.view(&self.course.state);
        let client = view.client(slot);
        let (link, requests, frames) = (client.link(), client.requests().len(), client.frames().len());
        let kind = own.map(|taken| taken.step.kind);
        let delivered = own.and_then(|taken| taken.delivering);
        let servers = world.setup().followers as u64 + 1;
        let host = &mut self.hosts[slot];
        match kind {
            Some(StepKind::Serve) => host.out.pop(),
            Some(StepKind::Deliver) => host.incoming.pop(),
            Some(StepKind::Cut | StepKind::Crash | StepKind::Restart | StepKind::Notice) => {
                host.out.clear();
                host.incoming.clear();
            }
            _ => {}
        }
        if delivered.is_some_and(|state| state != SessionState::Connected) {
            // The library has failed what was out; what is out now is new.
            host.out.clear();
        }
        if host.out.arrivals.len() > requests {
            host.out.clear();
        }
        let fresh = kind == Some(StepKind::Reconnect) && link == Link::Up;
        if fresh {
            host.out.clear();
        }
        let reading = host.clock.reading(now);
        match &mut host.connection {
            _ if link == Link::Off => host.connection = None,
            Some(connection) if fresh => {
                host.epoch += 1;
                connection.reconnected(self.server.timeout(), reading, &mut self.own);
            }
            None if link == Link::Up => {
                let library = self.timing.library;
                host.epoch += 1;
                host.connection =
                    Some(ConnectionClock::connected(library, self.server.timeout(), servers, reading, &mut self.own));
            }
            _ => {}
        }
        if link != Link::Up {
            // What the program asks for meanwhile waits in the library.
            host.out.clear();
        } else if host.out.arrivals.len() < requests {
            if let Some(connection) = &mut host.connection {
                connection.sends(reading, &mut self.own);
            }
            // The library sends what has waited when it has the server's answer.
            let ways = if fresh { 2 } else { 1 };
            while self.hosts[slot].out.arrivals.len() < requests {
                let on_the_way: u64 = (0..ways).map(|_| self.latency()).sum();
                let at =
                    now.max(self.hosts[slot].starts_at) + on_the_way + self.timing.service.sample(&mut self.service);
                self.hosts[slot].out.push(at, false);
            }
        }
        let local = kind == Some(StepKind::Cut);
        while self.hosts[slot].incoming.arrivals.len() < frames {
            let at = if local { now } else { now + self.latency() };
            self.hosts[slot].incoming.push(at, local);
        }
        if delivered == Some(SessionState::Disconnected)
            && self.hosts[slot].connection.as_ref().is_some_and(ConnectionClock::is_connected)
            && link == Link::Down
        {
            self.suspended(slot);
        }
    }

    /// Finds the waits that are over and those that are new. They stand in the order of their making, so the new ones are
    /// the last.
    fn look_at_waits(&mut self, slot: usize, own: Option<Taken>) {
        let now = self.now();
        let key = self.course.world().view(&self.course.state).client(slot).key();
        let timed = self.course.world().automaton().naming().timed;
        let host = &mut self.hosts[slot];
        let mut before = std::mem::take(&mut host.local);
        let made = own.and_then(|taken| taken.made).unwrap_or(0);
        if let Some(Step { kind: StepKind::Local | StepKind::Interrupt | StepKind::Write, arg, .. }) =
            own.map(|taken| taken.step)
        {
            before.retain(|op| u16::from(op.position) != arg & 0xFF);
        }
        let Some(key) = key else { return };
        let old = local_ops(key).count() - made;
        let mut before = before.into_iter();
        let mut now_waits = Vec::new();
        for (at, (position, view)) in local_ops(key).enumerate() {
            let kept = before.as_slice().iter().position(|op| op.view == *view).filter(|_| at < old);
            match kept {
                Some(at) => {
                    let op = before.nth(at).expect("as many as were looked at");
                    now_waits.push(LocalOp { position, ..op });
                }
                None => {
                    self.tickets += 1;
                    now_waits.push(LocalOp { view: view.clone(), position, ticket: self.tickets });
                    let lasts = match view {
                        OpView::Timer(lasts) if timed => *lasts,
                        OpView::Timer(_) => self.timing.timer.sample(&mut self.own),
                        OpView::Work(_) => self.timing.work.sample(&mut self.own),
                        OpView::Choice(_) => 0,
                        OpView::Effect(_) => self.timing.latency.sample(&mut self.network),
                        // An interrupt comes from the plan.
                        _ => continue,
                    };
                    let from = now.max(host.starts_at);
                    let over = host.clock.moment(host.clock.reading(from).saturating_add(lasts));
                    self.queue.push(over, Event::Local { slot, ticket: self.tickets });
                }
            }
        }
        self.hosts[slot].local = now_waits;
    }

    /// Sees to it that the heads of the client's wires arrive.
    pub fn schedule_wires(&mut self, slot: usize) {
        let host = &mut self.hosts[slot];
        for (wire, out) in [(&mut host.out, true), (&mut host.incoming, false)] {
            let Some(&(at, _)) = wire.arrivals.front() else { continue };
            if wire.scheduled {
                continue;
            }
            wire.scheduled = true;
            let ticket = wire.ticket;
            let event = if out { Event::Serve { slot, ticket } } else { Event::Deliver { slot, ticket } };
            self.queue.push(at, event);
        }
    }

    /// Sees to it that the library's thread wakes in time. An alarm that comes too early is put off when it comes.
    pub fn schedule_library(&mut self, slot: usize) {
        let host = &mut self.hosts[slot];
        let Some(next) = host.next_alarm() else { return };
        // An alarm that finds nothing to do yet must not stop time.
        let next = next.max(self.queue.now() + MILLISECOND);
        if host.alarm.is_none_or(|alarm| alarm > next) {
            host.alarm = Some(next);
            self.queue.push(next, Event::Library { slot });
        }
    }

    /// Sees to it that the session tracker wakes in time.
    pub fn schedule_tracker(&mut self) {
        let Some(next) = self.server.wakes_at() else { return };
        let next = next.max(self.queue.now());
        if self.server.alarm.is_none_or(|alarm| alarm > next) {
            self.server.alarm = Some(next);
            self.queue.push(next, Event::Tracker);
        }
    }

    /// Where calls are steps, a client learns at once that its session is over.
    fn look_for_notices(&mut self) {
        if !self.course.world().setup().calls_are_steps {
            return;
        }
        if let Some(step) = self.course.enabled.iter().copied().find(|step| step.kind == StepKind::Notice) {
            self.take(Some(step), StepKind::Notice);
        }
    }
}
