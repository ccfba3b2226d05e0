//! The server's clock of sessions: negotiated time-outs, buckets of ticks, touches, and how a follower hands them on (§3).
//!
//! All moments are nanoseconds on the server's own monotonic clock. A real server counts whole milliseconds; the
//! difference is below everything that is measured here.

use std::collections::{BTreeMap, BTreeSet};

/// Time-outs that a server grants (§3.1): with `tickTime` 500 ms from 1 s to 10 s (Z88).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granting {
    /// `tickTime`, in nanoseconds.
    pub tick: u64,
    /// `minSessionTimeout`.
    pub least: u64,
    /// `maxSessionTimeout`.
    pub most: u64,
}

impl Granting {
    /// The server's defaults: 2 to 20 ticks.
    ///
    /// # Panics
    /// When the tick is 0 or longer than a day.
    pub fn of_tick(tick: u64) -> Self {
        assert!((1..=super::duration::DAY).contains(&tick), "a tick is from a nanosecond to a day");
        Self { tick, least: 2 * tick, most: 20 * tick }
    }

    /// The time-out that a client gets that wishes for one.
    pub fn negotiate(&self, wished: u64) -> u64 {
        wished.clamp(self.least, self.most)
    }
}

/// What the tracker knows of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tracked {
    timeout: u64,
    /// End of the tick in which it expires unless it is touched; `None` once it is closing.
    bucket: Option<u64>,
}

/// The leader's (or the standalone server's) session tracker, `SessionTrackerImpl` over `ExpiryQueue` (§3.4).
///
/// A touched session is put into the bucket `((now + T) / tick + 1) × tick`, so a silent one dies later than T and no
/// later than T + tick after its last touch (Z93). Buckets are emptied one after another, each when its moment has come:
/// a server that slept through several finds them all due, and whether a session in a later one is saved by a ping that
/// waits in its socket is a race between two threads (Z121). So the buckets are given out one at a time.
#[derive(Clone, Debug)]
pub struct SessionTracker<S> {
    tick: u64,
    sessions: BTreeMap<S, Tracked>,
    /// Sessions by bucket; within one in the order of their ids.
    buckets: BTreeMap<u64, BTreeSet<S>>,
    /// The bucket that is emptied next.
    next: u64,
}

impl<S: Copy + Ord> SessionTracker<S> {
    /// A tracker without sessions, started at that moment.
    ///
    /// # Panics
    /// When the tick is 0.
    pub fn new(tick: u64, now: u64) -> Self {
        assert!(tick > 0, "a tick takes time");
        Self { tick, sessions: BTreeMap::new(), buckets: BTreeMap::new(), next: bucket(now, tick) }
    }

    /// A new leader, or the standalone server after a restart: every session that was known gets a fresh full time-out
    /// (Z118, Z120), also one whose end had begun but was not committed.
    pub fn restarted(&self, now: u64) -> Self {
        let mut fresh = Self::new(self.tick, now);
        for (session, tracked) in &self.sessions {
            fresh.add(*session, tracked.timeout, now);
        }
        fresh
    }

    /// A session opens, with its negotiated time-out.
    pub fn add(&mut self, session: S, timeout: u64, now: u64) {
        self.remove(session);
        self.sessions.insert(session, Tracked { timeout, bucket: None });
        self.put(session, now.saturating_add(timeout));
    }

    /// The session asks for something or pings. Answers whether it is known and not closing; only then does it live on.
    pub fn touch(&mut self, session: S, now: u64) -> bool {
        match self.sessions.get(&session) {
            Some(Tracked { timeout, bucket: Some(_) }) => {
                let until = now.saturating_add(*timeout);
                self.put(session, until);
                true
            }
            _ => false,
        }
    }

    /// The end of the session is applied, whoever asked for it.
    pub fn remove(&mut self, session: S) {
        if let Some(Tracked { bucket: Some(bucket), .. }) = self.sessions.remove(&session) {
            self.take_out(session, bucket);
        }
    }

    /// The sessions of the next bucket, if its moment has come: they are closing from now on. An empty answer means that
    /// nobody was in it; ask again until there is no answer.
    pub fn expire_next(&mut self, now: u64) -> Option<Vec<S>> {
        if now < self.next {
            return None;
        }
        let due = self.buckets.remove(&self.next).unwrap_or_default();
        self.next += self.tick;
        for session in &due {
            self.sessions.get_mut(session).expect("sessions of a bucket are tracked").bucket = None;
        }
        Some(due.into_iter().collect())
    }

    /// The moment at which the tracker has something to do: the next bucket with a session in it.
    pub fn wakes_at(&self) -> Option<u64> {
        self.buckets.first_key_value().map(|(bucket, _)| *bucket)
    }

    /// Skips the empty buckets up to the moment; a year of them is not worth a loop.
    pub fn skip_empty(&mut self, now: u64) {
        let due = self.wakes_at().unwrap_or(u64::MAX).min(bucket(now, self.tick));
        self.next = self.next.max(due);
    }

    /// When the session expires unless it is touched; `None` when it is closing or unknown.
    pub fn expires_at(&self, session: S) -> Option<u64> {
        self.sessions.get(&session)?.bucket
    }

    /// Whether the end of the session has begun and is not applied.
    pub fn is_closing(&self, session: S) -> bool {
        matches!(self.sessions.get(&session), Some(Tracked { bucket: None, .. }))
    }

    /// Whether the session is alive or closing.
    pub fn is_known(&self, session: S) -> bool {
        self.sessions.contains_key(&session)
    }

    /// Puts the session into the bucket of the moment.
    fn put(&mut self, session: S, until: u64) {
        // A bucket that was emptied already is not looked at again.
        let to = bucket(until, self.tick).max(self.next);
        let tracked = self.sessions.get_mut(&session).expect("a session is tracked before it is put into a bucket");
        let from = tracked.bucket.replace(to);
        if from != Some(to) {
            if let Some(from) = from {
                self.take_out(session, from);
            }
            self.buckets.entry(to).or_default().insert(session);
        }
    }

    fn take_out(&mut self, session: S, bucket: u64) {
        if let Some(sessions) = self.buckets.get_mut(&bucket) {
            sessions.remove(&session);
            if sessions.is_empty() {
                self.buckets.remove(&bucket);
            }
        }
    }
}

/// The end of the tick after the one in which the moment lies (`roundToNextInterval`).
fn bucket(moment: u64, tick: u64) -> u64 {
    (moment / tick).saturating_add(1).saturating_mul(tick)
}

/// A follower's note of the sessions that were touched at it, `LearnerSessionTracker` (§3.2). The leader asks every half
/// tick and counts a full time-out from the arrival of the answer; a follower that dies takes its note with it.
#[derive(Clone, Debug, Default)]
pub struct LearnerTouches<S> {
    touched: BTreeSet<S>,
}

impl<S: Copy + Ord> LearnerTouches<S> {
    /// An empty note.
    pub fn new() -> Self {
        Self { touched: BTreeSet::new() }
    }

    /// How often the leader pings its followers, for a tick: every half of one (`Leader.lead`).
    pub fn interval(tick: u64) -> u64 {
        tick / 2
    }

    /// A request or a ping of the session arrives at the follower.
    pub fn touch(&mut self, session: S) {
        self.touched.insert(session);
    }

    /// The leader's ping is answered: the sessions to be touched there.
    pub fn answer(&mut self) -> Vec<S> {
        std::mem::take(&mut self.touched).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::duration::{MILLISECOND, SECOND};

    const TICK: u64 = 500 * MILLISECOND;

    #[test]
    fn a_bucket_ends_after_the_time_out_and_within_a_tick_of_it() {
        for offset in 0..1_000 {
            let now = 7 * SECOND + offset * MILLISECOND;
            let mut tracker = SessionTracker::new(TICK, now);
            tracker.add(1, 2 * SECOND, now);
            let end = tracker.expires_at(1).unwrap();
            assert!(end > now + 2 * SECOND && end <= now + 2 * SECOND + TICK, "{offset}");
        }
    }

    #[test]
    fn a_bucket_is_given_out_once_and_its_sessions_are_closing() {
        let mut tracker = SessionTracker::new(TICK, 0);
        tracker.add('a', SECOND, 0);
        tracker.add('b', SECOND, 0);
        tracker.add('c', 10 * SECOND, 0);
        assert_eq!(tracker.wakes_at(), Some(3 * TICK));
        assert_eq!(tracker.expire_next(3 * TICK - 1), Some(vec![]), "the bucket at one tick");
        assert_eq!(tracker.expire_next(3 * TICK - 1), Some(vec![]), "the bucket at two ticks");
        assert_eq!(tracker.expire_next(3 * TICK - 1), None);
        assert_eq!(tracker.expire_next(3 * TICK), Some(vec!['a', 'b']));
        assert!(tracker.is_closing('a') && !tracker.touch('a', 3 * TICK));
        assert!(!tracker.is_closing('c') && tracker.touch('c', 3 * TICK));
        tracker.remove('a');
        assert!(!tracker.is_known('a') && tracker.is_known('b'));
    }

    #[test]
    fn a_touch_between_two_buckets_of_a_server_that_slept_saves_a_session() {
        let mut tracker = SessionTracker::new(TICK, 0);
        tracker.add('a', SECOND, 0);
        tracker.add('b', SECOND + TICK, 0);
        let woken = 10 * SECOND;
        tracker.skip_empty(0);
        let mut expired = Vec::new();
        while expired.is_empty() {
            expired = tracker.expire_next(woken).unwrap();
        }
        assert_eq!(expired, ['a']);
        assert!(tracker.touch('b', woken));
        while let Some(also) = tracker.expire_next(woken) {
            assert!(also.is_empty(), "b was touched in time");
        }
    }

    #[test]
    fn a_restart_gives_fresh_time_outs() {
        let mut tracker = SessionTracker::new(TICK, 0);
        tracker.add(1, 2 * SECOND, 0);
        let tracker = tracker.restarted(5 * SECOND);
        assert_eq!(tracker.expires_at(1), Some(7 * SECOND + TICK));
    }

    #[test]
    fn empty_buckets_are_skipped_and_full_ones_are_not() {
        let mut tracker = SessionTracker::new(TICK, 0);
        tracker.add(1, SECOND, 0);
        tracker.skip_empty(100 * SECOND);
        assert_eq!(tracker.expire_next(100 * SECOND), Some(vec![1]));
        tracker.skip_empty(100 * SECOND);
        assert_eq!(tracker.expire_next(100 * SECOND), None);
        assert_eq!(tracker.expire_next(100 * SECOND + TICK), Some(vec![]));
    }
}
