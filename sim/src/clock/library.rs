//! The clocks of client libraries, side by side (§3.3, §5.8). T is the negotiated session time-out.
//!
//! | library | silent for … is dead | connect within | ping | between attempts | expires itself |
//! | --- | --- | --- | --- | --- | --- |
//! | Java 3.8 | 2T/3 | T / hosts | T/3 after sending, a second earlier once a second has passed | 0–1 s, and 1 s a round | never |
//! | Java 3.9.3 | 2T/3 | T / hosts | the same | the same | 4T/3 after it heard the server last |
//! | Curator | 2T/3 | T / hosts | the same | the same | T after it was suspended |
//! | kazoo | 2T/3, or an unanswered ping when the next is due | T / hosts | T/3 after sending, less 0.01–0.4 s | back-off from 0.1 s | never |
//! | C | 2T/3 | T/3 | T/3 after sending | T/60 a round | never |
//! | Rust (kezhuw) | 2T/5 | 2T/5 | 3T/20 after sending, at most 10 s | back-off from 0.1 s | 7T/5 after it heard the server last |
//!
//! Sources: ClientCnxn.java (3.8, 3.9.3: ZOOKEEPER-4508), ConnectionStateManager.java (Curator),
//! kazoo/protocol/connection.py, zookeeper.c (`zookeeper_interest`), src/session/mod.rs (`reset_timeout`).

use super::duration::{MILLISECOND, SECOND};
use super::rng::Rng;

/// A part of the session time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part(pub u64, pub u64);

impl Part {
    /// That part of a length of time.
    pub const fn of(self, timeout: u64) -> u64 {
        (timeout as u128 * self.0 as u128 / self.1 as u128) as u64
    }
}

/// How long an attempt to connect may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connecting {
    /// T divided by the number of hosts.
    PerHost,
    /// A part of T.
    Within(Part),
}

/// When a ping is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinging {
    /// `SendThread.run`: T/3 after the last send, less one second once more than one has passed; looked at whenever the
    /// thread wakes, and at once where 10 s have passed.
    Java,
    /// T/3 after the last send, less 0.01 to 0.4 s at random.
    Kazoo,
    /// A part of T after the last send, at most 10 s.
    After(Part),
}

/// How long the library waits between attempts to connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// 0 to 1 s at random before each attempt, and one more second after each round through the hosts.
    Java,
    /// Nothing within a round, a part of T after each.
    AfterRound(Part),
    /// 0.1 s, doubled with each attempt up to 60 s, each time spread by 40 % either way.
    BackOff,
}

/// Whether a library declares its session over without being told by a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalExpiry {
    /// Only a server can say it.
    Never,
    /// That part of T after the last byte from a server.
    AfterSilence(Part),
    /// That part of T after the library told of the lost connection.
    AfterSuspension(Part),
}

/// The clock of a client library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// The name, as it is typed.
    pub name: &'static str,
    /// The connection is dropped after so long without hearing anything.
    pub read: Part,
    /// How long an attempt to connect may take.
    pub connecting: Connecting,
    /// When a ping is due.
    pub pinging: Pinging,
    /// Whether a ping without its answer when the next one is due also drops the connection.
    pub unanswered_ping_drops: bool,
    /// The pause between attempts.
    pub between: Between,
    /// Whether it expires by itself.
    pub local_expiry: LocalExpiry,
    /// Whether it registers its watches again on reconnecting.
    pub resends_watches: bool,
}

/// The Java client of 3.8.
pub const JAVA: Library = Library {
    name: "java",
    read: Part(2, 3),
    connecting: Connecting::PerHost,
    pinging: Pinging::Java,
    unanswered_ping_drops: false,
    between: Between::Java,
    local_expiry: LocalExpiry::Never,
    resends_watches: true,
};

/// The Java client from 3.9.3 on.
pub const JAVA_3_9_3: Library =
    Library { name: "java-3.9.3", local_expiry: LocalExpiry::AfterSilence(Part(4, 3)), ..JAVA };

/// Curator over the Java client of 3.8.
pub const CURATOR: Library =
    Library { name: "curator", local_expiry: LocalExpiry::AfterSuspension(Part(1, 1)), ..JAVA };

/// kazoo, of Python.
pub const KAZOO: Library = Library {
    name: "kazoo",
    pinging: Pinging::Kazoo,
    unanswered_ping_drops: true,
    between: Between::BackOff,
    resends_watches: false,
    ..JAVA
};

/// The C client.
pub const C: Library = Library {
    name: "c",
    connecting: Connecting::Within(Part(1, 3)),
    pinging: Pinging::After(Part(1, 3)),
    between: Between::AfterRound(Part(1, 60)),
    ..JAVA
};

/// The Rust client of kezhuw.
pub const RUST: Library = Library {
    name: "rust",
    read: Part(2, 5),
    connecting: Connecting::Within(Part(2, 5)),
    pinging: Pinging::After(Part(3, 20)),
    unanswered_ping_drops: false,
    between: Between::BackOff,
    local_expiry: LocalExpiry::AfterSilence(Part(7, 5)),
    resends_watches: true,
};

/// All of them.
pub const LIBRARIES: [&Library; 6] = [&JAVA, &JAVA_3_9_3, &CURATOR, &KAZOO, &C, &RUST];

/// The longest time without a send that Java and Rust allow themselves.
const LONGEST_WITHOUT_PING: u64 = 10 * SECOND;

impl Library {
    /// The library of that name.
    ///
    /// # Errors
    /// A sentence with the names that there are.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        LIBRARIES.into_iter().find(|library| library.name == name).ok_or_else(|| {
            let names: Vec<&str> = LIBRARIES.iter().map(|library| library.name).collect();
            format!("{name:?} is no client library; there are {}", names.join(", "))
        })
    }

    /// How long an attempt to connect may take, with a time-out and a number of hosts.
    pub fn connect_timeout(&self, timeout: u64, hosts: u64) -> u64 {
        match self.connecting {
            Connecting::PerHost => timeout / hosts.max(1),
            Connecting::Within(part) => part.of(timeout),
        }
    }

    /// How long after the last send the next ping is due, for a thread that nothing else wakes.
    pub fn ping_after(&self, timeout: u64, rng: &mut Rng) -> u64 {
        match self.pinging {
            Pinging::Java => timeout / 3,
            Pinging::Kazoo => {
                let jitter = (1 + rng.below(40)) * 10 * MILLISECOND;
                (timeout / 3).saturating_sub(jitter).max(jitter)
            }
            Pinging::After(part) => part.of(timeout).min(LONGEST_WITHOUT_PING),
        }
    }

    /// Whether a thread that something wakes sends a ping although its own alarm has not come: only Java's does, a
    /// second early (`timeToNextPing`), or after 10 s.
    pub fn pings_early(&self, timeout: u64, since_sent: u64) -> bool {
        self.pinging == Pinging::Java
            && (since_sent > LONGEST_WITHOUT_PING
                || since_sent > SECOND && since_sent + SECOND >= timeout / 3
                || since_sent >= timeout / 3)
    }

    /// The pause before an attempt to connect; `attempt` counts from 0 since the connection was lost.
    pub fn pause_before(&self, attempt: u32, timeout: u64, hosts: u64, rng: &mut Rng) -> u64 {
        let round_is_over = attempt > 0 && u64::from(attempt).is_multiple_of(hosts.max(1));
        match self.between {
            Between::Java => rng.below(1_000) * MILLISECOND + if round_is_over { SECOND } else { 0 },
            Between::AfterRound(part) if round_is_over => part.of(timeout),
            Between::AfterRound(_) => 0,
            Between::BackOff => {
                let delay = ((100 * MILLISECOND) << attempt.min(20)).min(60 * SECOND);
                delay * 3 / 5 + rng.below(delay * 4 / 5 + 1)
            }
        }
    }

    /// When the library expires its session by itself: `heard` is when it heard the server last, `suspended` when it
    /// told of the lost connection.
    pub fn expires_itself_at(&self, timeout: u64, heard: u64, suspended: u64) -> Option<u64> {
        match self.local_expiry {
            LocalExpiry::Never => None,
            LocalExpiry::AfterSilence(part) => Some(heard.saturating_add(part.of(timeout))),
            LocalExpiry::AfterSuspension(part) => Some(suspended.saturating_add(part.of(timeout))),
        }
    }
}
