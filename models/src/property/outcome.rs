//! No program fails.

use overtake_sim::program::Outcome;
use overtake_sim::world::PANICKED;

use super::Property;

/// No program panics or returns an error.
///
/// Source: a recipe that answers an ordinary order of events with an error has not handled it.
pub fn no_program_fails() -> Property {
    Property::always("no program fails", "the recipe's own contract", |view| {
        for client in view.clients() {
            match client.outcome() {
                Some(Outcome::Failed(why)) => {
                    return Err(format!("{} ended with the error {why}", client.name()));
                }
                Some(Outcome::Panicked(why)) => {
                    return Err(format!("{} panicked: {why}", client.name()));
                }
                Some(Outcome::Finished) | None => {}
            }
        }
        Ok(())
    })
}

/// No program panics. Part of every scenario: what a program that is gone no longer does, it cannot do wrong.
pub fn no_program_panics() -> Property {
    Property::always("no program panics", "a panic is a defect of the program, whatever it was asked to keep", |view| {
        for client in view.clients() {
            if let Some(Outcome::Panicked(why)) = client.outcome() {
                return Err(format!("{} panicked: {why}", client.name()));
            }
        }
        Ok(())
    })
    .where_marked(&[PANICKED], 1)
}
