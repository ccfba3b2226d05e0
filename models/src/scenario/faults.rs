//! How many faults of each kind a scenario allows.

use super::Scenario;

impl Scenario {
    /// Followers that may fall out and synchronise again.
    pub fn resyncs(mut self, most: u8) -> Self {
        self.budget.resyncs = most;
        self
    }

    /// Sessions of living clients that may expire.
    pub fn expiries(mut self, most: u8) -> Self {
        self.budget.expiries = most;
        self
    }

    /// Connections that may break.
    pub fn disconnects(mut self, most: u8) -> Self {
        self.budget.disconnects = most;
        self
    }

    /// Processes that may die.
    pub fn crashes(mut self, most: u8) -> Self {
        self.budget.crashes = most;
        self
    }

    /// Dead processes that may start again.
    pub fn restarts(mut self, most: u8) -> Self {
        self.budget.restarts = most;
        self
    }

    /// Calls that may be interrupted.
    pub fn interrupts(mut self, most: u8) -> Self {
        self.budget.interrupts = most;
        self
    }

    /// Empty containers that may be swept away.
    pub fn sweeps(mut self, most: u8) -> Self {
        self.budget.sweeps = most;
        self
    }

    /// Changes of the leader, or restarts of the only server: every connection breaks, sessions get a fresh time-out.
    pub fn elections(mut self, most: u8) -> Self {
        self.budget.elections = most;
        self
    }

    /// Keys with an expiration that may expire.
    pub fn key_expiries(mut self, most: u8) -> Self {
        self.budget.key_expiries = most;
        self
    }

    /// Keys that may be evicted.
    pub fn evictions(mut self, most: u8) -> Self {
        self.budget.evictions = most;
        self
    }

    /// Calls to a store whose caller may get no answer: the call is lost, or arrives later, or its answer is lost.
    pub fn timeouts(mut self, most: u8) -> Self {
        self.budget.timeouts = most;
        self
    }

    /// Calls to a store that may arrive twice.
    pub fn duplicates(mut self, most: u8) -> Self {
        self.budget.duplicates = most;
        self
    }

    /// Nodes of a store that may be lost.
    pub fn node_losses(mut self, most: u8) -> Self {
        self.budget.node_losses = most;
        self
    }

    /// Lost nodes that may come back with what they had.
    pub fn node_returns(mut self, most: u8) -> Self {
        self.budget.node_returns = most;
        self
    }

    /// Nodes of a store that may start again, empty.
    pub fn node_restarts(mut self, most: u8) -> Self {
        self.budget.node_restarts = most;
        self
    }

    /// Messages that may be delivered again.
    pub fn redeliveries(mut self, most: u8) -> Self {
        self.budget.redeliveries = most;
        self
    }
}
