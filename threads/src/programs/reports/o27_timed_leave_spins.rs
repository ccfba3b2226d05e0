//! O27, CURATOR-536: leaving a barrier with a time-out does not end when the time is up.
//!
//! *Mechanism:* a member never leaves. The other's time is up: the result is set to false, and the loop goes on, hot.
//! *Source:* <https://github.com/apache/curator/issues/1055>. *Violated:* a timed call returns when its time is up.
//! *Repair:* leave the loop.

use super::{Pair, Report};
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O27 timed leave spins",
        source: "https://github.com/apache/curator/issues/1055",
        about: "A member leaves a barrier with a time-out while the other member may or may not leave.",
        violates: "a timed call returns when its time is up",
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let members = Monitor::new("members", 2);
        let (barrier, own) = (members.clone(), *stage);
        stage.thread("leaver", move || {
            let mut inside = barrier.lock();
            *inside -= 1;
            let mut in_time = true;
            while *inside > 0 {
                let because = || "the time is up, and the call goes round once more".into();
                own.holds(in_time, "a timed call returns when its time is up", because);
                if own.is_violated() {
                    break;
                }
                let over;
                (inside, over) = barrier.wait_for_a_time(inside);
                if over && *inside > 0 {
                    in_time = false;
                    if repaired {
                        break;
                    }
                }
            }
        });
        stage.fault("the other member leaves", move || members.change(|inside| *inside -= 1));
        stage.rest();
    })
}
