//! What stores do by themselves in virtual time: items that expire, messages that are delivered again, nodes that come and go.

use overtake_recipes::store::dht::{Expiration, Node, Updated};
use overtake_sim::clock::Distribution;
use overtake_sim::names::{Text, who};
use overtake_sim::stores::{Call, Inner, Served, Service as _, Stores, dht, documents};
use overtake_sim::world::{Flight, Step, StepKind, View};

use super::calls::StoreEvent;
use super::look::Taken;
use super::run::{Event, Run};
use super::timing::Timing;

/// Something that a store will do by itself.
#[derive(Clone, Debug)]
pub(super) struct InnerClock {
    inner: Inner,
    ticket: u64,
}

/// After how long the store does that by itself; `None` for never.
pub fn lasts(timing: &Timing, stores: &Stores, inner: &Inner) -> Option<Distribution> {
    match inner {
        Inner::Dht(dht::Inner::Expires(node, key)) => {
            match stores.dht.as_ref()?.nodes()[usize::from(node.0)].item(*key)?.until {
                Expiration::After(duration) => Some(Distribution::Constant(duration.as_nanos() as u64)),
                _ => None,
            }
        }
        Inner::Dht(dht::Inner::IsEvicted(..)) => timing.evictions.clone(),
        Inner::Dht(dht::Inner::IsLost(_)) | Inner::Documents(documents::Inner::Stop) => {
            timing.node_losses.every.clone()
        }
        Inner::Dht(dht::Inner::ComesBack(_)) => Some(timing.node_losses.length.clone()),
        Inner::Dht(dht::Inner::StartsAgain(_)) => timing.node_restarts.clone(),
        Inner::Documents(documents::Inner::Replicate) => Some(timing.replicate.clone()),
        Inner::Documents(documents::Inner::AbortOrphan(..)) => Some(timing.timer.clone()),
        Inner::Messages(_) => timing.redelivery.clone(),
    }
}

/// The item to which the step gives another life, if it does: a compare-and-set that comes too late, or a call to a node that is lost,
/// gives none.
pub fn renewed(view: &View<'_>, step: Step) -> Option<(Node, Text)> {
    if step.kind != StepKind::Call {
        return None;
    }
    let client = view.client(usize::from(step.slot));
    let at = usize::from(step.arg & 0xFF);
    let call = match client.flights().get(at) {
        Some(Flight::Sent | Flight::Going(_)) => client.call(at)?.0,
        _ => return None,
    };
    let Call::Dht(request) = call else { return None };
    let item = match request {
        dht::Request::Set(node, key, ..)
        | dht::Request::Replace(node, key, ..)
        | dht::Request::Touch(node, key, _)
        | dht::Request::GetAndTouch(node, key, _)
        | dht::Request::Update(node, key, _, _, Some(_)) => (node, key),
        _ => return None,
    };
    let answer = view.stores().dht.clone()?.serve(who(usize::from(step.slot), 0), &request, None);
    let done = matches!(
        answer,
        Served::Done(Ok(dht::Response::Done
            | dht::Response::Was(true)
            | dht::Response::Item(Some(_))
            | dht::Response::Updated(Updated::Stored)))
    );
    done.then_some(item)
}

impl Run<'_, '_, '_> {
    /// Looks at what the stores will do by themselves: what is new gets its moment, what cannot happen any more is forgotten.
    pub fn look_at_stores(&mut self, taken: Option<Taken>) {
        let view = self.course.world().view(&self.course.state);
        let stores = view.stores();
        if !stores.any() {
            return;
        }
        let inner = stores.inner();
        let renewed = taken.and_then(|taken| taken.renewed);
        let mut before = std::mem::take(&mut self.inner);
        let fired = taken.filter(|taken| matches!(taken.step.kind, StepKind::Store | StepKind::StoreFault));
        before.retain(|clock| {
            let expires =
                matches!(clock.inner, Inner::Dht(dht::Inner::Expires(node, key)) if renewed == Some((node, key)));
            inner.contains(&clock.inner) && !expires && !(fired.is_some() && self.fired == Some(clock.ticket))
        });
        for inner in inner {
            if before.iter().any(|clock| clock.inner == inner) {
                continue;
            }
            let Some(lasts) = lasts(self.timing, stores, &inner) else { continue };
            self.tickets += 1;
            let lasts = lasts.sample(&mut self.stores);
            self.queue.push_in(lasts, Event::Stores(StoreEvent::Inner { ticket: self.tickets }));
            before.push(InnerClock { inner, ticket: self.tickets });
        }
        self.inner = before;
    }

    /// The moment of something that a store does by itself.
    pub fn inner_happens(&mut self, ticket: u64) {
        let Some(clock) = self.inner.iter().find(|clock| clock.ticket == ticket) else { return };
        let stores = self.course.world().view(&self.course.state).stores();
        let Some(at) = stores.inner().iter().position(|inner| *inner == clock.inner) else { return };
        let kind = if clock.inner.fault().is_some() { StepKind::StoreFault } else { StepKind::Store };
        self.fired = Some(ticket);
        if !self.take(Some(Step { kind, slot: 0, arg: at as u16 }), kind) {
            self.inner.retain(|clock| clock.ticket != ticket);
        }
        self.fired = None;
    }
}
