//! CA-02, saleor/saleor#544: a voucher is used more often than it may be.
//!
//! *Mechanism:* both orders read that the voucher has not been used, both are accepted, both count the use. *Smallest configuration:*
//! 2 clients, one voucher, two orders. *Source:* <https://github.com/saleor/saleor/issues/544>. *Violated:* accepted uses are at most
//! the limit. *Repair:* the use is claimed, with the limit as a predicate, before the order is confirmed.
//!
//! Translated from SQL: voucher and orders are documents.

use overtake_recipes::store::documents::{and, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

async fn order(ctx: Context, claims: bool) -> Ended {
    let voucher = read(&ctx, "vouchers", "SUMMER").await?;
    let limit = voucher.int("limit");
    let accepted = match claims {
        true => {
            let unused = and([by_id("SUMMER"), less("used", limit)]);
            change(&ctx, "vouchers", unused, vec![inc("used", 1)]).await?
        }
        false => voucher.int("used") < limit,
    };
    if !accepted {
        ctx.mark("refused");
        return Ok(());
    }
    ctx.documents().insert("orders", doc([("voucher", "SUMMER".into())])).await?;
    if !claims {
        change(&ctx, "vouchers", by_id("SUMMER"), vec![inc("used", 1)]).await?;
    }
    ctx.mark("accepted");
    Ok(())
}

fn uses_within_the_limit() -> Property {
    Property::always("uses are within the limit", "saleor/saleor#544", |view| {
        let (limit, uses) = (see::one(view, "vouchers", "SUMMER").int("limit"), see::all(view, "orders").len());
        see::kept(uses as i64 <= limit, || format!("{uses} orders have the voucher, {limit} may"))
    })
}

fn uses_are_counted() -> Property {
    Property::at_rest("uses are counted", "saleor/saleor#544", |view| {
        let (used, uses) = (see::one(view, "vouchers", "SUMMER").int("used"), see::all(view, "orders").len());
        see::kept(used == uses as i64, || format!("{used} uses are counted, and {uses} orders have the voucher"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, claims| {
        let voucher = doc([("_id", "SUMMER".into()), ("limit", 1.into()), ("used", 0.into())]);
        scenario(name)
            .about("Two orders see an unused voucher and are both accepted with it; each counts its use afterwards.")
            .source("https://github.com/saleor/saleor/issues/544")
            .stores(documents(Documents::new().with("vouchers", voucher)))
            .clients(2, move |ctx| order(ctx, claims))
            .properties([
                uses_within_the_limit(),
                uses_are_counted(),
                no_program_fails(),
                somebody_is(&["accepted"], "somebody uses it"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-02 voucher past its limit", false)
            .breaks("uses are within the limit")
            .fixed_by("CA-02 voucher past its limit, repaired"),
        world("CA-02 voucher past its limit, repaired", true),
    ]
}
