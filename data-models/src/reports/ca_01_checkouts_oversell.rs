//! CA-01, saleor/saleor#543: two checkouts allocate more stock than there is.
//!
//! *Mechanism:* both read that one piece is available, both pass the check, both add 1 to what is allocated. *Smallest
//! configuration:* 2 clients, one record. *Source:* <https://github.com/saleor/saleor/issues/543>. *Violated:* what is allocated is at
//! most what there is. *Repair:* the check stands in the predicate of the increment; or a row lock is held from the check to the write.
//!
//! Translated from SQL: the stock row is a document.

use overtake_recipes::store::documents::{and, inc};
use overtake_recipes::store::{Isolation, doc};
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
    CheckFirst,
    Condition,
    RowLock,
}

async fn checkout(ctx: Context, way: Way) -> Ended {
    let allocated = match way {
        Way::CheckFirst => {
            let stock = read(&ctx, "stock", "book").await?;
            let available = stock.int("quantity") - stock.int("allocated");
            available >= 1 && change(&ctx, "stock", by_id("book"), vec![inc("allocated", 1)]).await?
        }
        Way::Condition => {
            let stock = read(&ctx, "stock", "book").await?;
            let free = and([by_id("book"), less("allocated", stock.int("quantity"))]);
            change(&ctx, "stock", free, vec![inc("allocated", 1)]).await?
        }
        Way::RowLock => {
            let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
            let stock = transaction.lock("stock", "book").await?;
            let available = stock.int("quantity") - stock.int("allocated");
            let allocated =
                available >= 1 && transaction.change("stock", by_id("book"), vec![inc("allocated", 1)]).await?;
            transaction.commit().await?;
            allocated
        }
    };
    ctx.mark(if allocated { "allocated" } else { "sold out" });
    Ok(())
}

fn allocated_within_the_stock() -> Property {
    Property::always("what is allocated is in stock", "saleor/saleor#543", |view| {
        let stock = see::one(view, "stock", "book");
        let (quantity, allocated) = (stock.int("quantity"), stock.int("allocated"));
        see::kept(allocated <= quantity, || format!("{allocated} are allocated, {quantity} are in stock"))
    })
}

/// The faulty program and the repaired ones.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("Two checkouts see the last piece, both pass the check, and both allocate it.")
            .source("https://github.com/saleor/saleor/issues/543")
            .stores(documents(
                Documents::new()
                    .with("stock", doc([("_id", "book".into()), ("quantity", 1.into()), ("allocated", 0.into())])),
            ))
            .clients(2, move |ctx| checkout(ctx, way))
            .properties([
                allocated_within_the_stock(),
                no_program_fails(),
                somebody_is(&["allocated"], "somebody gets it"),
                somebody_is(&["sold out"], "somebody is told that it is sold out"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-01 checkouts oversell", Way::CheckFirst)
            .breaks("what is allocated is in stock")
            .fixed_by("CA-01 checkouts oversell, repaired"),
        world("CA-01 checkouts oversell, repaired", Way::Condition),
        world("CA-01 checkouts oversell, repaired by a row lock", Way::RowLock),
    ]
}
