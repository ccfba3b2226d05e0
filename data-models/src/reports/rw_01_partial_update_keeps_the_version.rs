//! RW-01, spring-projects/spring-data-mongodb#1738: a partial update does not count the version up.
//!
//! *Mechanism:* C1 reads the document at version 1. C2 sets one field by a partial update; the version stays 1. C1 saves its whole document,
//! the check at version 1 passes, and C2's field is overwritten. *Smallest configuration:* 2 clients, one document, one writer by
//! fields. *Source:* <https://github.com/spring-projects/spring-data-mongodb/issues/1738>. *Violated:* every change changes the version;
//! so what was written stays. *Repair:* partial updates count the version up.
//!
//! Two scenarios have the faulty program: the first is judged by the version, the second by what is lost of it.

use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P19";

async fn whole(ctx: Context) -> Ended {
    loop {
        let mut person = read(&ctx, "people", "p").await?;
        let version = person.int("version");
        ctx.mark_with("has read", &format!("{version} {}", person.text("mail")));
        person.set("name", "Ann");
        person.set("version", version + 1);
        let same = and([by_id("p"), eq("version", version)]);
        if ctx.documents().replace_one("people", same, person).await?.matched > 0 {
            break;
        }
        ctx.mark("reads again");
    }
    ctx.unmark("has read");
    Ok(())
}

async fn partial(ctx: Context, counts: bool) -> Ended {
    let mut changes = vec![set("mail", "new")];
    if counts {
        changes.push(inc("version", 1));
    }
    change(&ctx, "people", by_id("p"), changes).await?;
    ctx.mark("wrote the new mail");
    Ok(())
}

fn every_change_changes_the_version() -> Property {
    Property::always("every change changes the version", "spring-projects/spring-data-mongodb#1738", |view| {
        let person = see::one(view, "people", "p");
        let (version, mail) = (person.int("version").to_string(), person.text("mail"));
        for client in see::who(view, "has read") {
            let read = see::shown(&client, "has read").unwrap_or_default();
            let same = read.split_once(' ').is_none_or(|(v, m)| v != version || m == mail);
            see::kept(same, || {
                format!("{} has read version {version}, and it is another document by now", client.name())
            })?;
        }
        Ok(())
    })
    .where_marked(&["has read"], 1)
}

fn what_was_written_stays() -> Property {
    Property::at_rest("what was written stays", "spring-projects/spring-data-mongodb#1738", |view| {
        let kept = see::marked(view, "wrote the new mail") == 0 || see::one(view, "people", "p").text("mail") == "new";
        see::kept(kept, || "the new mail address is acknowledged, and the document has the old one".into())
    })
}

/// The faulty program, seen in two ways, and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, counts| {
        let person = [("_id", "p".into()), ("name", "Anna".into()), ("mail", "old".into()), ("version", 1.into())];
        scenario(name)
            .about("One client saves a whole document that it has read, while another has set one of its fields without counting the version up.")
            .source("https://github.com/spring-projects/spring-data-mongodb/issues/1738")
            .stores(documents(Documents::new().with("people", doc(person))))
            .client("whole", whole)
            .client("partial", move |ctx| partial(ctx, counts))
            .properties([
                no_program_fails(),
                somebody_is(&["wrote the new mail"], "somebody writes a field"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("RW-01 partial update keeps the version", false)
            .property(every_change_changes_the_version())
            .breaks("every change changes the version")
            .fixed_by("RW-01 partial update keeps the version, repaired"),
        world("RW-01 partial update keeps the version, and is lost", false)
            .property(what_was_written_stays())
            .breaks("what was written stays")
            .fixed_by("RW-01 partial update keeps the version, repaired"),
        world("RW-01 partial update keeps the version, repaired", true).properties([
            every_change_changes_the_version(),
            what_was_written_stays(),
            somebody_is(&["reads again"], "somebody reads again"),
        ]),
    ]
}
