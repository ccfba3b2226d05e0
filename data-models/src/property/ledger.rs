//! The ledger of changes: what was acknowledged is there, once.
//!
//! Clients write down what they were told: the mark `acknowledged` holds how much they were told is in, `unknown` how much may be in or
//! not (no answer came). A client that died may have had anything in that it had begun: give its most with [`Ledger::at_stake`].

use overtake_sim::stores::{Documents, Value};
use overtake_sim::world::{ClientView, View};

use super::Property;

/// The document store of the world.
///
/// # Panics
/// When there is none.
pub fn document_store<'a>(view: &View<'a>) -> &'a Documents {
    view.stores().documents.as_ref().expect("the world has a document store")
}

/// The number that a mark holds, 0 when it is not set.
pub fn number(client: &ClientView<'_>, mark: &'static str) -> i64 {
    client.mark(mark).flatten().and_then(|text| text.full().parse().ok()).unwrap_or(0)
}

/// What the clients' changes must come to.
#[derive(Clone, Copy, Debug)]
pub struct Ledger {
    name: &'static str,
    source: &'static str,
    initial: i64,
    at_stake: i64,
}

/// A ledger that begins with that amount.
pub fn ledger(name: &'static str, source: &'static str, initial: i64) -> Ledger {
    Ledger { name, source, initial, at_stake: 0 }
}

impl Ledger {
    /// A client that died may have had up to so much in.
    #[must_use]
    pub fn at_stake(mut self, most: i64) -> Self {
        self.at_stake = most;
        self
    }

    /// At rest: acknowledged ≤ effect ≤ acknowledged + unknown, where the effect is what the value has changed by.
    pub fn comes_to(self, value: impl Fn(&View<'_>) -> Option<i64> + Send + Sync + 'static) -> Property {
        Property::at_rest(self.name, self.source, move |view| {
            let sum = |mark| view.clients().map(|client| number(&client, mark)).sum::<i64>();
            let dead = view.clients().filter(ClientView::is_crashed).count() as i64;
            let (acknowledged, unknown) = (sum("acknowledged"), sum("unknown") + dead * self.at_stake);
            let Some(value) = value(view) else { return Err("what was changed is not there".into()) };
            let effect = value - self.initial;
            if effect < acknowledged {
                Err(format!("{acknowledged} acknowledged, {effect} in the store: {} lost", acknowledged - effect))
            } else if effect > acknowledged + unknown {
                let told = if unknown > 0 { format!(" and {unknown} unknown") } else { String::new() };
                Err(format!(
                    "{acknowledged} acknowledged{told}, {effect} in the store: {} too many",
                    effect - acknowledged - unknown
                ))
            } else {
                Ok(())
            }
        })
    }
}

/// No two documents of the collection that have these fields have the same values in them.
pub fn no_duplicates(
    name: &'static str,
    source: &'static str,
    collection: &'static str,
    fields: &'static [&'static str],
) -> Property {
    Property::always(name, source, move |view| {
        let key = |document: &Value| fields.iter().map(|field| document.at(field).cloned()).collect::<Vec<_>>();
        let whole = |document: &&Value| fields.iter().all(|field| document.at(field).is_some());
        let all: Vec<&Value> = document_store(view).all(collection).iter().filter(whole).collect();
        let twice =
            all.iter().enumerate().find(|(i, document)| all[..*i].iter().any(|other| key(other) == key(document)));
        match twice {
            None => Ok(()),
            Some((_, document)) => {
                let shown = |field: &&str| match document.at(field).and_then(Value::as_text) {
                    Some(text) => format!("{field} {}", text.short()),
                    None => format!("the same {field}"),
                };
                let fields: Vec<_> = fields.iter().map(shown).collect();
                Err(format!("two documents of {collection} with {}", fields.join(" and ")))
            }
        }
    })
}

/// No operation has taken effect more than once: the values of the field are distinct.
pub fn at_most_one_effect(
    name: &'static str,
    source: &'static str,
    collection: &'static str,
    operation: &'static str,
) -> Property {
    Property::always(name, source, move |view| {
        let all: Vec<_> =
            document_store(view).all(collection).iter().filter_map(|document| document.at(operation)).collect();
        match all.iter().enumerate().find(|(i, one)| all[..*i].contains(one)) {
            None => Ok(()),
            Some((_, one)) => {
                let name = one.as_text().map_or_else(|| format!("{one:?}"), |text| text.short());
                Err(format!("operation {name} has taken effect twice"))
            }
        }
    })
}

/// Nobody waits for somebody who waits for him: the rows and who holds them, as a cycle.
pub fn no_cycle_of_waits() -> Property {
    use overtake_sim::names::{slot_of, who};
    use overtake_sim::stores::Call;
    Property::always("no cycle of waits", "report DL-01: no cycle in the wait-for graph", |view| {
        let store = document_store(view);
        // For whom a client waits, and with which call.
        let waits: Vec<Option<(usize, String)>> = view
            .clients()
            .map(|client| {
                client.unanswered().find_map(|call| {
                    let Call::Documents(request) = &call else { return None };
                    let (holder, _) = store.blocked_by(who(client.slot(), 0), request)?;
                    Some((slot_of(holder), call.to_string()))
                })
            })
            .collect();
        for start in 0..waits.len() {
            let (mut at, mut told) = (start, Vec::new());
            while let Some((holder, call)) = &waits[at] {
                let (waiter, owner) = (view.client(at), view.client(*holder));
                told.push(format!("{} waits for {} ({call})", waiter.name(), owner.name()));
                at = *holder;
                if at == start {
                    return Err(told.join(", and "));
                }
                if told.len() > waits.len() {
                    break;
                }
            }
        }
        Ok(())
    })
}
