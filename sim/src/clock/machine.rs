//! The clock of a machine: how its readings differ from true time, and when its processes stand still.

use super::duration::LONGEST;

/// Parts of a million: the unit of drift.
const MILLION: u128 = 1_000_000;
/// Most drift, in parts of a million. Quartz is off by tens, a bad virtual machine by hundreds.
pub const MOST_DRIFT: i32 = 100_000;

/// A machine's clocks. True time counts nanoseconds from the start of the run.
///
/// Time-outs run on the monotonic clock (`System.nanoTime`), so only drift matters to them; the wall clock, with its skew
/// and its jumps, ends up in `ctime` and `mtime` and decides nothing at a server (§4.4, 11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineClock {
    /// How many parts of a million the clock runs fast (or slow, below 0).
    drift: i32,
    /// What the wall clock is ahead by (or behind, below 0) beside drift, in nanoseconds.
    skew: i64,
    /// The moment in true time up to which every process of the machine stands still.
    paused_until: u64,
}

impl Default for MachineClock {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl MachineClock {
    /// A clock with that drift (parts of a million) and that skew (nanoseconds).
    ///
    /// # Panics
    /// When the drift is more than [`MOST_DRIFT`] either way.
    pub fn new(drift: i32, skew: i64) -> Self {
        assert!(drift.abs() <= MOST_DRIFT, "a clock drifts by at most {MOST_DRIFT} parts of a million");
        Self { drift, skew, paused_until: 0 }
    }

    /// Ticks of this clock in a million nanoseconds of true time.
    fn rate(&self) -> u128 {
        (MILLION as i128 + i128::from(self.drift)) as u128
    }

    /// What the monotonic clock reads at a moment of true time.
    pub fn reading(&self, moment: u64) -> u64 {
        (u128::from(moment) * self.rate() / MILLION).min(u128::from(u64::MAX)) as u64
    }

    /// The first moment of true time at which the monotonic clock reads at least that.
    pub fn moment(&self, reading: u64) -> u64 {
        (u128::from(reading) * MILLION).div_ceil(self.rate()).min(u128::from(u64::MAX)) as u64
    }

    /// What the wall clock reads at a moment of true time, in nanoseconds since the start.
    pub fn wall(&self, moment: u64) -> i64 {
        (self.reading(moment).min(i64::MAX as u64) as i64).saturating_add(self.skew)
    }

    /// The wall clock is set: it jumps by that many nanoseconds. The monotonic clock does not notice.
    pub fn jump(&mut self, by: i64) {
        self.skew = self.skew.saturating_add(by);
    }

    /// Every process of the machine stands still from now for that long (a Full GC, SIGSTOP, a migrated virtual machine).
    /// The clocks go on, and so does the kernel: its sockets stay open and take what arrives (§3.7). A pause inside
    /// another does not add to it.
    pub fn pause(&mut self, now: u64, length: u64) {
        self.paused_until = self.paused_until.max(now.saturating_add(length.min(LONGEST)));
    }

    /// The processes go on at once, whatever pause they are in.
    pub fn resume(&mut self) {
        self.paused_until = 0;
    }

    /// Whether the machine stands still at the moment.
    pub fn is_paused(&self, now: u64) -> bool {
        now < self.paused_until
    }

    /// When something that is due at the moment can really run.
    pub fn runs_at(&self, moment: u64) -> u64 {
        moment.max(self.paused_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::duration::{DAY, SECOND};

    #[test]
    fn drift_adds_up() {
        let fast = MachineClock::new(100, 0);
        assert_eq!(fast.reading(DAY), DAY + DAY / 10_000);
        assert_eq!(fast.reading(fast.moment(DAY)), DAY);
        let slow = MachineClock::new(-250_000 / 10, 0);
        assert!(slow.moment(SECOND) > SECOND);
    }

    #[test]
    fn a_moment_is_the_first_with_its_reading() {
        for drift in [-MOST_DRIFT, -37, 0, 1, 999, MOST_DRIFT] {
            let clock = MachineClock::new(drift, 0);
            for reading in [0, 1, 2, 999_999, 1_000_001, 123_456_789_012] {
                let moment = clock.moment(reading);
                assert!(clock.reading(moment) >= reading, "{drift} {reading}");
                assert!(moment == 0 || clock.reading(moment - 1) < reading, "{drift} {reading}");
            }
        }
    }

    #[test]
    fn the_wall_clock_may_jump_and_the_monotonic_one_does_not() {
        let mut clock = MachineClock::new(0, -5);
        assert_eq!((clock.wall(3), clock.reading(3)), (-2, 3));
        clock.jump(-100);
        assert_eq!((clock.wall(10), clock.reading(10)), (-95, 10));
    }

    #[test]
    fn pauses_inside_pauses_do_not_add_up() {
        let mut clock = MachineClock::default();
        clock.pause(10, 100);
        clock.pause(20, 30);
        assert_eq!((clock.runs_at(15), clock.runs_at(110), clock.runs_at(200)), (110, 110, 200));
        assert!(clock.is_paused(109) && !clock.is_paused(110));
    }
}
