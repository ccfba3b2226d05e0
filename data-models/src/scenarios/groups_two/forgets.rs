//! What each cure is worth when the table itself forgets: groups and records that expire, keys that are evicted, nodes that are lost.
//!
//! What was added is gone then, whatever the way. What a cure can do is to keep the groups the same, or to have readers see them so.

use super::*;

/// Groups, records and intents expire.
fn expired() -> Vec<Scenario> {
    let together = format!("two groups, {}, groups expire", Way::OneRecord.name());
    let mut scenarios = Vec::new();
    for way in CURES {
        let at_rest = writers(way, PASSING, ", groups expire")
            .about("Two clients add a key each, and a group expires at some moment, the last one too. One record holds both groups, and they \
                    are gone together; two keys expire apart, and stay so until the next client comes by.")
            .key_expiries(1)
            .property(agree());
        let seen = writer_and_reader(way, PASSING, ", groups expire, as readers see it")
            .about("Two keys expire, a group or what helps to change it, while one client adds and another reads. Whoever reads sees both \
                    groups the same, and comes to an end.")
            .key_expiries(2)
            .property(everybody_ends());
        let forgotten = writers(way, PASSING, ", groups expire, and what was added")
            .about("What was added expires with its group. No way of writing helps against that.")
            .key_expiries(1)
            .property(added_to_both())
            .breaks("what was added is in both groups once")
            .kept_within_bounds_of(format!("two groups, {}", way.name()));
        scenarios.push(match way {
            Way::OneRecord => at_rest,
            _ => at_rest.breaks(AGREE).fixed_by(&together),
        });
        scenarios.push(match way {
            // The change is known to the record alone.
            Way::Intent => seen
                .breaks("everybody ends")
                .fixed_by(format!("two groups, {}, groups expire, as readers see it", Way::Redo.name())),
            _ => seen,
        });
        scenarios.push(forgotten);
    }
    let way = Way::PassingIntent;
    scenarios.push(
        writers(way, PAIR, "")
            .about("The groups stay, and the intent record expires, so that a dead client's does not lie about for ever. While one client \
                    makes its change the record goes, another announces the next, and the second group never gets the first change.")
            .key_expiries(1)
            .property(agree())
            .breaks(AGREE)
            .fixed_by(together),
    );
    scenarios
}

/// Keys are evicted, nodes are lost, and keys are hashed again.
fn evicted_and_lost() -> Vec<Scenario> {
    let apart = || {
        let groups = Dht::seed(2).placed("news", 0).placed("sports", 1).placed("both", 0).placed("intent", 0);
        groups.placed("lease of news", 0).placed("lease of sports", 1)
    };
    let base = |way: Way| format!("two groups, {}", way.name());
    let mut scenarios = Vec::new();
    for way in CURES {
        let lost = writers(way, PAIR, ", a node lost")
            .about(
                "A node is lost, and may come back with what it had. Clients keep the ring, and go on when it is back.",
            )
            .stores(apart().into())
            .node_losses(1)
            .node_returns(1)
            .properties([agree(), added_to_both()]);
        let evicted = writer_and_reader(way, PAIR, ", an eviction")
            .about("One key is evicted: a group, a lease, the record. Whoever reads then sees both groups the same, and comes to an end.")
            .evictions(1)
            .property(everybody_ends());
        let forgotten = writers(way, PAIR, ", an eviction, and what was added")
            .about("One key is evicted, and with it what was added. No way of writing helps against that.")
            .evictions(1)
            .property(added_to_both())
            .breaks("what was added is in both groups once")
            .kept_within_bounds_of(base(way));
        // Whoever has seen one group change and not the other goes round for ever when the intent is gone.
        let evicted = match way {
            Way::Intent => {
                evicted.breaks("everybody ends").fixed_by(format!("two groups, {}, an eviction", Way::Redo.name()))
            }
            _ => evicted,
        };
        let hashed = writers(way, PAIR, ", keys hashed again")
            .about("A node is lost and comes back with what it had; clients hash its keys again, each when it hears of it. What was added at \
                    one node is not at the other.")
            .stores(apart().rehashing().into())
            .calls_are_steps()
            .node_losses(1)
            .node_returns(1)
            .property(added_to_both())
            .breaks("what was added is in both groups once")
            .kept_within_bounds_of(base(way));
        let read = writer_and_reader(way, PAIR, ", keys hashed again, as readers see it")
            .about("The same with one writer: a reader sees what it sees of both groups, or goes round.")
            .stores(apart().rehashing().into())
            .calls_are_steps()
            .node_losses(1)
            .node_returns(1);
        scenarios.extend([lost, forgotten, evicted, hashed, read]);
    }
    scenarios
}

/// The table forgets.
pub(super) fn scenarios() -> Vec<Scenario> {
    [expired(), evicted_and_lost()].concat()
}
