//! Snippet 5: the open payments are closed by force.

use overtake_data_recipes::snippets::PAYMENTS;
use overtake_data_recipes::snippets::five_close_payments as five;
use overtake_recipes::store::Value;
use overtake_sim::stores::documents::NOW;

use super::*;

const EITHER: &str = "a payment is paid or closed by force";
const CLOCK: &str = "payments are closed at the server's time";
const CLOSED: &str = "no payment stays open";
const ONE_TIME: &str = "the payments of one run have one time";
const TOLD: &str = "what is said to be closed by force is";
const OF_TODAY: &str = "a payment of today stays open";
/// Later than what is overdue.
const TODAY: i64 = five::SINCE + 100;

fn payment(guid: &'static str, completed: Value) -> Value {
    let paid = completed != Value::Null;
    doc([("guid", guid.into()), ("completedOn", completed), ("paid", paid.into())])
}

/// Payments p and r are open, q is paid.
fn payments() -> Documents {
    let open = |guid| payment(guid, Value::Null);
    Documents::new().with(PAYMENTS, open("p")).with(PAYMENTS, payment("q", Value::Date(1))).with(PAYMENTS, open("r"))
}

fn closes(documents: Documents, how: u8) -> Scenario {
    world(documents).client("closes", move |ctx: Context| async move {
        match how {
            0 => five::as_written(&ctx).await,
            1 => five::as_written_awaited(&ctx).await,
            2 => five::inverted(&ctx).await,
            3 => five::proposed(&ctx).await,
            4 => five::one_only(&ctx).await,
            5 => five::stale_list(&ctx).await,
            6 => five::stops_half_way(&ctx).await,
            8 => five::by_the_clients_clock(&ctx).await,
            _ => five::repaired(&ctx).await,
        }
    })
}

fn paid_or_closed() -> Property {
    Property::always(EITHER, SOURCE, |view| {
        let is = |payment: &Value<_>, field| payment.at(field).is_some_and(Value::is_true);
        let both = |payment: &&Value<_>| is(payment, "paid") && is(payment, "wasForceClosed");
        match document_store(view).all(PAYMENTS).iter().find(both) {
            Some(_) => Err("a payment is paid, and was closed by force".into()),
            None => Ok(()),
        }
    })
}

fn none_stays_open() -> Property {
    Property::at_rest(CLOSED, SOURCE, |view| {
        let open = |payment: &&Value<_>| payment.at("completedOn").is_none_or(|on| *on == Value::Null);
        match document_store(view).all(PAYMENTS).iter().filter(open).count() {
            0 => Ok(()),
            1 => Err("one payment is still open".into()),
            open => Err(format!("{open} payments are still open")),
        }
    })
}

/// What is closed by force is closed at the server's time.
fn at_the_servers_time() -> Property {
    Property::always(CLOCK, SOURCE, |view| {
        let forced = |payment: &&Value<_>| payment.at("wasForceClosed").is_some_and(Value::is_true);
        let mut closed = document_store(view).all(PAYMENTS).iter().filter(forced);
        match closed.find(|payment| payment.at("completedOn") != Some(&Value::Date(NOW))) {
            None => Ok(()),
            Some(_) => Err("a payment was closed at a time that is not the server's".into()),
        }
    })
}

/// Two payments are open; each reading of the server's clock gives another time.
fn at_one_time(repaired: bool) -> Scenario {
    let open = |guid| payment(guid, Value::Null);
    world(Documents::new().with(PAYMENTS, open("p")).with(PAYMENTS, open("r")).clock_runs())
        .client("closes", move |ctx: Context| async move {
            match repaired {
                true => five::all_at_one_time(&ctx).await,
                false => five::each_at_its_time(&ctx).await,
            }
        })
        .properties([
            Property::at_rest(ONE_TIME, SOURCE, |view| {
                let times: Vec<_> = document_store(view).all(PAYMENTS).iter().map(|p| p.at("completedOn")).collect();
                match times.windows(2).all(|pair| pair[0] == pair[1]) {
                    true => Ok(()),
                    false => Err("two payments that one run has closed were closed at different times".into()),
                }
            }),
            none_stays_open(),
        ])
}

/// The caller is told which payments were closed, while a customer pays p.
fn says_which(repaired: bool) -> Scenario {
    world(payments())
        .client("closes", move |ctx: Context| async move {
            let closed = match repaired {
                true => five::lists_what_it_has_closed(&ctx).await?,
                false => five::lists_what_was_open(&ctx).await?,
            };
            ctx.mark_with("says closed", &closed.join(" "));
            Ok::<(), ScriptError>(())
        })
        .client("pays", |ctx: Context| async move { tell(&ctx, five::complete(&ctx, "p").await) })
        .properties([
            Property::always(TOLD, SOURCE, |view| {
                let told = view.client(0).mark("says closed").flatten().map_or(String::new(), |text| text.full());
                let forced = |guid: &str| {
                    let payment = document_store(view).one(PAYMENTS, "guid", guid);
                    payment.and_then(|p| p.at("wasForceClosed")).is_some_and(Value::is_true)
                };
                match told.split_whitespace().find(|guid| !forced(guid)) {
                    Some(guid) => {
                        Err(format!("payment {guid} is said to be closed by force, and the customer has paid it"))
                    }
                    None => Ok(()),
                }
            }),
            somebody_is(&["says closed"], "somebody is told what was closed"),
            somebody_is_told(),
        ])
}

/// Payment p is overdue. Its customer pays; the payment does not go through, and is opened again.
fn opened_again(repaired: bool) -> Scenario {
    let mut overdue = payment("p", Value::Null);
    overdue.set("openedOn", Value::Date(1));
    world(Documents::new().with(PAYMENTS, overdue))
        .client("closes", move |ctx: Context| async move {
            match repaired {
                true => five::overdue(&ctx).await,
                false => five::listed_as_overdue(&ctx).await,
            }
        })
        .client("pays, then opens it again", |ctx: Context| async move {
            if five::complete(&ctx, "p").await? && five::reopen(&ctx, "p", TODAY).await? {
                ctx.mark("opened again");
            }
            Ok::<(), ScriptError>(())
        })
        .properties([
            Property::always(OF_TODAY, SOURCE, |view| {
                let of_today = |p: &&Value<_>| p.at("openedOn") == Some(&Value::Date(TODAY));
                let forced = |p: &&Value<_>| p.at("wasForceClosed").is_some_and(Value::is_true);
                match document_store(view).all(PAYMENTS).iter().filter(of_today).any(|p| forced(&p)) {
                    true => Err("a payment that was opened again today is closed as overdue".into()),
                    false => Ok(()),
                }
            }),
            somebody_is(&["opened again"], "the payment is opened again"),
        ])
}

/// A customer who pays p at the same time.
fn pays(scenario: Scenario, guarded: bool) -> Scenario {
    scenario
        .client("pays", move |ctx: Context| async move {
            let paid = match guarded {
                true => five::complete(&ctx, "p").await,
                false => five::complete_unguarded(&ctx, "p").await,
            };
            tell(&ctx, paid)
        })
        .properties([paid_or_closed(), none_stays_open(), somebody_is_told()])
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let how = |faulty, repaired| if repaired { 7 } else { faulty };
    [
        pair(
            "snippet 5: nobody awaits the find",
            "no program fails",
            "What find answers is a cursor. Its map is another cursor, and the update is sent with that where $in wants a list: the server \
             refuses it.",
            move |r| closes(payments(), how(0, r)).property(no_program_fails()),
        ),
        pair(
            "snippet 5: as written, the find awaited",
            EITHER,
            "The filter selects what is completed: a paid payment is closed by force, and its time is moved.",
            move |r| closes(payments(), how(1, r)).property(paid_or_closed()),
        ),
        pair(
            "snippet 5: the inverted filter",
            EITHER,
            "One update of many with the inverted filter closes all the payments that are paid.",
            move |r| closes(payments(), how(2, r)).property(paid_or_closed()),
        ),
        pair(
            "snippet 5: the slide's repair keeps the inverted filter",
            EITHER,
            "The slide puts condition and effect into one update and takes the server's clock, and still asks for what is not null.",
            move |r| closes(payments(), how(3, r)).property(paid_or_closed()),
        ),
        pair(
            "snippet 5: one payment only",
            CLOSED,
            "An update that is not for many changes one document.",
            move |r| closes(payments(), how(4, r)).property(none_stays_open()),
        ),
        pair(
            "snippet 5: the client's clock",
            CLOCK,
            "The time of closing is that of the client's clock, which is not the server's.",
            move |r| closes(payments(), how(8, r)).property(at_the_servers_time()),
        ),
        pair(
            "snippet 5: a stale list",
            EITHER,
            "The open payments are listed, then closed by their guids. A customer pays in between.",
            move |r| pays(closes(payments(), how(5, r)), true),
        ),
        pair(
            "snippet 5: opened again",
            OF_TODAY,
            "What is overdue is listed; the update asks for the guids and for null, which is a half of what was looked at. Meanwhile the \
             customer has paid, and the payment was opened again. It is of today, and null again.",
            opened_again,
        ),
        pair(
            "snippet 5: two documents, two times",
            ONE_TIME,
            "An update of many reads the server's clock for each document. The payments of one run are closed at different times. The repair \
             reads the clock once, and stamps all with that.",
            at_one_time,
        ),
        pair(
            "snippet 5: which payments were closed",
            TOLD,
            "An update of many answers a number. The caller takes those for closed that were open when it listed them; a customer has paid \
             one of them in between.",
            says_which,
        ),
        pair(
            "snippet 5: the other side looks at nothing",
            EITHER,
            "The payments are closed rightly, but who pays looks at the guid alone and completes what was closed.",
            move |r| pays(closes(payments(), 7), r),
        ),
        pair(
            "snippet 5: stopped half way",
            CLOSED,
            "The server stops after one of two payments. An update of many is not atomic; it is repaired by running it again, since what is \
             closed does not match any more.",
            move |r| closes(payments(), how(6, r)).node_losses(1).property(none_stays_open()),
        ),
        vec![
            closes(payments(), 7)
                .client("opens", |ctx: Context| async move { five::open(&ctx, payment("s", Value::Null)).await })
                .properties([
                    paid_or_closed(),
                    Property::sometimes("a payment opened meanwhile is closed", |view| open_after(view, false)),
                    Property::sometimes("a payment opened meanwhile stays open", |view| open_after(view, true)),
                ])
                .called("snippet 5: a payment opened during the run")
                .about("A payment that is opened while the others are closed may be caught or not: an update of many is no snapshot."),
        ],
    ]
    .concat()
}

/// Whether everybody is done and the payment that came during the run is (still) open.
fn open_after(view: &overtake_sim::world::View<'_>, open: bool) -> bool {
    let is_open = |payment: &Value<_>| payment.at("completedOn").is_none_or(|on| *on == Value::Null);
    view.everybody_is_done()
        && document_store(view).one(PAYMENTS, "guid", "s").is_some_and(|payment| is_open(payment) == open)
}
