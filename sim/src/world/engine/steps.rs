//! Which steps are enabled in a state, and what each does to it.

use super::outcomes::Simple;
use super::{Engine, HotClient, HotService, Words};
use crate::ensemble::LEADER;
use crate::names::{Who, slot_of, who};
use crate::program::{OpView, local_ops};
use crate::world::budget::Fault;
use crate::world::client::Link;
use crate::world::step::{Step, StepKind};

impl Engine<'_> {
    /// The steps that are enabled in the state, in the order in which the searches take them, without what they lead to.
    /// Answers how many of them are more than faults: a state without any is at rest.
    pub fn enabled(&mut self, row: &[u32], steps: &mut Vec<Step>) -> usize {
        let mut words = [0; super::WORDS];
        words[..row.len()].copy_from_slice(row);
        self.each_step(&words, row.len(), &mut |_, step| steps.push(step))
    }

    /// Takes a step that is enabled in the state; answers how many watch events it sent.
    pub fn take(&mut self, row: &mut [u32], step: Step) -> u8 {
        let mut words = [0; super::WORDS];
        words[..row.len()].copy_from_slice(row);
        let notified = self.take_step(&mut words, step);
        self.settle(&mut words, row.len());
        row.copy_from_slice(&words[..row.len()]);
        notified
    }

    /// Calls `visit` with each step that is enabled; answers how many of them are more than faults.
    #[inline]
    pub(super) fn each_step(&mut self, words: &Words, n: usize, visit: &mut impl FnMut(&mut Self, Step)) -> usize {
        let service = self.hot_service(words[1]);
        let stores = self.stores;
        let mut forced = if stores { self.store_steps(words, service, visit) } else { 0 };
        for slot in 0..n - 2 {
            let hot = self.hot_client(words[2 + slot]);
            forced += self.wire_steps(words, slot, service, hot, visit);
            if hot.acts {
                forced += self.local_steps(words, slot, visit);
            }
            if stores {
                forced += self.call_steps(words, slot, hot, visit);
            }
            if words[0] & super::PROCESS_FAULTS != 0 && self.may_be_hit(slot, words[2 + slot]) {
                self.process_faults(words[0], slot, hot, visit);
            }
        }
        forced += self.session_steps(words, n, service, visit);
        if words[0] & super::SERVER_FAULTS != 0 || service.forwarded | service.behind != 0 {
            forced += self.server_steps(words, n, service, visit);
        }
        if Fault::Sweep.left(words[0]) > 0 {
            for at in 0..service.containers {
                visit(self, Step::new(StepKind::Sweep, at as usize, 0));
            }
        }
        forced
    }

    /// Whether faults may hit the client as it is now. (A silent delivery changes no mark, so it changes no answer.)
    #[inline]
    pub(super) fn may_be_hit(&self, slot: usize, cid: u32) -> bool {
        let client = &self.world.setup.clients[slot];
        let key = || self.world.clients.get(cid).key(&self.world.automaton);
        client.victim && client.hit_while.is_none_or(|mark| key().is_none_or(|key| key.mark(mark).is_some()))
    }

    /// What may happen between a client and the server.
    #[inline]
    fn wire_steps(
        &mut self,
        words: &Words,
        slot: usize,
        service: HotService,
        hot: HotClient,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        let calls_are_steps = self.world.setup.calls_are_steps;
        let alive = hot.session != 0 && (service.alive >> (4 * slot)) as u8 & 15 == hot.session;
        let mut forced = 0;
        if hot.incoming {
            forced += 1;
            visit(self, Step::new(StepKind::Deliver, slot, 0));
        }
        let can_serve =
            hot.outgoing && hot.link == Link::Up && (!calls_are_steps || !hot.incoming && (hot.opens || alive));
        if can_serve && (self.world.setup.followers == 0 || self.takes(words, slot)) {
            forced += 1;
            visit(self, Step::new(StepKind::Serve, slot, 0));
        }
        if hot.link == Link::Down && !hot.incoming && !hot.crashed {
            forced += self.ways_back(words, slot, visit);
        }
        if calls_are_steps && hot.session != 0 && hot.link == Link::Up && !alive {
            forced += 1;
            visit(self, Step::new(StepKind::Notice, slot, 0));
        }
        forced
    }

    /// Whether the client's server takes its oldest request now.
    fn takes(&self, words: &Words, slot: usize) -> bool {
        let client = self.world.clients.get(words[2 + slot]);
        let session = self.world.requesting(client, slot);
        self.world.services.get(words[1]).ensemble.takes(client.server, session, &client.out[0])
    }

    /// How a library that is disconnected may go on.
    fn ways_back(&mut self, words: &Words, slot: usize, visit: &mut impl FnMut(&mut Self, Step)) -> usize {
        let world = self.world;
        let mut forced = 1;
        if world.setup.followers == 0 {
            visit(self, Step::new(StepKind::Reconnect, slot, 0));
        } else {
            let client = world.clients.get(words[2 + slot]);
            let servers = world.reachable(world.services.get(words[1]), client, slot);
            forced = servers.len();
            for &server in &servers {
                visit(self, Step::new(StepKind::Reconnect, slot, server.into()));
            }
            // Asking and going away is a connection that breaks before it serves.
            if world.setup.quirks.asks_and_leaves
                && Fault::Disconnect.left(words[0]) > 0
                && self.may_be_hit(slot, words[2 + slot])
            {
                for server in servers.into_iter().filter(|s| *s != LEADER) {
                    visit(self, Step::new(StepKind::Ask, slot, server.into()));
                }
            }
        }
        if world.setup.clients[slot].expires_locally {
            visit(self, Step::new(StepKind::GiveUp, slot, 0));
        }
        forced
    }

    /// What the servers do among themselves.
    fn server_steps(
        &mut self,
        words: &Words,
        n: usize,
        service: HotService,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        let (budget, mut forced) = (words[0], 0);
        for server in 1..=self.world.setup.followers {
            let bit = 1 << (server - 1);
            if service.forwarded & bit != 0 {
                forced += 1;
                visit(self, Step::new(StepKind::Accept, server, 0));
            }
            if service.behind & bit != 0 {
                forced += 1;
                visit(self, Step::new(StepKind::Commit, server, 0));
            }
            if Fault::Resync.left(budget) > 0 {
                self.each_loss(words, n, Some(server as u8), &mut |engine, lost| {
                    visit(engine, Step::new(StepKind::Resync, server, lost));
                });
            }
        }
        if Fault::Election.left(budget) > 0 {
            self.each_loss(words, n, None, &mut |engine, lost| visit(engine, Step::new(StepKind::Elect, 0, lost)));
        }
        forced
    }

    /// Calls `visit` for each choice, as bits by slot, of the clients that lose what a dying server (all of them, or that one)
    /// has on its way to them.
    fn each_loss(&mut self, words: &Words, n: usize, server: Option<u8>, visit: &mut impl FnMut(&mut Self, u16)) {
        let mut may = 0u16;
        for slot in 0..n - 2 {
            let hot = self.hot_client(words[2 + slot]);
            let here = server.is_none_or(|s| self.world.clients.get(words[2 + slot]).server == s);
            may |= u16::from(hot.link == Link::Up && hot.incoming && !hot.over && here) << slot;
        }
        // Every subset of the bits, from none to all.
        let mut lost = 0u16;
        loop {
            visit(self, lost);
            if lost == may {
                return;
            }
            lost = lost.wrapping_sub(may) & may;
        }
    }

    /// What a client does by itself.
    fn local_steps(&mut self, words: &Words, slot: usize, visit: &mut impl FnMut(&mut Self, Step)) -> usize {
        let cid = words[2 + slot];
        let info = self.client(cid);
        let interrupts = info.interrupts && Fault::Interrupt.left(words[0]) > 0;
        let (local, effects) = (info.local.clone(), info.effects.clone());
        let mut forced = effects.len();
        for pos in effects {
            visit(self, Step::new(StepKind::Write, slot, pos.into()));
        }
        for (pos, choices) in local {
            for value in 0..choices {
                forced += 1;
                visit(self, Step::new(StepKind::Local, slot, u16::from(pos) | u16::from(value) << 8));
            }
        }
        if interrupts {
            let key = self.world.automaton.node(self.world.clients.get(cid).node);
            let interrupt = |(pos, op): (u8, &OpView)| (*op == OpView::Interrupt).then_some(pos);
            for pos in local_ops(key).filter_map(interrupt) {
                visit(self, Step::new(StepKind::Interrupt, slot, u16::from(pos)));
            }
        }
        forced
    }

    fn process_faults(&mut self, budget: u32, slot: usize, hot: HotClient, visit: &mut impl FnMut(&mut Self, Step)) {
        if Fault::Disconnect.left(budget) > 0 && hot.link == Link::Up && !hot.over {
            visit(self, Step::new(StepKind::Cut, slot, 0));
        }
        if Fault::Crash.left(budget) > 0 && !hot.crashed && !hot.over {
            visit(self, Step::new(StepKind::Crash, slot, 0));
        }
        if Fault::Restart.left(budget) > 0 && hot.crashed {
            visit(self, Step::new(StepKind::Restart, slot, 0));
        }
    }

    #[inline]
    fn session_steps(
        &mut self,
        words: &Words,
        n: usize,
        service: HotService,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        let mut forced = 0;
        if service.mixed {
            let sessions = self.service(words[1]).sessions.clone();
            for (session, closing) in sessions {
                forced += self.session_step(words, session, closing, visit);
            }
            return forced;
        }
        let expires = Fault::Expiry.left(words[0]) > 0;
        for slot in 0..n - 2 {
            let index = (service.alive >> (4 * slot)) as u16 & 15;
            let hot = self.hot_client(words[2 + slot]);
            let current = hot.has(index) && !hot.crashed;
            if index != 0 && !(current && (!expires || hot.over)) {
                forced += self.session_step(words, who(slot, index as usize), false, visit);
            }
        }
        forced
    }

    /// What the server may do with a session; answers 1 when it is bound to do it some time.
    fn session_step(
        &mut self,
        words: &Words,
        session: Who,
        closing: bool,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        let slot = slot_of(session);
        if closing {
            visit(self, Step::new(StepKind::Apply, slot, session));
            return 1;
        }
        let hot = self.hot_client(words[2 + slot]);
        if hot.crashed || !hot.has(session % 16) {
            visit(self, Step::new(StepKind::Lapse, slot, session));
            return 1;
        }
        let spared = hot.over || !self.may_be_hit(slot, words[2 + slot]);
        if Fault::Expiry.left(words[0]) > 0 && !spared {
            visit(self, Step::new(StepKind::Expire, slot, session));
        }
        0
    }

    /// Takes an enabled step; answers how many watch events it sent.
    #[inline]
    pub(super) fn take_step(&mut self, next: &mut Words, step: Step) -> u8 {
        if self.records {
            return self.take_recorded(next, step);
        }
        self.take_unrecorded(next, step)
    }

    #[inline]
    pub(super) fn take_unrecorded(&mut self, next: &mut Words, step: Step) -> u8 {
        let slot = step.slot as usize;
        match step.kind {
            StepKind::Deliver => {
                next[2 + slot] = self.delivered(next[2 + slot]).0;
                0
            }
            StepKind::Serve => {
                let outcome = self.served(next[1], next[2 + slot], slot);
                next[2 + slot] = outcome.client;
                self.apply_outcome(outcome, next)
            }
            StepKind::Local => {
                next[2 + slot] = self.moved_by_itself(next[2 + slot], step.arg);
                0
            }
            StepKind::Call | StepKind::Answer => {
                self.take_call_step(next, step);
                0
            }
            _ => self.take_rare_step(next, step),
        }
    }

    /// The server of the client goes, and with it the connection, and what is on its way to the client if it is among those
    /// that lose it. A program that is over is left alone.
    fn close(&mut self, next: &mut Words, slot: usize, lose: u16) {
        let hot = self.hot_client(next[2 + slot]);
        if hot.link == Link::Up && !hot.over {
            let how = if lose >> slot & 1 == 1 { Simple::Cut } else { Simple::Closed };
            next[2 + slot] = self.simple(how, next[2 + slot], slot);
        }
    }

    fn take_rare_step(&mut self, next: &mut Words, step: Step) -> u8 {
        let slot = step.slot as usize;
        // The service's steps have another kind of place.
        let place = if step.kind.is_of_servers() { 0 } else { 2 + slot };
        let cid = next[place];
        match step.kind {
            StepKind::Deliver | StepKind::Serve | StepKind::Local | StepKind::Call | StepKind::Answer => {
                unreachable!("taken above")
            }
            StepKind::NoAnswer | StepKind::Duplicate | StepKind::Ring | StepKind::Store | StepKind::StoreFault => {
                self.take_call_step(next, step);
            }
            StepKind::Interrupt => {
                Fault::Interrupt.spend(&mut next[0]);
                next[place] = self.moved_by_itself(cid, step.arg);
            }
            StepKind::Reconnect => {
                let outcome = self.reconnected(next[1], cid, slot, step.arg as u8);
                next[place] = outcome.client;
                return self.apply_outcome(outcome, next);
            }
            StepKind::Notice => next[place] = self.simple(Simple::Notice, cid, slot),
            StepKind::Cut => {
                Fault::Disconnect.spend(&mut next[0]);
                next[place] = self.simple(Simple::Cut, cid, slot);
                self.disconnect(next, slot, cid);
            }
            StepKind::Crash => {
                Fault::Crash.spend(&mut next[0]);
                next[place] = self.simple(Simple::Crash, cid, slot);
                self.disconnect(next, slot, cid);
                if self.stores {
                    self.orphan_transactions(next, slot);
                }
            }
            StepKind::Restart => {
                Fault::Restart.spend(&mut next[0]);
                let started = self.simple(Simple::Restart, cid, slot);
                next[place] = started;
                let session = self.hot_client(started).session as usize;
                if session != 0 {
                    self.change(next, |services| services.ensemble.open_session(who(slot, session)));
                }
            }
            StepKind::Expire | StepKind::Lapse => {
                if step.kind == StepKind::Expire {
                    Fault::Expiry.spend(&mut next[0]);
                }
                if step.kind == StepKind::Expire && self.world.setup.quirks.deposed_leader {
                    self.change(next, |services| services.ensemble.propose_expiry(step.arg));
                    return 0;
                }
                if !self.world.setup.calls_are_steps {
                    next[1] = self.closing(next[1], step.arg);
                    return 0;
                }
                let notified = self.ended(next[1], step.arg, next);
                if self.reductions.forget_gone && step.kind == StepKind::Expire {
                    next[place] = self.simple(Simple::ForgetNames, next[place], slot);
                }
                return notified;
            }
            StepKind::Apply => return self.ended(next[1], step.arg, next),
            StepKind::Write => self.written(next, slot, step.arg as u8),
            StepKind::GiveUp => next[place] = self.simple(Simple::GiveUp, cid, slot),
            StepKind::Ask => {
                Fault::Disconnect.spend(&mut next[0]);
                let session = self.world.session_of(self.world.clients.get(cid), slot);
                self.change(next, |services| services.ensemble.ask_and_leave(step.arg as u8, session));
            }
            StepKind::Accept => return self.replicated(next[1], step.slot, true, next),
            StepKind::Commit => return self.replicated(next[1], step.slot, false, next),
            StepKind::Elect => {
                Fault::Election.spend(&mut next[0]);
                self.change(next, |services| services.ensemble.elect());
                for slot in 0..self.world.setup.clients.len() {
                    self.close(next, slot, step.arg);
                }
            }
            StepKind::Resync => {
                Fault::Resync.spend(&mut next[0]);
                let quirks = self.world.setup.quirks;
                self.change(next, |services| services.ensemble.resync(step.slot, quirks));
                for slot in 0..self.world.setup.clients.len() {
                    if self.world.clients.get(next[2 + slot]).server == step.slot {
                        self.close(next, slot, step.arg);
                    }
                }
            }
            StepKind::Sweep => {
                Fault::Sweep.spend(&mut next[0]);
                return self.swept(next[1], step.slot, next);
            }
        }
        0
    }
}
