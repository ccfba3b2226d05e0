//! What steps do to values: worked out once, then looked up.

use overtake_recipes::SessionState;
use smallvec::SmallVec;

use super::super::client::{Client, Link};
use super::super::reduce::{Masks, highest_is_dense, is_dense};
use super::super::serve::Served;
use super::super::{Budget, Services};
use super::{Engine, UNKNOWN, Words, end_key, serve_key};
use crate::ensemble::{LEADER, Sent};
use crate::names::{GONE, Name, Names, Who, slot_of, who};
use crate::program::{Obs, OpView};
use crate::world::serve::LATE;
use crate::zookeeper::Reply;

/// What a step that involves the service gives; small, so that a look-up is one cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    pub service: u32,
    pub client: u32,
    /// Number of the list of events.
    events: u32,
    /// Number of the renaming that the clients need, plus one: names have left the service, which is renamed already.
    renaming: u32,
}

/// An outcome for all threads: without the numbers that only one of them knows.
#[derive(Clone, Debug)]
pub(in crate::world) struct SharedOutcome {
    service: u32,
    client: u32,
    events: Events,
    renaming: Option<Masks>,
}

/// What kinds of steps have shared outcomes.
#[derive(Clone, Copy)]
enum Involves {
    Serve,
    Reconnect,
    End,
    Accept,
    Commit,
}

/// In place of a frame: the server closes the connection.
const CLOSED: u32 = u32::MAX;

/// Slot, index of the session (0: whatever it is), and frame of each thing sent.
pub(super) type Events = SmallVec<[(u8, u8, u32); 4]>;

/// Changes of a client that depend on nothing else.
#[derive(Clone, Copy)]
pub(super) enum Simple {
    Cut,
    Crash,
    Restart,
    Closed,
    Notice,
    ForgetNames,
    GiveUp,
}

impl Engine<'_> {
    /// The client after the delivery of its oldest frame, and whether nobody outside can tell.
    #[inline]
    pub(super) fn delivered(&mut self, cid: u32) -> (u32, bool) {
        let info = self.client(cid);
        if info.deliver != UNKNOWN {
            return (info.deliver, info.deliver_silent);
        }
        self.stats.computed += 1;
        let mut client = self.world.clients.get(cid).clone();
        let moved = client.deliver(&self.world.automaton, self.world.setup.quirks);
        let to = self.world.clients.intern(client);
        let info = self.client(cid);
        (info.deliver, info.deliver_silent) = (to, moved.silent);
        (to, moved.silent)
    }

    /// Whether the oldest frame of the client may be delivered before anything else happens: nobody outside can tell,
    /// nothing of the client's own competes with it, and no fault can take it off the wire or would miss the client
    /// afterwards.
    #[inline]
    pub(super) fn may_go_first(&mut self, cid: u32, slot: usize, zid: u32, budget: Budget) -> bool {
        let before = self.hot_client(cid);
        if !before.incoming
            || before.calls
            || budget.disconnects > 0
            || budget.crashes > 0
            || budget.elections + budget.resyncs > 0
        {
            return false;
        }
        let info = self.client(cid);
        if !info.only_deliveries || info.interrupts && budget.interrupts > 0 {
            return false;
        }
        if self.world.setup.calls_are_steps {
            // Where a client learns of its expiry at once, the news clears the wire.
            let alive = (self.hot_service(zid).alive >> (4 * slot)) as u8 & 15 == before.session;
            if budget.expiries > 0 || before.session != 0 && !alive {
                return false;
            }
        }
        let (to, silent) = self.delivered(cid);
        if !silent {
            return false;
        }
        let after = self.hot_client(to);
        // A client that is over is spared by expiry, and one whose connection changes treats what it has sent differently.
        (budget.expiries == 0 || !after.over)
            && (!before.outgoing || (before.session, before.link) == (after.session, after.link))
    }

    /// The client after the resource has taken its write at the position, or refused it.
    pub(super) fn written(&mut self, next: &mut Words, slot: usize, pos: u8) {
        let world = self.world;
        let mut client = world.clients.get(next[2 + slot]).clone();
        let (services, taken) = world.write(world.services.get(next[1]), &client, slot, pos);
        match pos.checked_sub(LATE) {
            // Nobody is there to be answered.
            Some(at) => drop(client.late.remove(at.into())),
            None => drop(client.observe(&world.automaton, Obs::Written(pos, taken))),
        }
        next[1] = world.services.intern(services);
        next[2 + slot] = world.clients.intern(client);
    }

    pub(super) fn moved_by_itself(&mut self, cid: u32, arg: u16) -> u32 {
        let key = u64::from(cid) << 16 | u64::from(arg);
        if let Some(to) = self.local.get(key) {
            return to;
        }
        self.stats.computed += 1;
        let mut client = self.world.clients.get(cid).clone();
        let (pos, value) = ((arg & 0xFF) as u8, (arg >> 8) as u8);
        let node = self.world.automaton.node(client.node);
        let obs = match node.ops[pos as usize] {
            OpView::Choice(_) => Obs::Choice(pos, value),
            _ => Obs::Fire(pos),
        };
        client.observe(&self.world.automaton, obs);
        let to = self.world.clients.intern(client);
        self.local.insert(key, to);
        to
    }

    pub(super) fn simple(&mut self, kind: Simple, cid: u32, slot: usize) -> u32 {
        let place = if matches!(kind, Simple::Restart | Simple::Crash) { slot as u64 } else { 0 };
        let key = u64::from(cid) << 16 | (kind as u64) << 8 | place;
        if let Some(to) = self.simple.get(key) {
            return to;
        }
        self.stats.computed += 1;
        let world = self.world;
        let mut client = world.clients.get(cid).clone();
        match kind {
            Simple::Cut => client.cut(),
            Simple::Closed => client.closed_by_server(),
            Simple::Crash => client.dies(&world.automaton, world.setup.clients[slot].server),
            Simple::Restart => {
                let program = world.setup.clients[slot].program;
                let lives = client.lives + u8::from(self.stores);
                let (late, late_calls) = (client.late, client.late_calls);
                client = Client {
                    late,
                    late_calls,
                    ..Client::start(&world.automaton, program, slot, client.sessions + 1, lives, LEADER)
                };
            }
            Simple::Notice => {
                client.incoming.clear();
                client.receive_session(&world.automaton, SessionState::Expired);
            }
            Simple::GiveUp => client.loses_session(),
            Simple::ForgetNames => client.names(&mut |name| {
                if let Name::Seq(v) = name {
                    *v = GONE;
                }
            }),
        }
        let to = world.clients.intern(client);
        self.simple.insert(key, to);
        to
    }

    /// The server forgets what the connection watched.
    pub(super) fn disconnect(&mut self, next: &mut Words, slot: usize, cid: u32) {
        let session = self.hot_client(cid).session;
        if self.world.setup.followers > 0 {
            self.change(next, |services| services.ensemble.disconnect_slot(slot));
        } else if session != 0 {
            self.change(next, |services| services.ensemble.leader.disconnect(who(slot, session as usize)));
        }
    }

    /// Changes the servers in a way that is not worth a table.
    pub(super) fn change(&mut self, next: &mut Words, change: impl FnOnce(&mut Services)) {
        let mut services = self.world.services.get(next[1]).clone();
        change(&mut services);
        next[1] = self.world.services.intern(services);
    }

    /// The service with the session closing.
    pub(super) fn closing(&mut self, zid: u32, session: Who) -> u32 {
        let key = end_key(zid, session, false);
        if let Some(zid) = self.closing.get(key) {
            return zid;
        }
        let mut services = self.world.services.get(zid).clone();
        services.ensemble.leader.begin_expiry(session);
        let zid = self.world.services.intern(services);
        self.closing.insert(key, zid);
        zid
    }

    /// Applies the end of a session to `next`; the client that has it on an open connection is told.
    pub(super) fn ended(&mut self, zid: u32, session: Who, next: &mut Words) -> u8 {
        let key = end_key(zid, session, true);
        let outcome = match self.end.get(key) {
            Some(outcome) => outcome,
            None => {
                let outcome = self.shared(Involves::End, key, |engine| {
                    let mut services = engine.world.services.get(zid).clone();
                    let mut sent = Vec::new();
                    services.ensemble.end_session(session, &mut sent);
                    if engine.world.setup.calls_are_steps {
                        // There the client learns of it by a step of its own.
                        sent.retain(|s| !matches!(s, Sent::Closed(_)));
                    }
                    engine.keep(zid, Served { services, client: None, sent })
                });
                self.end.insert(key, outcome);
                outcome
            }
        };
        self.apply_outcome(outcome, next)
    }

    pub(super) fn swept(&mut self, zid: u32, at: u8, next: &mut Words) -> u8 {
        let mut services = self.world.services.get(zid).clone();
        let mut sent = Vec::new();
        services.ensemble.sweep(at as usize, &mut sent);
        let outcome = self.keep(zid, Served { services, client: None, sent });
        self.apply_outcome(outcome, next)
    }

    #[inline]
    pub(super) fn served(&mut self, zid: u32, cid: u32, slot: usize) -> Outcome {
        let key = serve_key(zid, cid, slot);
        if let Some(outcome) = self.serve.get(key) {
            return outcome;
        }
        let world = self.world;
        let outcome = self.shared(Involves::Serve, key, |engine| {
            let served = world.serve(world.services.get(zid), world.clients.get(cid), slot);
            engine.keep(zid, served)
        });
        self.serve.insert(key, outcome);
        outcome
    }

    pub(super) fn reconnected(&mut self, zid: u32, cid: u32, slot: usize, server: u8) -> Outcome {
        let key = serve_key(zid, cid, slot);
        if server > 0 {
            let served = self.world.reconnect(self.world.services.get(zid), self.world.clients.get(cid), slot, server);
            return self.keep(zid, served);
        }
        if let Some(outcome) = self.reconnect.get(key) {
            return outcome;
        }
        let world = self.world;
        let outcome = self.shared(Involves::Reconnect, key, |engine| {
            let served = world.reconnect(world.services.get(zid), world.clients.get(cid), slot, 0);
            engine.keep(zid, served)
        });
        self.reconnect.insert(key, outcome);
        outcome
    }

    /// The outcome that another thread has worked out, or that this one works out for all.
    fn shared(&mut self, kind: Involves, key: u64, compute: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        if !self.shares {
            return compute(self);
        }
        let key = ((kind as u8) << 1 | u8::from(self.names_follow_service), key);
        if let Some(known) = self.world.outcomes.get(key) {
            return Outcome {
                service: known.service,
                client: known.client,
                events: self.events_number(known.events),
                renaming: known.renaming.map_or(0, |keep| self.renaming_number(keep)),
            };
        }
        let outcome = compute(self);
        let renaming = (outcome.renaming != 0).then(|| self.renamings[outcome.renaming as usize - 1]);
        self.world.outcomes.insert(
            key,
            SharedOutcome {
                service: outcome.service,
                client: outcome.client,
                events: self.events[outcome.events as usize].clone(),
                renaming,
            },
        );
        outcome
    }

    fn events_number(&mut self, events: Events) -> u32 {
        let at = self.events.iter().position(|e| *e == events).unwrap_or_else(|| {
            self.events.push(events);
            self.events.len() - 1
        });
        at as u32
    }

    /// The number of a renaming, from 1.
    fn renaming_number(&mut self, keep: Masks) -> u32 {
        let at = self.renamings.iter().position(|m| *m == keep).unwrap_or_else(|| {
            self.renamings.push(keep);
            self.renamings.len() - 1
        });
        at as u32 + 1
    }

    /// The leader takes what a follower has forwarded (`accepts`), or a follower applies a commit.
    pub(super) fn replicated(&mut self, zid: u32, server: u8, accepts: bool, next: &mut Words) -> u8 {
        let key = u64::from(zid) << 32 | u64::from(server);
        let kind = if accepts { Involves::Accept } else { Involves::Commit };
        let known = if accepts { self.accept.get(key) } else { self.commit.get(key) };
        let outcome = known.unwrap_or_else(|| {
            let outcome = self.shared(kind, key, |engine| {
                let mut services = engine.world.services.get(zid).clone();
                let mut sent = Vec::new();
                if accepts {
                    let decided = services.ensemble.accept(server, &mut sent, engine.world.setup.quirks);
                    if let Some((session, request, Reply { result: Ok(response), .. })) = decided {
                        services.note_created(session, &request, &response);
                    }
                } else {
                    services.ensemble.commit(server, &mut sent);
                }
                engine.keep(zid, Served { services, client: None, sent })
            });
            if accepts { &mut self.accept } else { &mut self.commit }.insert(key, outcome);
            outcome
        });
        self.apply_outcome(outcome, next)
    }

    fn keep(&mut self, before: u32, served: Served) -> Outcome {
        let Served { services, client, sent } = served;
        self.stats.computed += 1;
        let world = self.world;
        let mut frames = Events::new();
        for sent in &sent {
            let (session, index) = match sent {
                Sent::Event(event) => (event.session, event.session % 16),
                // The server knows whether the connection is still there.
                Sent::Reply(session, _) => (*session, 0),
                Sent::Closed(session) => (*session, *session % 16),
            };
            let (slot, index) = (slot_of(session) as u8, index as u8);
            if let Sent::Closed(_) = sent {
                frames.push((slot, index, CLOSED));
            }
            frames.extend(world.frames(sent).into_iter().map(|frame| (slot, index, world.frames.intern(frame))));
        }
        let mut outcome = Outcome {
            events: self.events_number(frames),
            service: world.services.intern(services),
            client: client.map_or(UNKNOWN, |c| world.clients.intern(c)),
            renaming: 0,
        };
        if self.names_follow_service {
            let keep = self.hot_service(outcome.service).seq;
            let vanished = self.hot_service(before).seq & !keep != 0;
            if vanished || !is_dense(keep) {
                let keep = Masks { seq: keep, zxid: 0 };
                outcome.service = self.rename_service(outcome.service, keep);
                outcome.renaming = self.renaming_number(keep);
            }
        }
        outcome
    }

    /// Puts the service and the events of an outcome into the state; answers how many events there were.
    #[inline]
    pub(super) fn apply_outcome(&mut self, outcome: Outcome, next: &mut Words) -> u8 {
        next[1] = outcome.service;
        let all = self.events[outcome.events as usize].len();
        let mut count = 0;
        for i in 0..all {
            let (slot, session, frame) = self.events[outcome.events as usize][i];
            let place = 2 + slot as usize;
            let hot = self.hot_client(next[place]);
            if frame == CLOSED {
                if hot.link == Link::Up && hot.has(session.into()) {
                    next[place] = self.simple(Simple::Closed, next[place], slot as usize);
                }
                continue;
            }
            count += usize::from(session != 0);
            if hot.link == Link::Up && (session == 0 || hot.session == session) {
                next[place] = self.pushed(next[place], frame);
            }
        }
        if outcome.renaming != 0 {
            self.rename_clients(outcome.renaming, next);
        }
        count as u8
    }

    /// Names that have left the service become one, the others move up.
    fn rename_clients(&mut self, renaming: u32, next: &mut Words) {
        let keep = self.renamings[renaming as usize - 1];
        for word in &mut next[2..self.width] {
            if highest_is_dense(self.hot_client(*word).seq, keep.seq) {
                continue;
            }
            let key = u64::from(*word) << 32 | u64::from(renaming);
            *word = match self.renamed_clients.get(key) {
                Some(to) => to,
                None => {
                    let to = self.rename_client(*word, keep);
                    self.renamed_clients.insert(key, to);
                    to
                }
            };
        }
    }

    #[inline]
    fn pushed(&mut self, cid: u32, frame: u32) -> u32 {
        let key = u64::from(cid) << 32 | u64::from(frame);
        if let Some(to) = self.push.get(key) {
            return to;
        }
        let mut client = self.world.clients.get(cid).clone();
        client.incoming.push(self.world.frames.get(frame).clone());
        let to = self.world.clients.intern(client);
        self.push.insert(key, to);
        to
    }
}
