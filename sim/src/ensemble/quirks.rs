//! Faults of servers and client libraries that real ones had, for the worlds that show what they lead to.

/// What is wrong with the servers or the client library; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quirks {
    /// What an old leader had decided to expire is carried out by the new one, although its clients are alive there
    /// (etcd#15247; ZooKeeper grants fresh time-outs, §3.4).
    pub deposed_leader_expires: bool,
    /// A client that asks a follower for its session may go away before the answer, so that the question reaches the leader
    /// late. No quirk of the server's, but a fault that is rarely of interest.
    pub asks_and_leaves: bool,
    /// A write of a session that has moved is answered `SessionMoved`, and the connection stays (ZOOKEEPER-710).
    pub moved_keeps_connection: bool,
    /// What a connection sends right behind its closeSession is still taken (ZOOKEEPER-1208).
    pub close_checked_late: bool,
    /// A follower that synchronises claims the leader's zxid before it has what leads to it (ZOOKEEPER-2355).
    pub resync_trusts_zxid: bool,
    /// The client library takes the zxid in the header of an event, which is none, for the last one that it has seen
    /// (rust-zookeeper 49c272a).
    pub events_reset_zxid: bool,
}
