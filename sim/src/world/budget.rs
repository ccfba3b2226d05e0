//! The faults that may still happen, as one word of a state.

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
}

impl Fault {
    /// All kinds, in the order of their place in a state.
    pub const ALL: [Self; 8] = [
        Self::Expiry,
        Self::Disconnect,
        Self::Crash,
        Self::Restart,
        Self::Interrupt,
        Self::Sweep,
        Self::Election,
        Self::Resync,
    ];

    /// As traces and options name it: the plural.
    pub fn name(self) -> &'static str {
        Budget::KINDS[self as usize]
    }

    /// One of it, for sentences.
    pub fn singular(self) -> &'static str {
        ["expiry", "disconnect", "crash", "restart", "interrupt", "sweep", "election", "resync"][self as usize]
    }

    /// How many are left in a packed budget.
    #[inline]
    pub(super) fn left(self, word: u32) -> u32 {
        word >> (4 * self as u32) & 15
    }

    /// Takes one off a packed budget.
    #[inline]
    pub(super) fn spend(self, word: &mut u32) {
        debug_assert!(self.left(*word) > 0, "no {} left", self.name());
        *word -= 1 << (4 * self as u32);
    }
}

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
}

impl Budget {
    /// The names of the kinds, in the order of [`Fault::ALL`].
    pub const KINDS: [&str; 8] =
        ["expiries", "disconnects", "crashes", "restarts", "interrupts", "sweeps", "elections", "resyncs"];

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
            Fault::Expiry => &mut self.expiries,
            Fault::Disconnect => &mut self.disconnects,
            Fault::Crash => &mut self.crashes,
            Fault::Restart => &mut self.restarts,
            Fault::Interrupt => &mut self.interrupts,
            Fault::Sweep => &mut self.sweeps,
            Fault::Election => &mut self.elections,
            Fault::Resync => &mut self.resyncs,
        }
    }

    /// As one word of a state.
    ///
    /// # Panics
    /// When a kind is above [`Budget::MOST`].
    pub fn pack(self) -> u32 {
        self.iter().fold(0, |word, (fault, n)| {
            assert!(n <= Self::MOST, "a fault budget is at most {}", Self::MOST);
            word | u32::from(n) << (4 * fault as u32)
        })
    }

    /// From one word of a state.
    pub fn unpack(word: u32) -> Self {
        Fault::ALL.into_iter().fold(Self::default(), |budget, fault| budget.with(fault, fault.left(word) as u8))
    }
}
