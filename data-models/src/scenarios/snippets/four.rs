//! Snippet 4: the legacy users.

use overtake_data_recipes::snippets::USERS;
use overtake_data_recipes::snippets::four_legacy_users::{self as four, BEFORE, Marked};
use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::{Change, eq, set};
use overtake_recipes::store::{Documents as _, Value};

use super::*;

const USER: &str = "u";
const TODAY: i64 = BEFORE + 100;
const NOBODY: &str = "says that there is no such user";

fn user(created: Value) -> Documents {
    Documents::new().with(USERS, doc([("guid", USER.into()), ("createdOn", created)]))
}

async fn run(ctx: &Context, how: u8) -> Result<(), ScriptError> {
    match how {
        0 => four::as_written(ctx, USER).await,
        1 => four::check_then_act(ctx, USER).await,
        2 => four::update_not_awaited(ctx, USER).await,
        _ => four::repaired(ctx, USER).await,
    }
}

fn marks(how: u8, created: Value) -> Scenario {
    world(user(created)).client("marks", move |ctx: Context| async move {
        run(&ctx, how).await?;
        ctx.mark("done");
        Ok::<(), ScriptError>(())
    })
}

/// Whether the user is a legacy one, and its date.
fn state(view: &overtake_sim::world::View<'_>) -> (bool, Option<Value<overtake_sim::names::Text>>) {
    let user = document_store(view).one(USERS, "guid", USER).expect("the user is there");
    (user.at("legacy").is_some_and(Value::is_true), user.at("createdOn").cloned())
}

fn old_users_are_marked() -> Property {
    Property::at_rest("an old user is marked", SOURCE, |view| match state(view) {
        (false, Some(Value::Date(moment))) if moment < BEFORE => Err("the user is old, and is not marked".into()),
        _ => Ok(()),
    })
}

fn only_old_users_are_marked() -> Property {
    Property::always("only old users are marked", SOURCE, |view| match state(view) {
        (true, Some(Value::Date(moment))) if moment < BEFORE => Ok(()),
        (true, _) => Err("the user is marked, and is not old".into()),
        _ => Ok(()),
    })
}

fn done_is_done() -> Property {
    Property::always("done is done", SOURCE, |view| match view.client(0).is_marked("done") && !state(view).0 {
        true => Err("the program says that it is done, and the user is not marked".into()),
        false => Ok(()),
    })
}

/// The user is created anew, in one write.
async fn renews(ctx: Context) -> Result<(), ScriptError> {
    let changes = vec![set("createdOn", Value::Date(TODAY)), Change::Unset("legacy".into())];
    ctx.documents().update_one(USERS, eq("guid", USER), changes).await?;
    Ok(())
}

/// The user leaves.
async fn leaves(ctx: Context) -> Result<(), ScriptError> {
    ctx.documents().delete_one(USERS, eq("guid", USER)).await?;
    Ok(())
}

/// Marks a user of today, who may leave, and says what became of it.
fn says(repaired: bool) -> Scenario {
    world(user(Value::Date(TODAY)))
        .client("marks", move |ctx: Context| async move {
            let told = match repaired {
                true => four::nothing_matched_is_looked_at(&ctx, USER).await?,
                false => four::nothing_matched_is_nobody(&ctx, USER).await?,
            };
            match told {
                Marked::NoSuchUser => ctx.mark(NOBODY),
                Marked::NotOld => ctx.mark("says that the user is not old"),
                Marked::Yes => ctx.mark("says that the user is marked"),
            }
            Ok::<(), ScriptError>(())
        })
        .client("leaves", leaves)
        .properties([
            Property::always("who is said not to exist does not", SOURCE, |view| {
                let there = document_store(view).one(USERS, "guid", USER).is_some();
                match there && view.client(0).is_marked(NOBODY) {
                    true => {
                        Err("the program says that there is no such user; the user is there, and is not old".into())
                    }
                    false => Ok(()),
                }
            }),
            somebody_is(&[NOBODY], "a user is said not to exist"),
        ])
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let how = |faulty, repaired| if repaired { 3 } else { faulty };
    [
        pair(
            "snippet 4: nobody awaits the find",
            "an old user is marked",
            "What find answers is a promise. It is there, but it has no createdOn, and undefined is less than no date: nobody is ever \
             marked. The slide shows no repair; this one puts the condition into the update.",
            move |r| marks(how(0, r), Value::Date(1)).property(old_users_are_marked()),
        ),
        pair(
            "snippet 4: look, then mark",
            "only old users are marked",
            "The user is old when it is looked at, and is created anew before it is marked.",
            move |r| {
                marks(how(1, r), Value::Date(1))
                    .client("renews", renews)
                    .property(only_old_users_are_marked())
            },
        ),
        pair(
            "snippet 4: a user without a date",
            "only old users are marked",
            "In JavaScript null is less than any date; for the store only dates are.",
            move |r| marks(how(1, r), Value::Null).property(only_old_users_are_marked()),
        ),
        pair(
            "snippet 4: nobody awaits the update",
            "done is done",
            "The program goes on, and says that it is done, while the update is on its way.",
            move |r| marks(how(2, r), Value::Date(1)).property(done_is_done()),
        ),
        pair(
            "snippet 4: nothing matched",
            "who is said not to exist does not",
            "The condition is in the update, and the update matches nothing. Either there is no such user or the user is not old: the \
             result does not say which. The program takes it for the first.",
            says,
        ),
    ]
    .concat()
}
