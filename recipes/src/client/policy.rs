//! Whether a call that failed is made again, and after which pause: the rules of the field's libraries, as pure functions.

use std::time::Duration;

use crate::ZkError;

/// What is known when a call has failed once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// How often the call has been repeated already, from 0.
    pub count: u32,
    /// Time since the call was first made, measured before the pause that is asked for.
    pub elapsed: Duration,
    /// The last pause; zero before the first.
    pub paused: Duration,
}

/// The rule by which a call is repeated.
///
/// Sources: Curator's `retry/*.java` and kazoo's `retry.py`. Pauses are whole milliseconds, as Curator has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RetryPolicy {
    /// Curator's `ExponentialBackoffRetry`: while `count < min(retries, 29)`, pauses
    /// `min(cap, base × max(1, r))` with a random `r` in `0 ..= 2^(count + 1) − 1`. The first pause is always `base`.
    Exponential {
        /// The shortest pause.
        base: Duration,
        /// How often at most; more than 29 is 29.
        retries: u32,
        /// The longest pause (2³¹−1 ms unless it is given, and for the bounded variant the one given).
        cap: Duration,
    },
    /// Curator's `RetryNTimes` and `RetryOneTime`: while `count < retries`, always the same pause.
    Times {
        /// How often at most.
        retries: u32,
        /// The pause.
        pause: Duration,
    },
    /// Curator's `RetryUntilElapsed`: while the time *before* the pause is below the limit. It pauses first and answers
    /// then, so the call may be repeated later than the limit.
    UntilElapsed {
        /// The limit.
        limit: Duration,
        /// The pause.
        pause: Duration,
    },
    /// Curator's `RetryForever`.
    Forever {
        /// The pause.
        pause: Duration,
    },
    /// Curator's `SessionFailedRetryPolicy`: as the inner one, but a session that is over is never retried.
    SessionFailed(Box<RetryPolicy>),
    /// kazoo's `KazooRetry`: pauses `delay × u` with a random `u` in `0.6 ..= 1.4`, where the delay is `first` and from
    /// then on twice the last pause, 60 s at most.
    Kazoo {
        /// The first delay.
        first: Duration,
        /// How often at most; `None` is for ever (as kazoo's lock has it).
        retries: Option<u32>,
        /// No pause may end at or after this time since the first call.
        deadline: Option<Duration>,
    },
}

/// Curator pins the number of retries, so that `2^(count + 1)` stays a number.
const MOST_RETRIES: u32 = 29;
/// kazoo's jitter of 0.4 to both sides, in thousandths.
const LEAST_THOUSANDTHS: u32 = 600;
const SPAN_THOUSANDTHS: u32 = 801;
const KAZOO_LONGEST: Duration = Duration::from_secs(60);

impl RetryPolicy {
    /// `ExponentialBackoffRetry(base, retries)`.
    pub fn exponential(base: Duration, retries: u32) -> Self {
        Self::Exponential { base, retries, cap: Duration::from_millis(i32::MAX as u64) }
    }

    /// `BoundedExponentialBackoffRetry(base, longest, retries)`.
    pub fn bounded(base: Duration, longest: Duration, retries: u32) -> Self {
        Self::Exponential { base, retries, cap: longest }
    }

    /// `RetryOneTime(pause)`.
    pub fn once(pause: Duration) -> Self {
        Self::Times { retries: 1, pause }
    }

    /// No call is repeated.
    pub fn never() -> Self {
        Self::Times { retries: 0, pause: Duration::ZERO }
    }

    /// kazoo's lock: 0.1 s at first, without limit.
    pub fn kazoo() -> Self {
        Self::Kazoo { first: Duration::from_millis(100), retries: None, deadline: None }
    }

    /// The pause before the call is made again; `None` when it is not. `draw(n)` gives a random number below `n`.
    pub fn pause(&self, attempt: &Attempt, draw: impl FnOnce(u32) -> u32) -> Option<Duration> {
        match self {
            Self::Exponential { base, retries, cap } => {
                if attempt.count >= (*retries).min(MOST_RETRIES) {
                    return None;
                }
                let factor = draw(1 << (attempt.count + 1)).max(1);
                Some(base.saturating_mul(factor).min(*cap))
            }
            Self::Times { retries, pause } => (attempt.count < *retries).then_some(*pause),
            Self::UntilElapsed { limit, pause } => (attempt.elapsed < *limit).then_some(*pause),
            Self::Forever { pause } => Some(*pause),
            Self::SessionFailed(inner) => inner.pause(attempt, draw),
            Self::Kazoo { first, retries, deadline } => {
                if retries.is_some_and(|most| attempt.count >= most) {
                    return None;
                }
                let delay = if attempt.count == 0 { *first } else { (attempt.paused * 2).min(KAZOO_LONGEST) };
                let pause = delay * (LEAST_THOUSANDTHS + draw(SPAN_THOUSANDTHS)) / 1000;
                deadline.is_none_or(|end| attempt.elapsed + pause < end).then_some(pause)
            }
        }
    }

    /// Whether the error is one after which a call is repeated at all. Curator's default: ConnectionLoss,
    /// SessionMoved, SessionExpired (and OperationTimeout, which this client does not know).
    pub fn retries(&self, error: ZkError) -> bool {
        match (self, error) {
            (Self::SessionFailed(_), ZkError::SessionExpired) => false,
            (Self::SessionFailed(inner), error) => inner.retries(error),
            (_, error) => {
                matches!(error, ZkError::ConnectionLoss | ZkError::SessionMoved | ZkError::SessionExpired)
            }
        }
    }

    /// The time after which the policy answers differently, if it looks at time.
    pub fn limit(&self) -> Option<Duration> {
        match self {
            Self::UntilElapsed { limit, .. } => Some(*limit),
            Self::SessionFailed(inner) => inner.limit(),
            Self::Kazoo { deadline, .. } => *deadline,
            _ => None,
        }
    }

    /// As much of the attempt as later answers depend on, for checkpoints.
    pub(crate) fn memory(&self, attempt: &Attempt) -> String {
        match self {
            Self::Exponential { .. } | Self::Times { .. } => attempt.count.to_string(),
            Self::UntilElapsed { .. } | Self::Forever { .. } => String::new(),
            Self::SessionFailed(inner) => inner.memory(attempt),
            Self::Kazoo { retries, .. } => {
                let count = if retries.is_some() { attempt.count } else { attempt.count.min(1) };
                format!("{count} {}", attempt.paused.as_micros())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(count: u32) -> Attempt {
        Attempt { count, ..Attempt::default() }
    }

    /// Policy, count, elapsed, the random draw as a part of its bound (in percent; 100 is the largest), pause.
    #[test]
    fn the_table_of_curators_policies() {
        let exponential = || RetryPolicy::exponential(ms(1000), 3);
        let bounded = || RetryPolicy::bounded(ms(100), ms(250), 9);
        let many = || RetryPolicy::exponential(ms(1), 1000);
        let times = || RetryPolicy::Times { retries: 2, pause: ms(70) };
        let until = || RetryPolicy::UntilElapsed { limit: ms(500), pause: ms(200) };
        let forever = || RetryPolicy::Forever { pause: ms(5) };
        let table: Vec<(RetryPolicy, u32, u64, u32, Option<u64>)> = vec![
            // The first pause is exactly the base, whatever is drawn.
            (exponential(), 0, 0, 0, Some(1000)),
            (exponential(), 0, 0, 100, Some(1000)),
            (exponential(), 1, 0, 0, Some(1000)),
            (exponential(), 1, 0, 100, Some(3000)),
            (exponential(), 2, 0, 100, Some(7000)),
            (exponential(), 3, 0, 0, None),
            (bounded(), 0, 0, 100, Some(100)),
            (bounded(), 1, 0, 100, Some(250)),
            (bounded(), 8, 0, 100, Some(250)),
            (bounded(), 9, 0, 100, None),
            // More than 29 retries are 29, and the largest factor is 2^29 - 1.
            (many(), 28, 0, 100, Some((1 << 29) - 1)),
            (many(), 29, 0, 0, None),
            (RetryPolicy::exponential(ms(1000), 1000), 28, 0, 100, Some(i32::MAX as u64)),
            (times(), 0, 0, 0, Some(70)),
            (times(), 1, 9_999_999, 0, Some(70)),
            (times(), 2, 0, 0, None),
            (RetryPolicy::once(ms(3)), 0, 0, 0, Some(3)),
            (RetryPolicy::once(ms(3)), 1, 0, 0, None),
            (RetryPolicy::never(), 0, 0, 0, None),
            // Measured before the pause: at 499 of 500 it still pauses 200.
            (until(), 77, 499, 0, Some(200)),
            (until(), 0, 500, 0, None),
            (forever(), u32::MAX, 9_999_999, 0, Some(5)),
            (RetryPolicy::SessionFailed(Box::new(times())), 1, 0, 0, Some(70)),
            (RetryPolicy::SessionFailed(Box::new(times())), 2, 0, 0, None),
        ];
        for (policy, count, elapsed, percent, expected) in table {
            let attempt = Attempt { count, elapsed: ms(elapsed), paused: Duration::ZERO };
            let pause = policy.pause(&attempt, |below| (u64::from(below - 1) * u64::from(percent) / 100) as u32);
            assert_eq!(pause, expected.map(ms), "{policy:?} after {count} retries and {elapsed} ms");
        }
    }

    #[test]
    fn kazoo_doubles_what_it_paused() {
        let policy = RetryPolicy::kazoo();
        assert_eq!(policy.pause(&at(0), |_| 0), Some(ms(60)));
        assert_eq!(policy.pause(&at(0), |n| n - 1), Some(ms(140)));
        let second = Attempt { count: 1, paused: ms(140), ..Attempt::default() };
        assert_eq!(policy.pause(&second, |_| 400), Some(ms(280)));
        let late = Attempt { count: 30, paused: ms(59_000), ..Attempt::default() };
        assert_eq!(policy.pause(&late, |n| n - 1), Some(ms(84_000)));
    }

    #[test]
    fn kazoo_keeps_its_deadline_and_its_limit() {
        let policy = RetryPolicy::Kazoo { first: ms(100), retries: Some(2), deadline: Some(ms(1000)) };
        let attempt = |count, elapsed| Attempt { count, elapsed: ms(elapsed), paused: ms(100) };
        assert_eq!(policy.pause(&attempt(0, 899), |_| 400), Some(ms(100)));
        assert_eq!(policy.pause(&attempt(0, 900), |_| 400), None);
        assert_eq!(policy.pause(&attempt(2, 0), |_| 400), None);
    }

    #[test]
    fn only_some_errors_are_retried() {
        let plain = RetryPolicy::never();
        let session = RetryPolicy::SessionFailed(Box::new(RetryPolicy::never()));
        for error in [ZkError::ConnectionLoss, ZkError::SessionMoved] {
            assert!(plain.retries(error) && session.retries(error));
        }
        assert!(plain.retries(ZkError::SessionExpired) && !session.retries(ZkError::SessionExpired));
        for error in [ZkError::NoNode, ZkError::NodeExists, ZkError::BadVersion, ZkError::NoAuth] {
            assert!(!plain.retries(error) && !session.retries(error));
        }
    }

    #[test]
    fn what_a_checkpoint_keeps_is_what_matters() {
        let attempt = |count, paused| Attempt { count, paused: ms(paused), ..Attempt::default() };
        let forever = RetryPolicy::Forever { pause: ms(1) };
        assert_eq!(forever.memory(&attempt(1, 1)), forever.memory(&attempt(9, 1)));
        let times = RetryPolicy::Times { retries: 9, pause: ms(1) };
        assert_ne!(times.memory(&attempt(1, 1)), times.memory(&attempt(2, 1)));
        let kazoo = RetryPolicy::kazoo();
        assert_eq!(kazoo.memory(&attempt(3, 60)), kazoo.memory(&attempt(4, 60)));
        assert_ne!(kazoo.memory(&attempt(3, 60)), kazoo.memory(&attempt(3, 120)));
    }
}
