//! CA-07, vendurehq/vendure#4930: stock is checked in one transition of an order and allocated in the next.
//!
//! *Mechanism:* the first transition checks the saleable stock without a lock; other orders pass the same check. When the payment is
//! settled, the second allocates by read, change, write: too much is allocated, increments are lost, or (where the write is clamped to
//! what is left) a paid order gets less than it has paid for. *Smallest configuration:* 2 clients, one stock record, two orders.
//! *Source:* <https://github.com/vendurehq/vendure/pull/4930>, <https://github.com/vendurehq/vendure/issues/3508>. *Violated:* the sum
//! of the allocations is at most what is on hand; a paid order is fully allocated. *Repair:* rows are locked and checked again when
//! they are allocated; an order that comes too late is cancelled and paid back.
//!
//! *Disputed:* the report locks, looks again, *and clamps the write*, and the clamped write breaks "a paid order is fully allocated" (an order
//! gets nothing, and stays paid). The program that is proved keeps the property by another state, "paid back", which the report does not have.
//!
//! Translated from SQL: transactions at read committed.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::set;
use overtake_recipes::store::{DataEnvironment, Documents as _, Isolation, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

#[derive(Clone, Copy, Debug)]
enum Way {
    /// Read, change, write.
    Blind,
    /// Under a lock, what is left and no more.
    Clamped,
    /// Under a lock, all or nothing.
    Rechecked,
}

async fn order(ctx: Context, way: Way) -> Ended {
    let me = ctx.unique_id();
    let stock = read(&ctx, "stock", "book").await?;
    if stock.int("on hand") - stock.int("allocated") < 1 {
        ctx.mark("sold out");
        return Ok(());
    }
    let paid = doc([("_id", (&me).into()), ("state", "paid".into()), ("allocated", 0.into())]);
    ctx.documents().insert("orders", paid).await?;
    ctx.mark("paid");
    if let Way::Blind = way {
        let before = read(&ctx, "stock", "book").await?.int("allocated");
        change(&ctx, "stock", by_id("book"), vec![set("allocated", before + 1)]).await?;
        change(&ctx, "orders", by_id(&me), vec![set("allocated", 1)]).await?;
        return Ok(());
    }
    let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    let stock = transaction.lock("stock", "book").await?;
    let before = stock.int("allocated");
    let gets = (stock.int("on hand") - before).clamp(0, 1);
    if gets == 0 && matches!(way, Way::Rechecked) {
        transaction.change("orders", by_id(&me), vec![set("state", "paid back")]).await?;
        ctx.unmark("paid");
    } else {
        transaction.change("stock", by_id("book"), vec![set("allocated", before + gets)]).await?;
        transaction.change("orders", by_id(&me), vec![set("allocated", gets)]).await?;
    }
    transaction.commit().await
}

fn allocations_within_the_stock() -> Property {
    Property::always("allocations are within the stock", "vendurehq/vendure#4930", |view| {
        let on_hand = see::one(view, "stock", "book").int("on hand");
        let allocated = see::sum(&see::all(view, "orders"), "allocated");
        see::kept(allocated <= on_hand, || format!("orders have {allocated} allocated, {on_hand} are on hand"))
    })
}

fn paid_is_allocated() -> Property {
    Property::at_rest("a paid order is fully allocated", "vendurehq/vendure#4930", |view| {
        let orders = see::all(view, "orders");
        let short = orders.iter().find(|order| order.text("state") == "paid" && order.int("allocated") < 1);
        see::kept(short.is_none(), || "an order is paid and has nothing allocated".into())
    })
}

/// The faulty programs and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        let stock = doc([("_id", "book".into()), ("on hand", 1.into()), ("allocated", 0.into())]);
        scenario(name)
            .about("Two orders pass the check for the last piece and are paid; what is left is looked at (or not) when it is allocated.")
            .source("https://github.com/vendurehq/vendure/pull/4930")
            .stores(documents(Documents::new().with("stock", stock)))
            .clients(2, move |ctx| order(ctx, way))
            .properties([
                allocations_within_the_stock(),
                paid_is_allocated(),
                no_program_fails(),
                somebody_is(&["paid"], "somebody pays"),
                somebody_is(&["sold out"], "somebody is told that it is sold out"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-07 allocated after the check", Way::Blind)
            .breaks("allocations are within the stock")
            .fixed_by("CA-07 allocated after the check, repaired"),
        world("CA-07 allocated after the check, clamped", Way::Clamped)
            .breaks("a paid order is fully allocated")
            .fixed_by("CA-07 allocated after the check, repaired"),
        world("CA-07 allocated after the check, repaired", Way::Rechecked),
    ]
}
