//! A lease by PUT with an expiration: what it keeps, and what only a fencing number does.

use overtake_data_recipes::lease::{Held, LIFE, PAUSE, acquire, faulty, release, write_fenced};
use overtake_models::{Scenario, scenario};
use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Value};
use overtake_sim::world::{ClientView, View};

use crate::property::*;

const LEASE: &str = "lease";
const RECORD: &str = "record";
const SOURCE: &str = "semantics §6.3, §6.4 (M57)";

/// How a holder works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Right,
    Unfenced,
    DrawnLate,
}

/// Is granted the lease, writes the record once, gives the lease back. A paused holder is one whose next steps do not come while others' do.
async fn holder(ctx: Context, way: Way) -> Result<(), StoreError> {
    let me = ctx.unique_id();
    ctx.mark_with("me", &me);
    let (held, number) = match way {
        Way::DrawnLate => faulty::number_drawn_late::acquire_and_draw(&ctx, LEASE, "counter", &me).await?,
        _ => {
            let held = acquire(&ctx, LEASE, &me, LIFE).await?;
            let number = held.number();
            (held, number)
        }
    };
    ctx.mark_with("holds", &me);
    ctx.mark_with("grant", &held.version.0.to_string());
    let written = match way {
        Way::Unfenced => {
            faulty::unfenced::write(&ctx, RECORD, me.as_str().into(), number).await?;
            true
        }
        _ => {
            let key = [me.as_str(), &held.version.0.to_string()];
            ctx.keeping(&key, write_fenced(&ctx, RECORD, me.as_str().into(), number)).await?
        }
    };
    ctx.mark(if written { "wrote" } else { "refused" });
    ctx.unmark("holds");
    release(&ctx, &held).await
}

/// Gives the lease back, by its version or whosever it is.
async fn give_back(ctx: &Context, held: &Held, plainly: bool) -> Result<(), StoreError> {
    match plainly {
        true => faulty::plain_delete::release(ctx, held).await,
        false => release(ctx, held).await,
    }
}

/// Is granted the lease, and gives it back when it may be over long since.
async fn slow_holder(ctx: Context, plainly: bool) -> Result<(), StoreError> {
    let held = acquire(&ctx, LEASE, "slow", LIFE).await?;
    give_back(&ctx, &held, plainly).await
}

/// Holds a lease that does not expire before it is given back.
async fn quick_holder(ctx: Context, plainly: bool) -> Result<(), StoreError> {
    let me = ctx.unique_id();
    let held = acquire(&ctx, LEASE, &me, Expiration::Never).await?;
    ctx.mark_with("holds", &me);
    ctx.work("work").await;
    ctx.unmark("holds");
    give_back(&ctx, &held, plainly).await
}

fn released(name: &str, plainly: bool) -> Scenario {
    scenario(name)
        .about("A slow client's lease expires some time. The others give theirs back before. When the slow one gives its lease back, it may be \
                another's.")
        .source(SOURCE)
        .client("slow", move |ctx| slow_holder(ctx, plainly))
        .clients(2, move |ctx| quick_holder(ctx, plainly))
        .stores(Dht::seed(1).into())
        .key_expiries(1)
        .properties([at_most_one_believer(), no_program_fails(), somebody_holds(), everybody_is_done()])
}

/// The number of a client's grant, by the version of the lease.
fn grant(client: ClientView<'_>) -> Option<u64> {
    client.mark("grant").flatten()?.full().parse().ok()
}

/// Whose name the record bears.
fn writer<'a>(view: &View<'a>) -> Option<ClientView<'a>> {
    let record = hash_table(view).value(RECORD)?;
    view.clients().find(|c| c.mark("me").flatten().is_some_and(|me| record.text("value") == me.full()))
}

/// Once a holder knows that it has written, nothing of a former one is written any more.
fn no_overtaken_write() -> Property {
    Property::always("no overtaken write", SOURCE, |view| {
        let Some(last) = writer(view) else { return Ok(()) };
        let later = |c: &ClientView<'_>| c.is_marked("wrote") && grant(*c) > grant(last);
        match view.clients().find(later) {
            None => Ok(()),
            Some(c) => Err(format!(
                "{} was granted the lease later and has written, and the record is {}'s",
                c.name(),
                last.name()
            )),
        }
    })
    .where_marked(&["wrote"], 1)
}

/// Nobody is refused while the lease is its own.
fn no_rightful_write_refused() -> Property {
    Property::always("no rightful write is refused", SOURCE, |view| {
        let lease = hash_table(view).item(LEASE).map(|lease| (lease.data.clone(), lease.version));
        let own = |c: &ClientView<'_>| Some((Value::Text(c.mark("me")??), grant(*c)?));
        let rightful = |c: &ClientView<'_>| c.is_marked("refused") && lease.is_some() && own(c) == lease;
        match view.clients().find(rightful) {
            None => Ok(()),
            Some(c) => Err(format!("{} was refused, and the lease is its own", c.name())),
        }
    })
    .where_marked(&["refused"], 1)
}

fn world(name: &str, clients: usize, way: Way) -> Scenario {
    scenario(name).source(SOURCE).clients(clients, move |ctx| holder(ctx, way)).stores(Dht::seed(1).into()).properties(
        [no_program_fails(), somebody_holds(), somebody_is(&["wrote"], "somebody writes"), everybody_is_done()],
    )
}

/// Leases, right and faulty, and where no lease is safe.
pub fn scenarios() -> Vec<Scenario> {
    let refused = || somebody_is(&["refused"], "a late write is refused");
    let rings = || Dht::seed(2).placed("", 0).rehashing();
    // At the node of the lease something was stored before.
    let apart = || Dht::seed(2).placed(LEASE, 0).placed(RECORD, 1).with("lease of old", "somebody");
    vec![
        world("lease, nothing goes wrong", 2, Way::Right)
            .about("Two clients want the lease; PUT grants it to one, and to the other when it was given back.")
            .properties([at_most_one_believer(), no_overtaken_write(), no_rightful_write_refused()]),
        world("lease alone", 2, Way::Right)
            .about("The holder is paused, its lease expires, the next one is granted it: both believe that they hold.")
            .key_expiries(1)
            .property(at_most_one_believer())
            .breaks("at most one believer")
            .kept_within_bounds_of("lease, nothing goes wrong"),
        world("lease with a fencing number", 2, Way::Right)
            .about("The record compares the numbers of its writers: a former holder is refused once a later one has written.")
            .key_expiries(1)
            .properties([no_overtaken_write(), no_rightful_write_refused(), refused()]),
        world("lease without a fencing number", 2, Way::Unfenced)
            .about("The holder is paused before its write, its lease expires, the next holder writes, and then the write of the first arrives.")
            .key_expiries(1)
            .property(no_overtaken_write())
            .breaks("no overtaken write")
            .fixed_by("lease with a fencing number"),
        world("lease, number drawn after the grant", 2, Way::DrawnLate)
            .about("A former holder draws its number after its lease is over, and draws a higher one than the rightful holder.")
            .key_expiries(1)
            .property(no_rightful_write_refused())
            .breaks("no rightful write is refused")
            .fixed_by("lease with a fencing number"),
        released("lease given back by its version", false),
        released("lease given back by a plain delete", true)
            .breaks("at most one believer")
            .fixed_by("lease given back by its version"),
        world("lease, answers are lost", 2, Way::Right)
            .about("Calls and answers are lost, or late, or come twice. Whoever gets no answer looks whose the lease is. Nobody gives back a \
                    lease that it does not know of: that one has to expire.")
            .timeouts(1)
            .duplicates(1)
            .key_expiries(1)
            .properties([no_overtaken_write(), no_rightful_write_refused()]),
        world("lease, the record is evicted", 2, Way::Right)
            .about("The record is evicted, and with it the number that it remembers: the write of a former holder is taken again.")
            .key_expiries(1)
            .evictions(1)
            .property(no_overtaken_write())
            .breaks("no overtaken write")
            .kept_within_bounds_of("lease with a fencing number"),
        world("lease, its node starts again", 2, Way::Right)
            .about("The node of the lease starts again, and so do its versions: a rightful holder shows a lower number than the former one.")
            .stores(apart().into())
            .node_restarts(1)
            .property(no_rightful_write_refused())
            .breaks("no rightful write is refused")
            .kept_within_bounds_of("lease with a fencing number"),
        world("lease while rings differ", 2, Way::Right)
            .about("The node of the lease is lost, and the clients hash again, each when it hears of it: both are granted the lease, at \
                    different nodes.")
            .source("semantics §6.5 (M49)")
            .stores(rings().into())
            .node_losses(1)
            .node_returns(1)
            .property(at_most_one_believer())
            .breaks("at most one believer")
            .kept_within_bounds_of("lease, nothing goes wrong"),
        reservation("reservation by PUT, the ring is kept", Dht::seed(2).placed("", 0)),
        reservation("reservation by PUT, the ring changes", rings())
            .breaks("at most one believer")
            .kept_within_bounds_of("reservation by PUT, the ring is kept"),
    ]
}

/// A PUT that is never given back, by clients that may know different rings.
fn reservation(name: &str, table: Dht) -> Scenario {
    async fn reserves(ctx: Context) -> Result<(), StoreError> {
        let me = ctx.unique_id();
        loop {
            ctx.checkpoint("reserve", &[&me]);
            match ctx.dht().put("seat", me.as_str().into(), Expiration::Never).await {
                Err(StoreError::Unavailable) => ctx.sleep(PAUSE).await,
                Ok(true) => break ctx.mark_with("holds", &me),
                Ok(false) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
    scenario(name)
        .about("A seat is reserved by PUT, for good. The node of its key is lost and comes back. Clients that keep the ring are told that it \
                cannot be reached; clients that hash again reserve the seat at another node.")
        .source("semantics §6.5 (M49)")
        .clients(2, reserves)
        .stores(table.into())
        .node_losses(1)
        .node_returns(1)
        .properties([at_most_one_believer(), no_program_fails(), somebody_holds(), everybody_is_done()])
}
