//! How long things take in a live run.

use crate::clock::Distribution;
use crate::clock::duration::{MICROSECOND, MILLISECOND, SECOND};

/// Lengths of time, in nanoseconds of virtual time.
///
/// A server takes its jobs one after the other, so it saturates; wires and logs only delay.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// From a client to its server and back, one way. A wire is FIFO: nothing overtakes.
    pub network: Distribution,
    /// From server to server, one way, FIFO.
    pub peers: Distribution,
    /// A server's work for a read or a ping, without [`per_child`](Self::per_child).
    pub read: Distribution,
    /// The leader's work for a write, up to its proposal.
    pub write: Distribution,
    /// A server's work for passing a write on to the leader, and for applying one that is committed.
    pub apply: Distribution,
    /// Work for each child in a list that is answered.
    pub per_child: u64,
    /// Work for each watch event that is sent.
    pub per_event: u64,
    /// Until a proposal is on a server's disk.
    pub log: Distribution,
    /// Work of a program ([`Context::work`](crate::program::Context::work)) whose label is not in `works`.
    pub work: Distribution,
    /// Work of programs by its label.
    pub works: Vec<(&'static str, Distribution)>,
    /// When a program starts.
    pub start: Distribution,
    /// A client that has sent nothing for so long pings its server (a third of the session time-out, §3.2).
    /// `None`: never.
    pub ping: Option<u64>,
}

impl Timing {
    /// Nothing takes any time but the wires, which take exactly so long one way.
    pub const fn wires(one_way: u64) -> Self {
        Self {
            network: Distribution::Constant(one_way),
            peers: Distribution::Constant(one_way),
            read: Distribution::ZERO,
            write: Distribution::ZERO,
            apply: Distribution::ZERO,
            per_child: 0,
            per_event: 0,
            log: Distribution::ZERO,
            work: Distribution::ZERO,
            works: Vec::new(),
            start: Distribution::ZERO,
            ping: None,
        }
    }

    /// How long work under the label takes.
    pub(super) fn work(&self, label: &str) -> &Distribution {
        self.works.iter().find(|(name, _)| *name == label).map_or(&self.work, |(_, length)| length)
    }
}

/// A data centre. A server's work is set so that three servers reach the throughput that ZooKeeper's authors measured
/// (Hunt et al., USENIX ATC 2010, table 1: 87,000 reads or 21,000 writes a second). A read takes one server 34 µs. A write
/// takes the leader 48 µs: 38 µs up to its proposal and 10 µs for applying it; how the two share them is an assumption, as
/// are the other lengths.
impl Default for Timing {
    fn default() -> Self {
        Self {
            network: Distribution::Uniform(200 * MICROSECOND, 300 * MICROSECOND),
            peers: Distribution::Uniform(150 * MICROSECOND, 250 * MICROSECOND),
            read: Distribution::Constant(34 * MICROSECOND),
            write: Distribution::Constant(38 * MICROSECOND),
            apply: Distribution::Constant(10 * MICROSECOND),
            per_child: 100,
            per_event: 5 * MICROSECOND,
            log: Distribution::Uniform(MILLISECOND / 2, 2 * MILLISECOND),
            work: Distribution::Constant(MILLISECOND),
            works: Vec::new(),
            start: Distribution::Uniform(0, 10 * MILLISECOND),
            ping: Some(10 * SECOND / 3),
        }
    }
}
