//! The ledger of changes: what was acknowledged is there, once, and nothing else.
//!
//! Clients write down what they were told: the mark `acknowledged` holds how much they were told is in, `unknown` how much may be in or
//! not (no answer came). A client that died may have had its amount in or not: say how much with [`Ledger::at_stake`]. An amount is in as a whole
//! or not at all. Where each client's amount is a decimal place of its own ([`amount_of`]), the value says who is in it how often: a change that
//! is lost is not made up for by another that is in twice.

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

/// The amount of the client at a place: 1, 10, 100, … Its digit in a sum says how often it is in.
///
/// # Panics
/// When the place has none within an `i64`.
pub fn amount_of(place: usize) -> i64 {
    10_i64.pow(place as u32)
}

/// What the clients' changes must come to.
#[derive(Clone, Copy, Debug)]
pub struct Ledger {
    name: &'static str,
    source: &'static str,
    initial: i64,
    at_stake: fn(usize) -> i64,
}

/// A ledger that begins with that amount.
pub fn ledger(name: &'static str, source: &'static str, initial: i64) -> Ledger {
    Ledger { name, source, initial, at_stake: |_| 0 }
}

impl Ledger {
    /// What the client at a place may have had in when it died.
    #[must_use]
    pub fn at_stake(mut self, amount: fn(usize) -> i64) -> Self {
        self.at_stake = amount;
        self
    }

    /// At rest: the effect, which is what the value has changed by, is all that was acknowledged, and of what is unknown some.
    pub fn comes_to(self, value: impl Fn(&View<'_>) -> Option<i64> + Send + Sync + 'static) -> Property {
        Property::at_rest(self.name, self.source, move |view| {
            let acknowledged = view.clients().map(|client| number(&client, "acknowledged")).sum::<i64>();
            let unknown = view.clients().map(|client| match client.is_crashed() {
                // What it was told it remembers no more.
                true => (self.at_stake)(client.slot()),
                false => number(&client, "unknown"),
            });
            let unknown: Vec<i64> = unknown.filter(|amount| *amount != 0).collect();
            let Some(value) = value(view) else { return Err("what was changed is not there".into()) };
            judged(value - self.initial, acknowledged, &unknown)
        })
    }
}

/// Whether the effect is what was acknowledged and some of what is unknown, each as a whole.
fn judged(effect: i64, acknowledged: i64, unknown: &[i64]) -> Result<(), String> {
    let sums = unknown
        .iter()
        .fold(vec![acknowledged], |sums, amount| sums.iter().flat_map(|sum| [*sum, sum + amount]).collect());
    if sums.contains(&effect) {
        return Ok(());
    }
    let all: i64 = unknown.iter().sum();
    let told = if all != 0 { format!(" and {all} unknown") } else { String::new() };
    let wrong = match effect {
        less if less < acknowledged => format!("{} lost", acknowledged - effect),
        more if more > acknowledged + all => format!("{} too many", effect - acknowledged - all),
        _ => "this is not each change once".into(),
    };
    Err(format!("{acknowledged} acknowledged{told}, {effect} in the store: {wrong}"))
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

#[cfg(test)]
mod tests {
    use super::{amount_of, judged};

    #[test]
    fn what_is_lost_is_not_made_up_for_by_what_is_in_twice() {
        let all = amount_of(0) + amount_of(1) + amount_of(2);
        assert_eq!(judged(all, all, &[]), Ok(()));
        // Of three changes one is lost and one is in twice.
        assert!(judged(2 * amount_of(0) + amount_of(2), all, &[]).is_err());
        assert!(judged(amount_of(0) + 2 * amount_of(1), all, &[]).is_err());
    }

    #[test]
    fn what_is_unknown_is_in_as_a_whole_or_not_at_all() {
        assert_eq!(judged(10, 10, &[1, 100]), Ok(()));
        assert_eq!(judged(110, 10, &[1, 100]), Ok(()));
        assert_eq!(
            judged(12, 10, &[1, 100]),
            Err("10 acknowledged and 101 unknown, 12 in the store: this is not each change once".into())
        );
        assert_eq!(judged(9, 10, &[1]), Err("10 acknowledged and 1 unknown, 9 in the store: 1 lost".into()));
        assert_eq!(judged(12, 10, &[1]), Err("10 acknowledged and 1 unknown, 12 in the store: 1 too many".into()));
    }
}
