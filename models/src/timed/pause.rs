//! The pause question: how likely is it that a pause of a lock's holder gives two holders, for each session time-out?
//!
//! One sample is one pause of one holder (§3.7). A critical section's length is drawn, and the pause starts at a point of it
//! drawn evenly, when the holder has pinged for a while; the phase of its pings and that of the server's ticks are drawn too. The
//! server's tracker, the library's clock, latencies and pauses between attempts are those of the simulator. A waiter watches
//! the holder's node. Of the sample is asked:
//!
//! - does the session **expire**?
//! - are there **two believers**: is the waiter granted the lock before the holder ends its section or is told that its
//!   session is over? (A holder that stands still goes on believing.)
//! - are there **two writers** at a resource that checks no fencing token: does the holder, back from its pause, end its section
//!   with a write after the waiter was granted the lock, because nothing has told it yet?
//!
//! Every time-out is asked the same samples, so the curve is as smooth as the question is, and the seed alone decides it.

use std::fmt::Write;

use overtake_sim::clock::duration::{self, MILLISECOND, SECOND};
use overtake_sim::clock::{Alarm, ConnectionClock, Distribution, Rng, SessionTracker};

use super::timing::Timing;

/// The question.
#[derive(Clone, Debug)]
pub struct PauseQuestion {
    /// How long pauses are.
    pub pauses: Distribution,
    /// Latency, service, commit, work, waking, tick and library.
    pub timing: Timing,
    /// Pauses that are drawn.
    pub samples: u64,
    /// What decides them.
    pub seed: u64,
}

/// The answer for one session time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausePoint {
    /// The session time-out, in nanoseconds.
    pub timeout: u64,
    /// Pauses that were drawn.
    pub samples: u64,
    /// Pauses that cost the holder its session.
    pub expired: u64,
    /// Pauses that gave two believers.
    pub believers: u64,
    /// Pauses that gave two writers at an unfenced resource.
    pub writers: u64,
}

/// A share of samples with its 95 % confidence interval (Wilson 1927), which says something also where none was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The share that was seen.
    pub seen: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The share of `hits` in `samples`; at least one sample.
pub fn share(hits: u64, samples: u64) -> Share {
    // The 97.5th percentile of the standard normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    let (n, p) = (samples as f64, hits as f64 / samples as f64);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let (middle, scale) = (p + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
    let low = if hits == 0 { 0.0 } else { ((middle - spread) / scale).max(0.0) };
    Share { seen: p, low, high: ((middle + spread) / scale).min(1.0) }
}

/// What one pause did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseOutcome {
    /// The session expired.
    pub expired: bool,
    /// Two believed to hold the lock.
    pub believers: bool,
    /// Two wrote.
    pub writers: bool,
}

/// The session time-outs from one second to a minute, for tables and plots.
pub const TIMEOUTS: [u64; 10] = [
    SECOND,
    2 * SECOND,
    3 * SECOND,
    4 * SECOND,
    6 * SECOND,
    10 * SECOND,
    15 * SECOND,
    20 * SECOND,
    30 * SECOND,
    60 * SECOND,
];

impl PauseQuestion {
    /// The question for pauses of that distribution, over a local network with Java clients and a tick of half a second (so
    /// that time-outs from one second on can be had; those above ten seconds need a raised `maxSessionTimeout`).
    pub fn about(pauses: Distribution, samples: u64, seed: u64) -> Self {
        let timing = Timing { tick: 500 * MILLISECOND, ..Timing::default() };
        Self { pauses, timing, samples, seed }
    }

    /// A heavy tail as garbage collectors have it: most pauses some ten milliseconds, one in two thousand above six seconds.
    pub fn heavy_tailed(samples: u64, seed: u64) -> Self {
        Self::about("pareto:10ms,1.2,cap=120s".parse().expect("a distribution"), samples, seed)
    }

    /// The answers, one for each time-out.
    ///
    /// # Panics
    /// When there are no samples, or a time-out is 0.
    pub fn answer(&self, timeouts: &[u64]) -> Vec<PausePoint> {
        assert!(self.samples > 0, "a share of no samples says nothing");
        let rng = Rng::new(self.seed);
        let point = |&timeout: &u64| {
            assert!(timeout > 0, "a session has a time-out");
            let mut point = PausePoint { timeout, samples: self.samples, expired: 0, believers: 0, writers: 0 };
            for number in 0..self.samples {
                let mut rng = rng.fork(number);
                let length = self.pauses.sample(&mut rng);
                let outcome = pause(&self.timing, timeout, length, &mut rng);
                point.expired += u64::from(outcome.expired);
                point.believers += u64::from(outcome.believers);
                point.writers += u64::from(outcome.writers);
            }
            point
        };
        timeouts.iter().map(point).collect()
    }
}

/// One pause of that length of a lock's holder whose session has that time-out.
pub fn pause(timing: &Timing, timeout: u64, length: u64, rng: &mut Rng) -> PauseOutcome {
    // A quiet library pings in turns; the pause falls anywhere between two pings.
    let mut moments = |distribution: &Distribution| distribution.sample(rng);
    let (latency, back, commit) = (moments(&timing.latency), moments(&timing.latency), moments(&timing.commit));
    let (told, asks, answers) = (moments(&timing.latency), moments(&timing.latency), moments(&timing.latency));
    let (service, waking) = (moments(&timing.service), moments(&timing.waking));
    let (thread, section) = (moments(&timing.waking), moments(&timing.work));
    let rest = section - if section == 0 { 0 } else { rng.below(section) };
    let origin = rng.below(timing.tick);
    let mut connection = ConnectionClock::connected(timing.library, timeout, 1, origin, rng);
    let cycle = connection.next_alarm().map_or(0, |alarm| alarm - origin);
    let pinged = origin + cycle;
    connection.wake(pinged, rng);
    connection.hears(pinged + latency + back);
    let start = pinged + latency + back + rng.below(cycle.max(1));
    let mut tracker = SessionTracker::new(timing.tick, 0);
    tracker.add((), timeout, pinged + latency);
    // Pings that are due before the pause starts are sent.
    while let Some(alarm) = connection.next_alarm().filter(|alarm| *alarm <= start) {
        if connection.wake(alarm, rng) != Some(Alarm::Ping) {
            break;
        }
        tracker.touch((), alarm + latency);
        if alarm + latency + back <= start {
            connection.hears(alarm + latency + back);
        }
    }
    let expiry = tracker.expires_at(()).expect("a session that nobody has ended");
    let woken = start + length;
    // The library wakes: it pings at once, or it has to connect again, or it has given the session up.
    let runs = woken + waking;
    let mut expires_itself = false;
    let (reaches, hears) = if runs > expiry + commit + back {
        // The server has closed the connection meanwhile.
        connection.drops(runs);
        let attempt = runs + connection.pause_before_attempt(rng);
        (attempt + 3 * latency, attempt + 3 * latency + back)
    } else {
        match connection.wake(runs, rng) {
            None | Some(Alarm::Ping) => (runs + latency, u64::MAX),
            Some(Alarm::Silent) => {
                let attempt = runs + connection.pause_before_attempt(rng);
                (attempt + 3 * latency, attempt + 3 * latency + back)
            }
            Some(Alarm::LocalExpiry) => {
                expires_itself = true;
                (u64::MAX, runs)
            }
        }
    };
    if reaches < expiry && !expires_itself {
        return PauseOutcome::default();
    }
    // A ping that comes too late is answered with the end of the connection, once the end is applied.
    let knows = if hears == u64::MAX {
        let closed = (expiry + commit + back).max(runs);
        closed + connection.pause_before_attempt(rng) + 3 * latency + back
    } else {
        hears
    };
    let knows =
        connection.next_alarm().filter(|_| !connection.is_connected()).map_or(knows, |own| knows.min(own.max(runs)));
    let granted = expiry + commit + told + asks + service + answers;
    // The pause takes nothing off the section, but a section that ends with the pause ends after it.
    let ends = woken + thread + rest;
    PauseOutcome { expired: true, believers: granted < ends.min(knows), writers: granted < ends && ends < knows }
}

/// The answers as a table in Markdown, with their confidence intervals.
pub fn table(points: &[PausePoint]) -> String {
    let mut text =
        String::from("| session time-out | session lost | two believers | two writers |\n|---|---|---|---|\n");
    for point in points {
        let cell = |hits: u64| {
            let share = share(hits, point.samples);
            format!("{:.2e} ({:.1e} to {:.1e})", share.seen, share.low, share.high)
        };
        let (expired, believers, writers) = (cell(point.expired), cell(point.believers), cell(point.writers));
        let _ = writeln!(text, "| {} | {expired} | {believers} | {writers} |", duration::text(point.timeout));
    }
    text
}
