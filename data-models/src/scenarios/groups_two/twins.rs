//! The cures, spoilt: each without one of the things that it consists of.

use super::*;

const ADDED: &str = "what was added is in both groups once";
const ENDS: &str = "everybody ends";

fn named(way: Way, what: &str) -> String {
    format!("two groups, {}{what}", way.name())
}

/// The first group as the record.
fn redo() -> Vec<Scenario> {
    let evicted = |way: Way| {
        writers_and_reader(way, PAIR, ", an eviction between two writers")
            .about("One writer has changed the first group and not yet the second; the first is evicted, and the other begins anew, with the \
                    same number. Then the first writer's copy arrives.")
            .evictions(1)
    };
    let read = named(Way::Redo, ", a reader alone");
    vec![
        evicted(Way::Redo),
        evicted(Way::RedoNumbersAlone).breaks(SEEN).fixed_by(named(Way::Redo, ", an eviction between two writers")),
        writers(Way::RedoUnversioned, PAIR, "")
            .about("A late copy of the first group overwrites a newer one in the second, and nobody comes by any more.")
            .property(agree())
            .breaks(AGREE)
            .fixed_by(named(Way::Redo, "")),
        writer_and_reader(Way::Redo, PAIR, ", a reader alone")
            .about("A reader finds the second group behind, and brings it up to date before it answers."),
        writer_and_reader(Way::RedoOrderAlone, PAIR, ", a reader alone")
            .about("A reader takes the second group, which it reads last, for as new as the first.")
            .breaks(SEEN)
            .fixed_by(read),
    ]
}

/// The record of what is to be done.
fn intents() -> Vec<Scenario> {
    let dies = |way: Way| {
        writer_and_reader(way, PAIR, ", the writer dies, and the reader ends").crashes(1).property(everybody_ends())
    };
    let one_dies = |way: Way| {
        writers_who_read(way, ", one of two writers dies, and the other ends").crashes(1).property(everybody_ends())
    };
    vec![
        writers(Way::IntentNumberIgnored, PAIR, "")
            .about("A helper that comes late makes the change again.")
            .property(added_to_both())
            .breaks(ADDED)
            .fixed_by(named(Way::Intent, "")),
        writers(Way::IntentUnversioned, PAIR, "")
            .about("A helper that comes late writes the group as it was, and the change after that is gone.")
            .property(added_to_both())
            .breaks(ADDED)
            .fixed_by(named(Way::Intent, "")),
        one_dies(Way::Intent)
            .about("Whatever the dead writer has begun, the record is there until it is done: the other comes to an end."),
        one_dies(Way::IntentPlainDelete)
            .about("A helper that comes late deletes the record of the next change, whose writer dies between the groups. Whoever reads then \
                    goes round for ever.")
            .breaks(ENDS)
            .fixed_by(named(Way::Intent, ", one of two writers dies, and the other ends")),
        dies(Way::Intent).about("The record is there until both groups have the change: the reader makes it."),
        dies(Way::IntentDeletedEarly)
            .about("The writer dies after the record is gone and before the second group is changed. The reader goes round for ever.")
            .breaks(ENDS)
            .fixed_by(named(Way::Intent, ", the writer dies, and the reader ends")),
        writer_and_reader(Way::Intent, PAIR, ", a reader alone")
            .about("A reader that finds unequal numbers makes the change that the record says, and looks again."),
        writer_and_reader(Way::IntentRecordReadFirst, PAIR, ", a reader alone")
            .about("The record is not there yet when the reader looks for it; the change is made while the reader is between the groups.")
            .breaks(SEEN)
            .fixed_by(named(Way::Intent, ", a reader alone")),
    ]
}

/// Broken twins.
pub(super) fn scenarios() -> Vec<Scenario> {
    [redo(), intents()].concat()
}
