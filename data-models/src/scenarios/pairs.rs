//! What scenarios on documents share.

use std::fmt::Display;

use overtake_models::Scenario;
use overtake_models::property::Property;
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Stores};
use overtake_sim::world::View;

use crate::property::{document_store, somebody_is};

/// A world with a document store only.
pub fn stores(documents: Documents) -> Stores {
    Stores { documents: Some(documents), ..Stores::default() }
}

/// Two scenarios of one world: the faulty program breaks the property, the repaired one (`make(true)`) is proved.
pub fn pair(name: &str, breaks: &'static str, about: &str, make: impl Fn(bool) -> Scenario) -> Vec<Scenario> {
    let repaired = format!("{name}, repaired");
    let faulty = make(false).called(name).about(about).breaks(breaks).fixed_by(repaired.clone());
    vec![faulty, make(true).called(repaired).about(format!("{about} This is the repaired program."))]
}

/// Writes down what the customer is told: one change is in, or none.
pub fn tell<E: Display>(ctx: &Context, told: Result<bool, E>) -> Result<(), E> {
    match told? {
        true => ctx.mark_with("acknowledged", "1"),
        false => ctx.mark("refused"),
    }
    Ok(())
}

/// Somebody is told that the change is in.
pub fn somebody_is_told() -> Property {
    somebody_is(&["acknowledged"], "somebody is told that the change is in")
}

/// The sum of a field over a collection.
pub fn sum(view: &View<'_>, collection: &str, field: &str) -> i64 {
    let all = document_store(view).all(collection).iter();
    all.filter_map(|document| document.at(field).and_then(|value| value.as_int())).sum()
}
