//! What will go wrong, and when: drawn before a run from its seed, or written by hand.

use overtake_sim::clock::{Distribution, Rng};

use super::timing::{Recurring, Timing};

/// What a silent cut loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Everything.
    Both,
    /// What the client sends.
    ToServer,
    /// What the server sends.
    ToClient,
}

/// Something that goes wrong. Lengths are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process of a client stands still (a Full GC).
    ClientPause {
        /// Which client.
        slot: usize,
        /// How long.
        length: u64,
    },
    /// The process of the server stands still.
    ServerPause {
        /// How long.
        length: u64,
    },
    /// Packets between a client and the server are lost and nobody is told.
    Silence {
        /// Which client.
        slot: usize,
        /// Which packets.
        lost: Lost,
        /// How long.
        length: u64,
    },
    /// The connection of a client is closed under it.
    Reset {
        /// Which client.
        slot: usize,
    },
    /// The process of a client dies.
    Crash {
        /// Which client.
        slot: usize,
        /// How long until it starts again.
        back: u64,
    },
    /// A call of a client is interrupted, if one can be.
    Interrupt {
        /// Which client.
        slot: usize,
    },
    /// A follower falls out and synchronises with the leader.
    Resync {
        /// Which server, from 1.
        server: u8,
    },
    /// The server is shut down and started again; with several, the leader changes.
    ServerRestart {
        /// How long it is down.
        down: u64,
    },
}

/// Most faults in one plan.
const MOST_FAULTS: usize = 10_000;

/// Faults with their moments, in nanoseconds since the start, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Moment and fault.
    pub faults: Vec<(u64, Fault)>,
}

impl Plan {
    /// A plan of these faults; they are put in order.
    pub fn new(mut faults: Vec<(u64, Fault)>) -> Self {
        faults.sort_by_key(|(at, _)| *at);
        Self { faults }
    }

    /// Draws a plan for so many clients and followers. Each kind of fault of each client has a stream of its own, so that a change of
    /// one parameter leaves the others' faults where they were.
    pub fn draw(timing: &Timing, clients: usize, followers: usize, rng: &Rng) -> Self {
        let mut faults = Vec::new();
        let mut stream = 0;
        let mut each = |every: &Option<Distribution>, make: &mut dyn FnMut(&mut Rng) -> Fault| {
            let mut rng = rng.fork(stream);
            stream += 1;
            let Some(every) = every else { return };
            let mut at = every.sample(&mut rng);
            while at < timing.limit && faults.len() < MOST_FAULTS {
                faults.push((at, make(&mut rng)));
                at = at.saturating_add(every.sample(&mut rng));
            }
        };
        let length = |recurring: &Recurring, rng: &mut Rng| recurring.length.sample(rng);
        each(&timing.server_pauses.every, &mut |rng| Fault::ServerPause { length: length(&timing.server_pauses, rng) });
        each(&timing.server_restarts.every, &mut |rng| Fault::ServerRestart {
            down: length(&timing.server_restarts, rng),
        });
        for slot in 0..clients {
            each(&timing.client_pauses.every, &mut |rng| Fault::ClientPause {
                slot,
                length: length(&timing.client_pauses, rng),
            });
            each(&timing.silences.every, &mut |rng| {
                let lost = [Lost::Both, Lost::ToServer, Lost::ToClient][rng.below(3) as usize];
                Fault::Silence { slot, lost, length: length(&timing.silences, rng) }
            });
            each(&timing.resets, &mut |_| Fault::Reset { slot });
            each(&timing.crashes.every, &mut |rng| Fault::Crash { slot, back: length(&timing.crashes, rng) });
            each(&timing.interrupts, &mut |_| Fault::Interrupt { slot });
        }
        for server in 1..=followers as u8 {
            each(&timing.resyncs, &mut |_| Fault::Resync { server });
        }
        Self::new(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_depends_on_its_seed_and_on_nothing_else() {
        let timing = Timing::default();
        let plan = Plan::draw(&timing, 3, 1, &Rng::new(1));
        assert_eq!(plan, Plan::draw(&timing, 3, 1, &Rng::new(1)));
        assert_ne!(plan, Plan::draw(&timing, 3, 1, &Rng::new(2)));
        assert!(plan.faults.is_sorted_by_key(|(at, _)| *at) && plan.faults.len() > 20);
        assert_eq!(Plan::draw(&timing.healthy(), 3, 1, &Rng::new(1)), Plan::default());
    }

    #[test]
    fn one_kind_of_fault_leaves_the_others_where_they_were() {
        let timing = Timing::default();
        let calm = Timing { resets: None, ..timing.clone() };
        let without = |plan: Plan| {
            let others = plan.faults.into_iter().filter(|(_, fault)| !matches!(fault, Fault::Reset { .. }));
            others.collect::<Vec<_>>()
        };
        let rng = Rng::new(9);
        assert_eq!(without(Plan::draw(&timing, 2, 1, &rng)), Plan::draw(&calm, 2, 1, &rng).faults);
    }
}
