//! The leader latch under faults: alone, and two of them.

use std::sync::Arc;

use overtake_recipes::leader_latch::faulty::{GivesUpForGood, LeadsThroughSuspension};
use overtake_recipes::leader_latch::{Latch, LeaderLatch as Recipe};

use super::connection_breaks;
use crate::check::{Program, program};
use crate::client::Env;
use crate::latch::LeaderLatch;
use crate::programs::common::*;
use crate::simulated::Simulated;
use crate::sync::Shuttle;

type Surroundings = Env<Shuttle, Simulated>;

const LEADS: &str = "the only candidate leads in the end";
const ONE: &str = "at most one leader";

pub(super) fn all() -> Vec<Program> {
    let (alone, two) = ("latch on a connection that breaks", "two latches, the leader's session expires");
    vec![
        alone_under_a_break::<GivesUpForGood<Surroundings>>("latch on a connection that breaks, gives up for good")
            .breaks(LEADS)
            .fixed_by(alone),
        alone_under_a_break::<Recipe<Surroundings>>(alone)
            .sometimes(&["the connection broke while a node was there", "leadership was lost and came back"]),
        two_of_them::<LeadsThroughSuspension<Surroundings>>(
            "two latches, the leader's session expires, leads through suspension",
        )
        .breaks(ONE)
        .fixed_by(two),
        two_of_them::<Recipe<Surroundings>>(two)
            .sometimes(&["the second leads", "leadership was given up on suspension"]),
    ]
}

fn alone_under_a_break<R: Latch<Surroundings> + 'static>(name: &str) -> Program {
    program(name, |stage| {
        let (hub, clients) = clients(stage, 1);
        let latch = Arc::new(LeaderLatch::<_, _, R>::over(&clients[0], LOCK));
        let own = *stage;
        let times = std::sync::atomic::AtomicUsize::new(0);
        latch.listen(move |leads| {
            // Told by one thread, one after the other.
            if leads && times.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 0 {
                own.reached("leadership was lost and came back");
            }
        });
        connection_breaks(stage, &hub, LOCK);
        latch.start().expect("it is fresh");
        stage.rest();
        stage.holds(latch.has_leadership(), LEADS, || "the connection is there, and it does not lead".into());
        no_second_node(stage, &hub);
    })
    .source("https://github.com/apache/curator/issues/594")
    .about("A latch starts while the connection breaks and comes back, in the same session.")
}

fn no_second_node(stage: &crate::check::Stage, hub: &TestHub) {
    let nodes = nodes(hub);
    stage.holds(nodes.len() == 1, "one node for each candidate", || format!("there are {}", nodes.len()));
}

/// The connection of the leader breaks. When the leader has had the time to hear of it, its session expires.
fn two_of_them<R: Latch<Surroundings> + 'static>(name: &str) -> Program {
    program(name, |stage| {
        let (hub, clients) = clients(stage, 2);
        let latches = [0, 1].map(|place| Arc::new(LeaderLatch::<_, _, R>::over(&clients[place], LOCK)));
        let own = *stage;
        latches[0].start().expect("it is fresh");
        stage.settle();
        let other = latches[0].clone();
        latches[1].listen(move |leads| {
            if leads {
                own.reached("the second leads");
                own.holds(!other.has_leadership(), ONE, || "the second leads, and the first one too".into());
            }
        });
        latches[1].start().expect("it is fresh");
        hub.disconnect(0);
        stage.rest();
        if !latches[0].has_leadership() {
            stage.reached("leadership was given up on suspension");
        }
        hub.expire(0);
        stage.rest();
        hub.reconnect(0);
        stage.rest();
        let both = latches.iter().all(|latch| latch.has_leadership());
        stage.holds(!both, ONE, || "both lead".into());
    })
    .source("https://curator.apache.org/docs/recipes-leader-latch, semantics §5.5")
    .about(
        "The leader's connection breaks while a second latch starts. The leader has the time to hear of it; then its session \
         expires, and it is connected again.",
    )
}
