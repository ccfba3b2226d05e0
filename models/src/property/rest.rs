//! No wait without a wake-up: a world at rest has everybody finished.

use super::Property;

/// When nothing but faults can happen any more, every program that has not died is over.
///
/// Source: seed 1, section 2: the released lock wakes the next; lost wake-ups and deadlocks show as a wait at rest.
pub fn no_wait_without_wake_up() -> Property {
    Property::at_rest("no wait without a wake-up", "ZooKeeper recipes: Locks, steps 4 and 5", |view| {
        let stuck: Vec<String> = view
            .clients()
            .filter(|c| !c.is_crashed() && !c.is_over())
            .map(|c| {
                let waits = c.waits_for();
                match waits.is_empty() {
                    true => format!("{} waits for something that nobody announces", c.name()),
                    false => format!("{} waits for {}", c.name(), waits.join(" and ")),
                }
            })
            .collect();
        match stuck.is_empty() {
            true => Ok(()),
            false => Err(format!("nothing can happen any more, and {}", stuck.join(", and "))),
        }
    })
}
