//! Faults of servers and client libraries that real ones had, for the worlds that show what they lead to.

/// What is wrong with the servers or the client library; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quirks {
    /// Sessions are expired by a deposed leader only: follower 1 has been the leader, was stalled while another one was elected,
    /// and its clock of sessions runs on until it notices. No quirk by itself: the situation of etcd#15247.
    pub deposed_leader: bool,
    /// What a deposed leader proposes is taken, although its term is over (etcd#15247; ZooKeeper's new leader refuses it, and has
    /// granted every session a fresh time-out, §3.4).
    pub old_terms_are_taken: bool,
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
