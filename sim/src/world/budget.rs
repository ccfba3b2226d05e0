//! The faults that may still happen, as two words: one of a state, one of its stores.

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A session expires although its client is alive.
    Expiry,
    /// A connection breaks.
    Disconnect,
    /// A process dies.
    Crash,
    /// A dead process starts again, with a new session.
    Restart,
    /// A call is interrupted.
    Interrupt,
    /// The server sweeps an empty container away.
    Sweep,
    /// The leader changes, or the only server restarts: every connection breaks, sessions get a fresh time-out (§3.4).
    Election,
    /// A follower falls out and synchronises again with the leader.
    Resync,
    /// A key with an expiration expires.
    KeyExpiry,
    /// A key is evicted although it has not expired.
    Eviction,
    /// A caller gets no answer: the call, or its answer, is lost, or the call arrives later.
    Timeout,
    /// A call arrives twice.
    Duplicate,
    /// A node of a hash table, or the primary of a document store, is lost.
    NodeLoss,
    /// A lost node comes back with what it had.
    NodeReturn,
    /// A node of a hash table starts again, empty.
    NodeRestart,
    /// A message that a consumer has not acknowledged is delivered again.
    Redelivery,
}

use Fault::*;

impl Fault {
    /// All kinds, in the order of their place in a state.
    pub const ALL: [Self; 16] = [
        Expiry,
        Disconnect,
        Crash,
        Restart,
        Interrupt,
        Sweep,
        Election,
        Resync,
        KeyExpiry,
        Eviction,
        Timeout,
        Duplicate,
        NodeLoss,
        NodeReturn,
        NodeRestart,
        Redelivery,
    ];

    /// As traces and options name it: the plural.
    pub fn name(self) -> &'static str {
        Budget::KINDS[self as usize]
    }

    /// One of it, for sentences.
    pub fn singular(self) -> &'static str {
        match self {
            Expiry => "expiry",
            Disconnect => "disconnect",
            Crash => "crash",
            Restart => "restart",
            Interrupt => "interrupt",
            Sweep => "sweep",
            Election => "election",
            Resync => "resync",
            KeyExpiry => "key-expiry",
            Eviction => "eviction",
            Timeout => "timeout",
            Duplicate => "duplicate",
            NodeLoss => "node-loss",
            NodeReturn => "node-return",
            NodeRestart => "node-restart",
            Redelivery => "redelivery",
        }
    }

    /// Whether its budget is in the stores' word.
    #[inline]
    pub fn is_of_stores(self) -> bool {
        self as u32 >= PER_WORD
    }

    /// How many are left in the packed budget that it is in.
    #[inline]
    pub(super) fn left(self, word: u32) -> u32 {
        word >> (4 * (self as u32 % PER_WORD)) & 15
    }

    /// Takes one off the packed budget that it is in.
    #[inline]
    pub(super) fn spend(self, word: &mut u32) {
        debug_assert!(self.left(*word) > 0, "no {} left", self.name());
        *word -= 1 << (4 * (self as u32 % PER_WORD));
    }
}

/// Kinds in one word.
const PER_WORD: u32 = 8;

/// How many faults of each kind may still happen. Each kind is bounded by 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Sessions that expire although their client is alive.
    pub expiries: u8,
    /// Connections that break.
    pub disconnects: u8,
    /// Processes that die.
    pub crashes: u8,
    /// Dead processes that start again, with a new session.
    pub restarts: u8,
    /// Calls that are interrupted.
    pub interrupts: u8,
    /// Empty containers that the server sweeps away.
    pub sweeps: u8,
    /// Changes of the leader, or restarts of the only server.
    pub elections: u8,
    /// Followers that fall out and synchronise again.
    pub resyncs: u8,
    /// Keys with an expiration that expire.
    pub key_expiries: u8,
    /// Keys that are evicted.
    pub evictions: u8,
    /// Calls whose caller gets no answer.
    pub timeouts: u8,
    /// Calls that arrive twice.
    pub duplicates: u8,
    /// Nodes that are lost.
    pub node_losses: u8,
    /// Lost nodes that come back with what they had.
    pub node_returns: u8,
    /// Nodes that start again, empty.
    pub node_restarts: u8,
    /// Messages that are delivered again.
    pub redeliveries: u8,
}

impl Budget {
    /// The names of the kinds, in the order of [`Fault::ALL`].
    pub const KINDS: [&str; 16] = [
        "expiries",
        "disconnects",
        "crashes",
        "restarts",
        "interrupts",
        "sweeps",
        "elections",
        "resyncs",
        "key-expiries",
        "evictions",
        "timeouts",
        "duplicates",
        "node-losses",
        "node-returns",
        "node-restarts",
        "redeliveries",
    ];

    /// No faults.
    pub const NONE: Self = Self {
        expiries: 0,
        disconnects: 0,
        crashes: 0,
        restarts: 0,
        interrupts: 0,
        sweeps: 0,
        elections: 0,
        resyncs: 0,
        key_expiries: 0,
        evictions: 0,
        timeouts: 0,
        duplicates: 0,
        node_losses: 0,
        node_returns: 0,
        node_restarts: 0,
        redeliveries: 0,
    };

    /// Most faults of one kind.
    pub const MOST: u8 = 15;

    /// Number of faults of the kind.
    pub fn get(&self, fault: Fault) -> u8 {
        let mut copy = *self;
        *copy.field(fault)
    }

    /// The same with another number of faults of the kind.
    pub fn with(mut self, fault: Fault, n: u8) -> Self {
        *self.field(fault) = n;
        self
    }

    /// Each kind with its number.
    pub fn iter(self) -> impl Iterator<Item = (Fault, u8)> {
        Fault::ALL.into_iter().map(move |fault| (fault, self.get(fault)))
    }

    fn field(&mut self, fault: Fault) -> &mut u8 {
        match fault {
            Expiry => &mut self.expiries,
            Disconnect => &mut self.disconnects,
            Crash => &mut self.crashes,
            Restart => &mut self.restarts,
            Interrupt => &mut self.interrupts,
            Sweep => &mut self.sweeps,
            Election => &mut self.elections,
            Resync => &mut self.resyncs,
            KeyExpiry => &mut self.key_expiries,
            Eviction => &mut self.evictions,
            Timeout => &mut self.timeouts,
            Duplicate => &mut self.duplicates,
            NodeLoss => &mut self.node_losses,
            NodeReturn => &mut self.node_returns,
            NodeRestart => &mut self.node_restarts,
            Redelivery => &mut self.redeliveries,
        }
    }

    /// As a word of a state, and the word of its stores.
    ///
    /// # Panics
    /// When a kind is above [`Budget::MOST`].
    pub fn pack(self) -> [u32; 2] {
        let mut words = [0; 2];
        for (fault, n) in self.iter() {
            assert!(n <= Self::MOST, "a fault budget is at most {}", Self::MOST);
            words[usize::from(fault.is_of_stores())] |= u32::from(n) << (4 * (fault as u32 % PER_WORD));
        }
        words
    }

    /// From a word of a state and the word of its stores.
    pub fn unpack(words: [u32; 2]) -> Self {
        Fault::ALL.into_iter().fold(Self::default(), |budget, fault| {
            budget.with(fault, fault.left(words[usize::from(fault.is_of_stores())]) as u8)
        })
    }
}
