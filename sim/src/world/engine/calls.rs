//! Steps of calls to stores, and of the stores themselves: which are enabled, and what each does.

use super::info::{HotClient, HotService};
use super::{Engine, UNKNOWN, Words, serve_key};
use crate::world::calls::caller;
use crate::world::client::{Client, Flight};
use crate::world::history::Recorded;
use crate::world::serve::LATE;
use crate::world::step::{Step, StepKind};
use crate::world::{Budget, Fault};

/// What a call leads to; the service is `UNKNOWN` when it has to wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Called {
    pub service: u32,
    pub client: u32,
}

/// In a step that a caller is not answered: what becomes of the call.
const LOST: u16 = 0;
const LATER: u16 = 1;

/// Calls of that number and the first late one have a place in the table.
const IN_TABLE: u64 = 7;

impl Engine<'_> {
    /// The call of that number taken one step further.
    #[inline]
    pub(super) fn called(&mut self, zid: u32, cid: u32, slot: usize, at: u8) -> Option<Called> {
        let place = if at < LATE { u64::from(at) } else { u64::from(at - LATE) + IN_TABLE - 1 };
        let table = place < IN_TABLE && (place < IN_TABLE - 1 || at >= LATE);
        let key = serve_key(zid, cid, slot) ^ place << 61;
        let known = if table { self.calls.get(key) } else { None };
        let called = known.unwrap_or_else(|| {
            self.stats.computed += 1;
            let world = self.world;
            let called = world.call(world.services.get(zid), world.clients.get(cid), slot, at);
            let called = called.map_or(Called { service: UNKNOWN, client: UNKNOWN }, |called| Called {
                service: world.services.intern(called.services),
                client: world.clients.intern(called.client),
            });
            if table {
                self.calls.insert(key, called);
            }
            called
        });
        (called.service != UNKNOWN).then_some(called)
    }

    /// The client after the answer to the call of that number has reached its program, and whether nobody outside can tell.
    pub(super) fn answered(&mut self, cid: u32, at: u8) -> (u32, bool) {
        let key = u64::from(cid) << 8 | u64::from(at);
        if let Some(known) = self.answers.get(key) {
            return (known >> 1, known & 1 == 1);
        }
        let world = self.world;
        let mut client = world.clients.get(cid).clone();
        let Flight::Answered(result) = client.flights[usize::from(at)].clone() else {
            unreachable!("the call is not answered")
        };
        let moved = client.receive_answer(&world.automaton, at.into(), result);
        let to = world.clients.intern(client);
        self.answers.insert(key, to << 1 | u32::from(moved.silent));
        (to, moved.silent)
    }

    /// Whether the only answer on its way to the client may reach it before anything else happens: nobody outside can tell,
    /// nothing of the client's own competes with it, and no fault can take it off its way.
    pub(super) fn answer_may_go_first(&mut self, cid: u32, budget: Budget) -> bool {
        let hot = self.hot_client(cid);
        if !hot.one_answer || hot.incoming || hot.outgoing {
            return false;
        }
        let connection = budget.disconnects + budget.elections + budget.resyncs + budget.expiries;
        if budget.timeouts + budget.crashes + connection > 0 {
            return false;
        }
        // Anything else that the program waits for may come before it.
        let key = self.world.clients.get(cid).key(&self.world.automaton);
        if key.is_none_or(|key| key.ops.len() != 1) {
            return false;
        }
        // News of the hash table compete with it.
        let fixed = self.world.setup.stores.dht.as_ref().is_none_or(|dht| !dht.ring_changes());
        fixed && self.answered(cid, 0).1
    }

    /// What may become of the calls of a client; answers how many of the steps are more than faults.
    #[inline]
    pub(super) fn call_steps(
        &mut self,
        words: &Words,
        slot: usize,
        hot: HotClient,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        let cid = words[2 + slot];
        let mut forced = 0;
        if !hot.calls {
            return self.ring_step(words, slot, hot, visit);
        }
        let info = self.client(cid);
        let (flights, late) = (info.flights.clone(), info.late_calls);
        let faults = self.world.services.get(words[1]).faults;
        let may = |fault: Fault| fault.left(faults) > 0;
        let hit = (may(Fault::Timeout) || may(Fault::Duplicate)) && self.may_be_hit(slot, cid);
        for (at, flight) in flights.into_iter().enumerate() {
            let number = at as u16;
            match flight {
                FlightKind::Answered => {
                    forced += 1;
                    visit(self, Step::new(StepKind::Answer, slot, number));
                }
                _ if self.called(words[1], cid, slot, at as u8).is_some() => {
                    forced += 1;
                    visit(self, Step::new(StepKind::Call, slot, number));
                }
                _ => {}
            }
            if hit && may(Fault::Timeout) {
                // A call that may arrive later may also never do so.
                let becomes = if matches!(flight, FlightKind::Open { outlives: true }) { LATER } else { LOST };
                visit(self, Step::new(StepKind::NoAnswer, slot, number | becomes << 8));
            }
            if hit && may(Fault::Duplicate) && matches!(flight, FlightKind::Open { outlives: true }) {
                visit(self, Step::new(StepKind::Duplicate, slot, number));
            }
        }
        for late in 0..late {
            if self.called(words[1], cid, slot, LATE + late).is_some() {
                // One that the store has begun goes on; one that is on its way may never arrive.
                forced += usize::from(self.world.clients.get(cid).late_calls[usize::from(late)].progress.is_some());
                visit(self, Step::new(StepKind::Call, slot, u16::from(LATE + late)));
            }
        }
        forced + self.ring_step(words, slot, hot, visit)
    }

    /// The client may learn which nodes the hash table has now.
    #[inline]
    fn ring_step(
        &mut self,
        words: &Words,
        slot: usize,
        hot: HotClient,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        let ring = self.hot_service(words[1]).ring;
        if ring == hot.ring || hot.over || hot.crashed {
            return 0;
        }
        visit(self, Step::new(StepKind::Ring, slot, ring));
        1
    }

    /// What the stores may do by themselves; answers how many of the steps are more than faults.
    pub(super) fn store_steps(
        &mut self,
        words: &Words,
        service: HotService,
        visit: &mut impl FnMut(&mut Self, Step),
    ) -> usize {
        if !service.inner {
            return 0;
        }
        let inner = self.service(words[1]).inner.clone();
        let mut forced = 0;
        for (at, fault) in inner {
            let kind = if fault { StepKind::StoreFault } else { StepKind::Store };
            forced += usize::from(!fault);
            visit(self, Step::new(kind, 0, at));
        }
        forced
    }

    /// Takes a step of a call or of a store.
    pub(super) fn take_call_step(&mut self, next: &mut Words, step: Step) {
        let (slot, place) = (step.slot as usize, 2 + step.slot as usize);
        let at = (step.arg & 0xFF) as u8;
        match step.kind {
            StepKind::Call => {
                let called = self.called(next[1], next[place], slot, at).expect("the step is enabled");
                (next[1], next[place]) = (called.service, called.client);
            }
            StepKind::Answer => next[place] = self.answered(next[place], at).0,
            StepKind::NoAnswer => {
                let lost = step.arg >> 8 == LOST;
                self.change_client(next, slot, |world, client| client.gives_up(&world.automaton, at.into(), lost));
                self.change(next, |services| Fault::Timeout.spend(&mut services.faults));
            }
            StepKind::Duplicate => {
                self.change_client(next, slot, |world, client| client.duplicates(&world.automaton, at.into()));
                self.change(next, |services| Fault::Duplicate.spend(&mut services.faults));
            }
            StepKind::Ring => {
                let obs = crate::program::Obs::Ring(step.arg);
                self.change_client(next, slot, |world, client| {
                    client.observe(&world.automaton, obs);
                });
            }
            StepKind::Store | StepKind::StoreFault => {
                let key = u64::from(next[1]) << 16 | u64::from(step.arg);
                next[1] = self.inner.get(key).unwrap_or_else(|| {
                    let mut services = self.world.services.get(next[1]).clone();
                    let inner = services.stores.inner().swap_remove(step.arg.into());
                    if let Some(fault) = inner.fault() {
                        fault.spend(&mut services.faults);
                    }
                    services.stores.take(&inner);
                    let zid = self.world.services.intern(services);
                    self.inner.insert(key, zid);
                    zid
                });
            }
            _ => unreachable!("no step of a call"),
        }
    }

    /// The document store notices that the process is dead: it will abort its transactions.
    pub(super) fn orphan_transactions(&mut self, next: &mut Words, slot: usize) {
        let caller = caller(slot, self.world.clients.get(next[2 + slot]).lives);
        let documents = self.world.services.get(next[1]).stores.documents.as_ref();
        if documents.is_some_and(|documents| documents.transactions().any(|(of, _)| of == caller)) {
            self.change(next, |services| services.stores.documents.as_mut().expect("it is there").died(caller));
        }
    }

    /// Takes a step and records what it means for calls. In such worlds answers never go first and the clients stand in their
    /// places, so the slot of a step is the slot of its client.
    pub(super) fn take_recorded(&mut self, next: &mut Words, step: Step) -> u8 {
        let (world, place) = (self.world, 2 + step.slot as usize);
        let before = next[place.min(self.width - 1)];
        let notified = self.take_unrecorded(next, step);
        if step.kind.is_of_servers() {
            return notified;
        }
        let (was, is) = (world.clients.get(before), world.clients.get(next[place]));
        let (slot, at) = (step.slot, (step.arg & 0xFF) as u8);
        let literal = world.setup.naming.literal_owners;
        let answered = |flight: &Flight| match flight {
            Flight::Answered(result) => {
                let mut result = result.clone();
                if let Ok(answer) = &mut result {
                    world.own_names(answer, slot.into(), false);
                }
                result
            }
            _ => unreachable!("not answered"),
        };
        let over = match step.kind {
            StepKind::Answer => Some(Recorded::Answered(slot, at, answered(&was.flights[usize::from(at)]))),
            StepKind::NoAnswer => Some(Recorded::GivenUp(slot, at)),
            StepKind::Crash => Some(Recorded::Died(slot)),
            _ => None,
        };
        let kept = match over {
            Some(Recorded::Died(_)) => 0,
            Some(_) => was.flights.len() - 1,
            None => was.flights.len(),
        };
        if over.is_some() || is.flights.len() > kept {
            self.change(next, |services| {
                over.into_iter().for_each(|over| services.record(over));
                services.record_calls(&world.automaton, slot.into(), is, kept, literal);
            });
        }
        notified
    }

    fn change_client(&mut self, next: &mut Words, slot: usize, change: impl FnOnce(&super::World, &mut Client)) {
        let world = self.world;
        let mut client = world.clients.get(next[2 + slot]).clone();
        change(world, &mut client);
        next[2 + slot] = world.clients.intern(client);
    }
}

/// How far a call has come, as far as the steps that are enabled depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlightKind {
    /// On its way to the store, or begun by it; whether it goes on when its caller gives it up.
    Open { outlives: bool },
    /// Its answer is on its way back.
    Answered,
}
