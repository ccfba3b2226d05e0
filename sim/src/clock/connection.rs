//! The I/O thread of a client library: when it pings, when it gives a silent connection up, and when it gives up the session.

use super::library::Library;
use super::rng::Rng;

/// What the thread finds to do when it wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alarm {
    /// A ping is to be sent.
    Ping,
    /// The connection was silent for too long: it is dropped, and the program is told Disconnected.
    Silent,
    /// The library declares its session over: the program is told Expired.
    LocalExpiry,
}

/// The clock of one connection. All moments are nanoseconds on the client's own monotonic clock. Whoever drives it calls
/// [`wake`](Self::wake) at [`next_alarm`](Self::next_alarm), and tells it of everything sent and heard.
#[derive(Clone, Debug)]
pub struct ConnectionClock {
    library: &'static Library,
    timeout: u64,
    hosts: u64,
    sent: u64,
    heard: u64,
    /// When the next ping is due unless something is sent before.
    ping_at: u64,
    /// A ping is out without its answer.
    unanswered: bool,
    /// When the program was told that the connection is lost; `None` while it is connected.
    suspended: Option<u64>,
    attempts: u32,
}

impl ConnectionClock {
    /// A connection that was just established, with its negotiated session time-out and the number of hosts known.
    pub fn connected(library: &'static Library, timeout: u64, hosts: u64, now: u64, rng: &mut Rng) -> Self {
        let mut clock = Self {
            library,
            timeout,
            hosts,
            sent: now,
            heard: now,
            ping_at: now,
            unanswered: false,
            suspended: None,
            attempts: 0,
        };
        clock.sends(now, rng);
        clock
    }

    /// The library.
    pub fn library(&self) -> &'static Library {
        self.library
    }

    /// The session time-out.
    pub fn timeout(&self) -> u64 {
        self.timeout
    }

    /// When it heard the server last.
    pub fn heard_at(&self) -> u64 {
        self.heard
    }

    /// Whether the library takes itself for connected.
    pub fn is_connected(&self) -> bool {
        self.suspended.is_none()
    }

    /// Something is sent.
    pub fn sends(&mut self, now: u64, rng: &mut Rng) {
        self.sent = now;
        self.ping_at = now.saturating_add(self.library.ping_after(self.timeout, rng));
    }

    /// Something arrives from the server. Answers whether the thread, being awake, sends a ping too.
    pub fn hears(&mut self, now: u64) -> bool {
        self.heard = self.heard.max(now);
        self.unanswered = false;
        self.library.pings_early(self.timeout, now.saturating_sub(self.sent))
    }

    /// When the thread wakes by itself; `None` when it waits for nothing but an attempt to connect.
    pub fn next_alarm(&self) -> Option<u64> {
        match self.suspended {
            None => Some(self.ping_at.min(self.silent_at())),
            Some(suspended) => self.library.expires_itself_at(self.timeout, self.heard, suspended),
        }
    }

    fn silent_at(&self) -> u64 {
        self.heard.saturating_add(self.library.read.of(self.timeout))
    }

    /// The thread wakes, perhaps late because the process stood still, and finds at most one thing to do. A ping is sent
    /// by this call already ([`sends`](Self::sends)), a dropped connection is noted.
    pub fn wake(&mut self, now: u64, rng: &mut Rng) -> Option<Alarm> {
        if let Some(suspended) = self.suspended {
            let over = self.library.expires_itself_at(self.timeout, self.heard, suspended)?;
            return (now >= over).then_some(Alarm::LocalExpiry);
        }
        // A library that may expire the session looks at that first (Java 3.9.3: `expiration` before `to`).
        if let Some(over) = self.library.expires_itself_at(self.timeout, self.heard, u64::MAX)
            && now >= over
        {
            return Some(Alarm::LocalExpiry);
        }
        let ping_is_due = now >= self.ping_at;
        if now >= self.silent_at() || ping_is_due && self.unanswered && self.library.unanswered_ping_drops {
            self.drops(now);
            return Some(Alarm::Silent);
        }
        if ping_is_due {
            self.sends(now, rng);
            self.unanswered = true;
            return Some(Alarm::Ping);
        }
        None
    }

    /// The connection is lost: by silence, or because it was closed under the library.
    pub fn drops(&mut self, now: u64) {
        self.suspended = Some(now);
        self.attempts = 0;
        self.unanswered = false;
    }

    /// How long the library waits before its next attempt to connect.
    pub fn pause_before_attempt(&mut self, rng: &mut Rng) -> u64 {
        let pause = self.library.pause_before(self.attempts, self.timeout, self.hosts, rng);
        self.attempts += 1;
        pause
    }

    /// How long an attempt to connect may take.
    pub fn connect_timeout(&self) -> u64 {
        self.library.connect_timeout(self.timeout, self.hosts)
    }

    /// A server has answered and the session goes on, perhaps with another time-out (§3.1).
    pub fn reconnected(&mut self, timeout: u64, now: u64, rng: &mut Rng) {
        *self = Self::connected(self.library, timeout, self.hosts, now, rng);
    }
}
