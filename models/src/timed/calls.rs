//! Calls to stores in virtual time. Each goes its own way, so answers may overtake each other.

use overtake_sim::world::{Flight, Step, StepKind};

use super::look::Taken;
use super::run::{Event, Run};

/// Something at a store, or on the way there or back.
#[derive(Clone, Copy, Debug)]
pub(super) enum StoreEvent {
    /// A call is at its store, or the store goes on with it.
    Call { slot: usize, ticket: u64 },
    /// An answer is with its caller.
    Answer { slot: usize, ticket: u64 },
    /// A caller has waited for long enough.
    Patience { slot: usize, ticket: u64 },
    /// A call is on its way twice.
    Double { slot: usize, ticket: u64 },
    /// A client learns which nodes there are.
    Ring { slot: usize },
    /// A store does something by itself.
    Inner { ticket: u64 },
}

/// How far a call has come, as far as its next moment depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// On its way.
    Sent,
    /// Begun, and so many more steps of the store were taken.
    Going(u32),
    Answered,
}

impl Stage {
    fn of(flight: &Flight) -> Self {
        match flight {
            Flight::Sent => Self::Sent,
            Flight::Going(_) => Self::Going(0),
            Flight::Answered(_) => Self::Answered,
        }
    }
}

/// A call of a client.
#[derive(Clone, Debug)]
pub(super) struct Flying {
    stage: Stage,
    /// Of the event that takes it further.
    ticket: u64,
    /// Of its caller's patience, the same all along.
    patience: u64,
    /// It is at the store, which cannot take it further now.
    waits: bool,
    /// It will not arrive, or its answer will not.
    lost: bool,
}

/// A call that nobody waits for any more.
#[derive(Clone, Debug)]
pub(super) struct FlyingLate {
    ticket: u64,
    waits: bool,
    /// It will not arrive, though in the world it may.
    lost: bool,
}

impl FlyingLate {
    /// Whether it will be at its store some time.
    pub fn is_on_its_way(&self) -> bool {
        !self.lost && !self.waits
    }
}

impl From<Flying> for FlyingLate {
    fn from(call: Flying) -> Self {
        Self { ticket: call.ticket, waits: call.waits, lost: call.lost }
    }
}

/// The number of the first call that nobody waits for.
const LATE: u16 = 200;
/// In a step that a caller is not answered: the call may arrive later.
const LATER: u16 = 1 << 8;

impl Run<'_, '_, '_> {
    /// Looks at the client's calls: what has come further gets its next moment.
    pub fn look_at_calls(&mut self, slot: usize, own: Option<Taken>) {
        let now = self.now();
        let view = self.course.world().view(&self.course.state);
        let client = view.client(slot);
        let late = client.late_calls().len();
        let flights: Vec<Stage> = client.flights().iter().map(Stage::of).collect();
        let mut before = std::mem::take(&mut self.hosts[slot].calls);
        let step = own.map(|taken| taken.step);
        let at = |step: Step| usize::from(step.arg & 0xFF);
        match step {
            Some(step) if step.kind == StepKind::Answer => drop(before.remove(at(step))),
            // Where calls are steps the answer is with the program at once.
            Some(step) if step.kind == StepKind::Call && own.is_some_and(|taken| taken.made.is_some()) => {
                before.remove(at(step));
            }
            Some(step) if step.kind == StepKind::NoAnswer => {
                let given_up = before.remove(at(step));
                if self.hosts[slot].late.len() < late {
                    self.hosts[slot].late.push(given_up.into());
                }
            }
            Some(step) if step.kind == StepKind::Call && step.arg >= LATE => {
                let arrived = usize::from(step.arg - LATE);
                if self.hosts[slot].late.len() > late {
                    self.hosts[slot].late.remove(arrived);
                } else {
                    self.goes_on_late(slot, arrived, false);
                }
            }
            Some(step) if step.kind == StepKind::Crash => {
                // What was sent arrives all the same, in its order; what only reads does not matter any more. What is lost stays
                // lost.
                let outlives = std::mem::take(&mut self.outlives);
                let left = before.drain(..).zip(outlives).filter(|(_, outlives)| *outlives);
                self.hosts[slot].late.extend(left.map(|(call, _)| call.into()));
            }
            _ => {}
        }
        let start = self.hosts[slot].starts_at;
        for (number, flight) in flights.into_iter().enumerate() {
            let known = before.get(number).map(|call| call.stage);
            let stage = match (flight, known) {
                // One more step of the store was taken.
                (Stage::Going(_), Some(Stage::Going(steps))) if step.is_some_and(|step| is_call(step, number)) => {
                    Stage::Going(steps + 1)
                }
                (Stage::Going(_), Some(Stage::Going(steps))) => Stage::Going(steps),
                (stage, _) => stage,
            };
            if known == Some(stage) {
                continue;
            }
            self.tickets += 1;
            let ticket = self.tickets;
            let latency = |run: &mut Self| run.timing.latency.sample(&mut run.stores);
            match stage {
                Stage::Sent => {
                    let sent = now.max(start);
                    let arrives = sent + latency(self) + self.timing.service.sample(&mut self.stores);
                    let lost = self.timing.call_timeout.is_some() && self.stores.chance(self.timing.lost_calls);
                    if !lost {
                        self.queue.push(arrives, Event::Stores(StoreEvent::Call { slot, ticket }));
                    }
                    if let Some(timeout) = &self.timing.call_timeout {
                        let until = sent.saturating_add(timeout.sample(&mut self.stores));
                        self.queue.push(until, Event::Stores(StoreEvent::Patience { slot, ticket }));
                    }
                    if self.stores.chance(self.timing.doubled_calls) {
                        self.queue.push(sent, Event::Stores(StoreEvent::Double { slot, ticket }));
                    }
                    before.push(Flying { stage, ticket, patience: ticket, waits: false, lost });
                }
                Stage::Going(_) => {
                    let service = self.timing.service.sample(&mut self.stores);
                    self.queue.push_in(service, Event::Stores(StoreEvent::Call { slot, ticket }));
                    before[number] = Flying { stage, ticket, waits: false, ..before[number] };
                }
                Stage::Answered => {
                    let lost = self.timing.call_timeout.is_some() && self.stores.chance(self.timing.lost_answers);
                    if !lost {
                        let latency = latency(self);
                        self.queue.push_in(latency, Event::Stores(StoreEvent::Answer { slot, ticket }));
                    }
                    before[number] = Flying { stage, ticket, waits: false, lost, ..before[number] };
                }
            }
        }
        self.hosts[slot].calls = before;
        while self.hosts[slot].late.len() < late {
            // A second copy of a call.
            self.hosts[slot].late.push(FlyingLate { ticket: 0, waits: false, lost: false });
            self.goes_on_late(slot, self.hosts[slot].late.len() - 1, true);
        }
    }

    /// A call that nobody waits for has a way to go, or the store has more to do with it.
    fn goes_on_late(&mut self, slot: usize, at: usize, sent: bool) {
        self.tickets += 1;
        let ticket = self.tickets;
        let way = if sent { self.timing.latency.sample(&mut self.stores) } else { 0 };
        let way = way + self.timing.service.sample(&mut self.stores);
        self.queue.push_in(way, Event::Stores(StoreEvent::Call { slot, ticket }));
        self.hosts[slot].late[at] = FlyingLate { ticket, waits: false, lost: false };
    }

    /// Which of the client's calls arrive all the same when its process dies.
    pub fn which_outlive(&self, slot: usize) -> Vec<bool> {
        let view = self.course.world().view(&self.course.state);
        let client = view.client(slot);
        let outlives = |(at, flight): (usize, &Flight)| {
            !matches!(flight, Flight::Answered(_))
                && client.call(at).is_some_and(|(call, _)| call.outlives_its_caller())
        };
        client.flights().iter().enumerate().map(outlives).collect()
    }

    /// Does what is due.
    pub fn store_happens(&mut self, event: StoreEvent) {
        match event {
            StoreEvent::Call { slot, ticket } => self.call_arrives(slot, ticket),
            StoreEvent::Answer { slot, ticket } => self.answer_arrives(slot, ticket),
            StoreEvent::Patience { slot, ticket } => self.patience_ends(slot, ticket),
            StoreEvent::Double { slot, ticket } => self.doubles(slot, ticket),
            StoreEvent::Ring { slot } => {
                self.hosts[slot].hears_of_nodes = false;
                if let Some(step) = self.course.find(StepKind::Ring, slot) {
                    self.take(Some(step), StepKind::Ring);
                }
            }
            StoreEvent::Inner { ticket } => self.inner_happens(ticket),
        }
    }

    /// A call is at its store, or the store goes on with it.
    fn call_arrives(&mut self, slot: usize, ticket: u64) {
        let number = self.hosts[slot].calls.iter().position(|call| call.ticket == ticket);
        let late = self.hosts[slot].late.iter().position(|call| call.ticket == ticket);
        let Some(arg) = number.map(|at| at as u16).or(late.map(|at| at as u16 + LATE)) else { return };
        let step = Step { kind: StepKind::Call, slot: slot as u8, arg };
        if self.course.enabled.contains(&step) {
            self.take(Some(step), StepKind::Call);
        } else if let Some(at) = number {
            self.hosts[slot].calls[at].waits = true;
        } else if let Some(at) = late {
            self.hosts[slot].late[at].waits = true;
        }
    }

    /// An answer is with its caller.
    fn answer_arrives(&mut self, slot: usize, ticket: u64) {
        let Some(at) = self.hosts[slot].calls.iter().position(|call| call.ticket == ticket) else { return };
        if let Some(later) = self.later_in_process(slot) {
            return self.queue.push(later, Event::Stores(StoreEvent::Answer { slot, ticket }));
        }
        self.take(Some(Step { kind: StepKind::Answer, slot: slot as u8, arg: at as u16 }), StepKind::Answer);
    }

    /// A caller has waited for long enough.
    fn patience_ends(&mut self, slot: usize, patience: u64) {
        let Some(at) = self.hosts[slot].calls.iter().position(|call| call.patience == patience) else { return };
        if let Some(later) = self.later_in_process(slot) {
            return self.queue.push(later, Event::Stores(StoreEvent::Patience { slot, ticket: patience }));
        }
        let step = |arg: u16| Step { kind: StepKind::NoAnswer, slot: slot as u8, arg: at as u16 | arg };
        // In the world what may arrive later may as well never do so: then it is lost here.
        let later = step(LATER);
        let may_arrive = self.course.enabled.contains(&later);
        self.take(Some(if may_arrive { later } else { step(0) }), StepKind::NoAnswer);
    }

    /// A call is on its way twice.
    fn doubles(&mut self, slot: usize, patience: u64) {
        let Some(at) = self.hosts[slot].calls.iter().position(|call| call.patience == patience) else { return };
        let step = Step { kind: StepKind::Duplicate, slot: slot as u8, arg: at as u16 };
        // What only reads may as well be asked twice.
        if self.course.enabled.contains(&step) {
            self.take(Some(step), StepKind::Duplicate);
        }
    }

    /// Calls that wait at a store go on where they can, after a service time; clients hear of nodes that have come or gone.
    pub fn wake_calls(&mut self) {
        for at in 0..self.course.enabled.len() {
            let Step { kind, slot, arg } = self.course.enabled[at];
            if kind == StepKind::Ring && !std::mem::replace(&mut self.hosts[usize::from(slot)].hears_of_nodes, true) {
                let way = self.timing.latency.sample(&mut self.stores);
                self.queue.push_in(way, Event::Stores(StoreEvent::Ring { slot: slot.into() }));
            }
            if kind != StepKind::Call {
                continue;
            }
            let slot = usize::from(slot);
            let host = &mut self.hosts[slot];
            let waiting = match arg.checked_sub(LATE) {
                Some(late) => host.late.get_mut(usize::from(late)).map(|call| (&mut call.waits, &mut call.ticket)),
                None => host.calls.get_mut(usize::from(arg)).map(|call| (&mut call.waits, &mut call.ticket)),
            };
            let Some((waits, ticket)) = waiting.filter(|(waits, _)| **waits) else { continue };
            self.tickets += 1;
            (*waits, *ticket) = (false, self.tickets);
            let service = self.timing.service.sample(&mut self.stores);
            self.queue.push_in(service, Event::Stores(StoreEvent::Call { slot, ticket: self.tickets }));
        }
    }
}

/// Whether the step takes the call of that number further.
fn is_call(step: Step, number: usize) -> bool {
    step.kind == StepKind::Call && usize::from(step.arg) == number
}
