//! A double barrier: all enter before one is in, all want to leave before one is out. And the barrier before that.

use overtake_sim::world::{ClientView, View};

use super::Property;

/// The marks of a member, in the first round and in the second: `arrived`, `entered`, `leaves`, `left`.
pub const ROUNDS: [[&str; 4]; 2] =
    [["arrived", "entered", "leaves", "left"], ["arrived again", "entered again", "leaves again", "left again"]];

/// When somebody carries the mark at `ahead`, everybody must carry that at `behind`, but for those whose session is over:
/// the barrier does not know them any more, and they may not know it yet.
fn nobody_is_ahead(view: &View<'_>, ahead: usize, behind: usize, told: &str) -> Result<(), String> {
    let lives = |c: &ClientView<'_>| !c.is_crashed() && c.session().is_some_and(|s| view.zookeeper().is_alive(s));
    for marks in ROUNDS {
        let late = |c: &ClientView<'_>| lives(c) && !c.is_marked(marks[behind]);
        let first = view.clients().find(|c| c.is_marked(marks[ahead]));
        if let (Some(first), Some(late)) = (first, view.clients().find(late)) {
            return Err(format!("{} has {}, and {} {told}", first.name(), marks[ahead], late.name()));
        }
    }
    Ok(())
}

/// Nobody has entered before all have called `enter`, in either round.
///
/// Source: ZooKeeper recipes: Double Barriers.
pub fn nobody_enters_before_all() -> Property {
    let check = |view: &View<'_>| nobody_is_ahead(view, 1, 0, "has not arrived");
    Property::always("nobody enters before all arrive", "ZooKeeper recipes: Double Barriers", check)
        .where_marked(&[ROUNDS[0][1], ROUNDS[1][1]], 1)
}

/// Nobody has left before all have called `leave`, in either round.
///
/// Source: ZooKeeper recipes: Double Barriers.
pub fn nobody_leaves_before_all() -> Property {
    let check = |view: &View<'_>| nobody_is_ahead(view, 3, 2, "does not want to leave");
    Property::always("nobody leaves before all want to", "ZooKeeper recipes: Double Barriers", check)
        .where_marked(&[ROUNDS[0][3], ROUNDS[1][3]], 1)
}

/// At rest, whoever wants to leave is out. (To enter, a member may wait for ever for one that has died.)
///
/// Source: ZooKeeper recipes: Double Barriers; the nodes of the dead go.
pub fn whoever_leaves_gets_out() -> Property {
    Property::at_rest("whoever leaves gets out", "ZooKeeper recipes: Double Barriers", |view| {
        let stuck = |c: &ClientView<'_>| {
            !c.is_marked("gave up") && ROUNDS.iter().any(|m| c.is_marked(m[2]) && !c.is_marked(m[3]))
        };
        match view.clients().find(stuck) {
            Some(c) => Err(format!("{} wants to leave for ever", c.name())),
            None => Ok(()),
        }
    })
    .where_marked(&[ROUNDS[0][2], ROUNDS[1][2]], 1)
}
