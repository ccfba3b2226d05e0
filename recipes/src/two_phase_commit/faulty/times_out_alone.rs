//! A site that has waited for long enough aborts on its own.

use crate::Environment;
use crate::lock::LockError;
use crate::two_phase_commit::{TwoPhaseCommit, Vote};

/// *Wrong:* the site aborts without a word. The vote that was late may still come, and the others commit.
///
/// *Seen:* the text has no word on time; the usual slip of two-phase commit.
///
/// *Cure:* vote `abort` for those who are late, where all can read it.
#[derive(Clone)]
pub struct TimesOutAlone<E: Environment>(E, String);

impl<E: Environment> TwoPhaseCommit<E> for TimesOutAlone<E> {
    at_a_path!();

    async fn overdue(&self) -> Result<Vote, LockError> {
        Ok(Vote::Abort)
    }
}
