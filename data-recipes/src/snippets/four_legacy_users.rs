//! Snippet 4: find the user, then mark it as a legacy one if it is old. The slide shows no repair.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::{Filter, and, eq, set};
use overtake_recipes::store::{Documents, Value, doc};

use super::{ScriptError, USERS};

/// `new Date('2021-01-01')`: midnight in UTC, as a moment of the scenario.
pub const BEFORE: i64 = 100;

/// `createdOn < new Date(…)` as the language has it: null counts as 0, undefined is less than nothing.
fn old(user: &Value) -> bool {
    match user.at("createdOn") {
        Some(Value::Date(moment)) => *moment < BEFORE,
        Some(Value::Null) => 0 < BEFORE,
        _ => false,
    }
}

/// As it stands on the slide. Nobody awaits the find, so `user` is a promise: always there, its `createdOn` undefined, and undefined is
/// not less than any date. Nothing is ever marked.
pub async fn as_written<E: DataEnvironment>(env: &E, guid: &str) -> Result<(), ScriptError> {
    let docs = env.documents();
    drop(docs.find_one(USERS, eq("guid", guid)));
    let promise = doc([]);
    if old(&promise) {
        docs.update_one(USERS, eq("guid", guid), vec![set("legacy", true)]).await?;
    }
    Ok(())
}

/// *Wrong:* the guard is looked at in one call, the effect is another. *Seen:* the user was changed in between, and a user of today is
/// a legacy one. *Cure:* the guard belongs into the filter.
pub async fn check_then_act<E: DataEnvironment>(env: &E, guid: &str) -> Result<(), ScriptError> {
    let docs = env.documents();
    if docs.find_one(USERS, eq("guid", guid)).await?.is_some_and(|user| old(&user)) {
        docs.update_one(USERS, eq("guid", guid), vec![set("legacy", true)]).await?;
    }
    Ok(())
}

/// *Wrong:* nobody awaits the update. *Seen:* the program says that it is done before it is, or although it never will be.
/// *Cure:* await.
pub async fn update_not_awaited<E: DataEnvironment>(env: &E, guid: &str) -> Result<(), ScriptError> {
    let (docs, user) = (env.documents(), of_old(guid));
    env.spawn(async move { drop(docs.update_one(USERS, user, vec![set("legacy", true)]).await) });
    Ok(())
}

/// The user, if it was created before. Only dates are less than a date: neither null nor what is missing.
fn of_old(guid: &str) -> Filter {
    and([eq("guid", guid), Filter::Lt("createdOn".into(), Value::Date(BEFORE))])
}

/// The repair that the slide leaves out: guard and effect in one call.
pub async fn repaired<E: DataEnvironment>(env: &E, guid: &str) -> Result<(), ScriptError> {
    env.documents().update_one(USERS, of_old(guid), vec![set("legacy", true)]).await?;
    Ok(())
}

/// What became of marking a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// It is a legacy one now.
    Yes,
    /// There is such a user, and it is not old enough.
    NotOld,
    /// There is no such user.
    NoSuchUser,
}

/// *Wrong:* the repair's update matches nothing, and that is taken for "no such user". *Seen:* the user is there; it is not old enough.
/// *Cure:* when nothing matches, look which of the two it is.
pub async fn nothing_matched_is_nobody<E: DataEnvironment>(env: &E, guid: &str) -> Result<Marked, ScriptError> {
    let result = env.documents().update_one(USERS, of_old(guid), vec![set("legacy", true)]).await?;
    Ok(if result.matched > 0 { Marked::Yes } else { Marked::NoSuchUser })
}

/// The same, told apart by a look.
pub async fn nothing_matched_is_looked_at<E: DataEnvironment>(env: &E, guid: &str) -> Result<Marked, ScriptError> {
    let docs = env.documents();
    if docs.update_one(USERS, of_old(guid), vec![set("legacy", true)]).await?.matched > 0 {
        return Ok(Marked::Yes);
    }
    let there = docs.find_one(USERS, eq("guid", guid)).await?.is_some();
    Ok(if there { Marked::NotOld } else { Marked::NoSuchUser })
}
