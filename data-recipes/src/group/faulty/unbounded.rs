//! The loop has no bound.

use overtake_recipes::store::DataEnvironment;

use crate::group::{GroupError, add};

/// *Wrong:* while others write all the time, the loop may lose every round, and its caller never gets an answer. Somebody always wins,
/// but not everybody.
///
/// *Seen:* `while true` in the posts, slip 9.
///
/// *Cure:* a bound, and an error that says that others were faster.
///
/// # Errors
/// When a node does not answer.
pub async fn add_until_done<E: DataEnvironment>(env: &E, group: &str, key: &str) -> Result<(), GroupError> {
    loop {
        match add(env, group, key, 1).await {
            Err(GroupError::TooManyRounds) => {}
            outcome => return outcome,
        }
    }
}
