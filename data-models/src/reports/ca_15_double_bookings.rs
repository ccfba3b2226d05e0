//! CA-15, LibreBooking/librebooking#147: two reservations of one room overlap.
//!
//! *Mechanism:* both look for overlapping bookings, find none, and insert theirs; both users see a confirmation. *Smallest
//! configuration:* 2 clients, one resource. *Source:* <https://github.com/LibreBooking/librebooking/issues/147>. *Violated:* no two
//! bookings of one resource overlap. *Repair:* bookings of one resource go one after the other (its row is locked), or a constraint of
//! the database. *Trap:* a random sleep before the look.
//!
//! Translated from SQL: bookings are documents with a first and a last hour; transactions at read committed. What is looked for does not
//! exist, so it cannot be locked.

use overtake_recipes::store::documents::{and, eq};
use overtake_recipes::store::{DataEnvironment, Documents as _, Filter, Isolation, doc};
use overtake_recipes::{Environment, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;
use std::time::Duration;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P6";

#[derive(Clone, Copy, Debug)]
enum Way {
    Looks,
    SleepsAndLooks,
    LocksTheRoom,
}

/// Those that begin before the end and end after the beginning.
fn overlapping(from: i64, to: i64) -> Filter {
    and([eq("room", "blue"), less("from", to), Filter::Gt("to".into(), from.into())])
}

fn booking(from: i64, to: i64) -> Value {
    doc([("room", "blue".into()), ("from", from.into()), ("to", to.into())])
}

async fn book(ctx: Context, way: Way, from: i64, to: i64) -> Ended {
    if let Way::SleepsAndLooks = way {
        ctx.sleep(Duration::from_millis(u64::from(ctx.jitter(500)))).await;
    }
    let booked = match way {
        Way::Looks | Way::SleepsAndLooks => {
            let free = ctx.documents().find("bookings", overlapping(from, to)).await?.is_empty();
            if free {
                ctx.documents().insert("bookings", booking(from, to)).await?;
            }
            free
        }
        Way::LocksTheRoom => {
            let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
            transaction.lock("rooms", "blue").await?;
            let free = transaction.find("bookings", overlapping(from, to)).await?.is_empty();
            if free {
                transaction.insert("bookings", booking(from, to)).await?;
            }
            transaction.commit().await?;
            free
        }
    };
    ctx.mark(if booked { "booked" } else { "refused" });
    Ok(())
}

fn no_overlap() -> Property {
    Property::always("bookings do not overlap", "LibreBooking/librebooking#147", |view| {
        let bookings = see::all(view, "bookings");
        for (at, one) in bookings.iter().enumerate() {
            let overlaps = |other: &&Value| other.int("from") < one.int("to") && other.int("to") > one.int("from");
            if let Some(other) = bookings[at + 1..].iter().find(overlaps) {
                let hours = |booking: &Value| format!("{} to {}", booking.int("from"), booking.int("to"));
                return Err(format!("the room is booked from {} and from {}", hours(one), hours(other)));
            }
        }
        Ok(())
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("Two users book a room for hours that overlap. Both look and find the room free, and both book.")
            .source("https://github.com/LibreBooking/librebooking/issues/147")
            .stores(documents(Documents::new().with("rooms", doc([("_id", "blue".into())]))))
            .client("early", move |ctx| book(ctx, way, 9, 11))
            .client("late", move |ctx| book(ctx, way, 10, 12))
            .properties([
                no_overlap(),
                no_program_fails(),
                somebody_is(&["booked"], "somebody books"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-15 double bookings", Way::Looks)
            .breaks("bookings do not overlap")
            .fixed_by("CA-15 double bookings, repaired"),
        world("CA-15 double bookings, trap: a random sleep", Way::SleepsAndLooks)
            .breaks("bookings do not overlap")
            .fixed_by("CA-15 double bookings, repaired"),
        world("CA-15 double bookings, repaired", Way::LocksTheRoom),
    ]
}
