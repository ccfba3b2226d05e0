//! RX-04, confluentinc/kafka-connect-elasticsearch#374: a version conflict is ignored, and the message is gone.
//!
//! *Mechanism:* two topics write different fields of one document. The server's get-merge-put for one conflicts with the other's; the
//! connector logs "ignoring version conflict" and commits the offset: its fields are lost. *Smallest configuration:* 2 consumers, one
//! document with 2 fields. *Source:* <https://github.com/confluentinc/kafka-connect-elasticsearch/issues/374>,
//! <https://github.com/couchbase/sync_gateway/issues/1339>. *Violated:* the fields of every committed message are in the document.
//! *Repair:* the merge is tried again. *Trap:* that is right for fields that are merged, and wrong for a value that was computed from
//! an earlier read.
//!
//! Translated: the server's get-merge-put is two calls, a read and a change at the version that was read. In the trap's worlds a message says
//! that something was sold, and the consumer computes the new count from its own read.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P17";

/// The server's update of a document by a part of it; `false` on a conflict.
async fn merge(ctx: &Context, field: &'static str, value: Value) -> Result<bool, StoreError> {
    let version = read(ctx, "docs", "d").await?.int("version");
    let same = and([by_id("d"), eq("version", version)]);
    change(ctx, "docs", same, vec![set(field, value), inc("version", 1)]).await
}

async fn consume_field(ctx: Context, field: &'static str, again: bool) -> Ended {
    while !merge(&ctx, field, 1.into()).await? {
        ctx.mark("meets a conflict");
        if !again {
            break;
        }
    }
    ctx.mark_with("committed", field);
    Ok(())
}

async fn consume_sale(ctx: Context, computes_again: bool) -> Ended {
    let mut sold = read(&ctx, "docs", "d").await?;
    loop {
        let count = sold.int("sold") + 1;
        let merged = match computes_again {
            false => merge(&ctx, "sold", count.into()).await?,
            // At the version from which it was computed.
            true => {
                let same = and([by_id("d"), eq("version", sold.int("version"))]);
                change(&ctx, "docs", same, vec![set("sold", count), inc("version", 1)]).await?
            }
        };
        if merged {
            break;
        }
        ctx.mark("meets a conflict");
        if computes_again {
            sold = read(&ctx, "docs", "d").await?;
        }
    }
    ctx.mark("committed a sale");
    Ok(())
}

fn committed_is_there() -> Property {
    Property::always("what is committed is in the document", "confluentinc/kafka-connect-elasticsearch#374", |view| {
        let document = see::one(view, "docs", "d");
        for client in see::who(view, "committed") {
            let field = see::shown(&client, "committed").unwrap_or_default();
            see::kept(document.int(&field) == 1, || {
                format!("the message with {field} is committed, and the document is {document}")
            })?;
        }
        Ok(())
    })
    .where_marked(&["committed"], 1)
}

fn sales_are_counted() -> Property {
    Property::at_rest(
        "committed sales are counted",
        "confluentinc/kafka-connect-elasticsearch#374 (own analysis)",
        |view| {
            let (sold, committed) = (see::one(view, "docs", "d").int("sold"), see::marked(view, "committed a sale"));
            see::kept(sold == committed, || format!("{committed} sales are committed, and {sold} counted"))
        },
    )
}

/// The faulty program, the repaired one, its trap, and the repair of that.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str| {
        scenario(name)
            .about(about)
            .source("https://github.com/confluentinc/kafka-connect-elasticsearch/issues/374")
            .stores(documents(Documents::new().with("docs", doc([("_id", "d".into()), ("version", 0.into())]))))
            .properties([
                no_program_fails(),
                somebody_is(&["meets a conflict"], "somebody meets a conflict"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let fields = |name: &str, again| {
        world(name, "Two consumers merge different fields into one document; the one that conflicts commits its message all the same.")
            .client("consumer a", move |ctx| consume_field(ctx, "a", again))
            .client("consumer b", move |ctx| consume_field(ctx, "b", again))
            .property(committed_is_there())
    };
    let sales = |name: &str, computes_again| {
        world(name, "Two consumers count a sale each from what they have read, and their writes are merged again on a conflict.")
            .clients(2, move |ctx| consume_sale(ctx, computes_again))
            .property(sales_are_counted())
    };
    vec![
        fields("RX-04 conflict ignored", false)
            .breaks("what is committed is in the document")
            .fixed_by("RX-04 conflict ignored, repaired"),
        fields("RX-04 conflict ignored, repaired", true),
        sales("RX-04 conflict ignored, trap: merging what was computed", false)
            .breaks("committed sales are counted")
            .fixed_by("RX-04 conflict ignored, repaired by computing again"),
        sales("RX-04 conflict ignored, repaired by computing again", true),
    ]
}
