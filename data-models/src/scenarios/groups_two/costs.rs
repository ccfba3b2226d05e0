//! What each way costs in calls.

use overtake_recipes::store::{Value, doc};

use super::*;

impl Way {
    /// Calls of an add when nobody is in the way.
    fn calls_of_an_add(self) -> usize {
        match self {
            Way::OneRecord => 2,
            Way::Plain | Way::Redo => 4,
            Way::Intent => 8,
            Way::Locked => 10,
            _ => unreachable!("{self:?} costs what its cure costs"),
        }
    }

    /// Calls of a read when nobody is in the way.
    fn calls_of_a_read(self) -> usize {
        match self {
            Way::OneRecord => 1,
            Way::Plain | Way::Redo | Way::Intent => 2,
            Way::Locked => 8,
            _ => unreachable!("{self:?} costs what its cure costs"),
        }
    }
}

/// The ways whose cost in calls is told.
const COUNTED: [Way; 5] = [Way::Plain, Way::OneRecord, Way::Redo, Way::Intent, Way::Locked];

/// Both groups with a key in them, as the way keeps them.
fn filled(way: Way) -> Dht {
    let keys: Value = vec!["key"].into();
    let numbered = || doc([("keys", keys.clone()), ("number", 1.into())]);
    match way {
        Way::OneRecord => Dht::seed(1).with(BOTH, doc([("first", keys.clone()), ("second", keys.clone())])),
        Way::Redo | Way::Intent => Dht::seed(1).with(PAIR.first, numbered()).with(PAIR.second, numbered()),
        _ => Dht::seed(1).with(PAIR.first, keys.clone()).with(PAIR.second, keys.clone()),
    }
}

/// What one client alone pays, by the way, for an add and for a read.
pub(crate) fn costs() -> Vec<(&'static str, [Scenario; 2])> {
    let alone = |way: Way, what: &str| world(way, what).stores(filled(way).counting_calls().into());
    let both = |way: Way| {
        let (add, read) = (way.calls_of_an_add(), way.calls_of_a_read());
        let adds = alone(way, ", its cost")
            .about("One client alone adds a key to both groups: what that costs in calls.")
            .client("writer", move |ctx| adds(ctx, way, PAIR))
            .properties([
                calls_are("an add costs what it should", move |_| add),
                added_to_both(),
                no_program_fails(),
                somebody_adds(),
                everybody_is_done(),
            ]);
        let reads = alone(way, ", what a read costs")
            .about("One client alone reads both groups, which are the same: what that costs in calls.")
            .client("reader", move |ctx| reads_both(ctx, way, PAIR))
            .properties([
                calls_are("a read costs what it should", move |_| read),
                Property::sometimes("both are read", |view| {
                    let read = |mark| view.client(0).mark(mark).flatten().is_some_and(|keys| keys.full() == "key");
                    read("first") && read("second")
                }),
                readers_see_groups_agree(),
                no_program_fails(),
                everybody_is_done(),
            ]);
        (way.name(), [adds, reads])
    };
    COUNTED.into_iter().map(both).collect()
}
