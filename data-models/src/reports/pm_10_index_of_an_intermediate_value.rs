//! PM-10, HarperFast/harper#1968: two writes to one record in one transaction leave the index entry of the value in between.
//!
//! *Mechanism:* a record has status A, the index says A. In one transaction the first write takes it to B and stages: out A, in B. The second takes it
//! to C, compares with the committed record, and stages: out A, in C. After the commit the index says B and C. *Smallest configuration:*
//! 1 client, a record and its index, no fault. *Source:* <https://github.com/HarperFast/harper/issues/1968>,
//! <https://github.com/HarperFast/harper/pull/1970>. *Violated:* the index entries of a record are its current value. *Repair:* the second
//! write compares with the staged record.

use overtake_recipes::StoreError;
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

/// What a transaction has staged.
#[derive(Default)]
struct Staged {
    record: Option<String>,
    out: Vec<String>,
    into: Vec<String>,
}

impl Staged {
    /// Stages a new value of the record, and what it changes in the index.
    async fn write(&mut self, ctx: &Context, value: &str, sees_own: bool) -> Ended {
        let committed = get(ctx, "record").await?.data.as_text().cloned().ok_or(StoreError::BadRequest)?;
        let old = self.record.clone().filter(|_| sees_own).unwrap_or(committed);
        self.into.retain(|entry| !sees_own || *entry != old);
        self.out.push(old);
        self.into.push(value.to_owned());
        self.record = Some(value.to_owned());
        Ok(())
    }

    async fn commit(self, ctx: &Context) -> Ended {
        let mut index = get(ctx, "index").await?.data.strings();
        index.retain(|entry| !self.out.contains(entry));
        index.extend(self.into);
        put(ctx, "record", self.record.unwrap_or_default()).await?;
        put(ctx, "index", index).await
    }
}

async fn client(ctx: Context, sees_own: bool) -> Ended {
    let mut transaction = Staged::default();
    transaction.write(&ctx, "B", sees_own).await?;
    transaction.write(&ctx, "C", sees_own).await?;
    transaction.commit(&ctx).await?;
    ctx.mark("committed");
    Ok(())
}

fn the_index_is_the_record() -> Property {
    Property::at_rest("the index entries of a record are its value", "HarperFast/harper#1968", |view| {
        let (record, index) = (see::data(view, "record"), see::data(view, "index"));
        let value: Vec<_> = record.as_text().cloned().into_iter().collect();
        see::kept(index.strings() == value, || format!("the record is {record}, the index says {index}"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, sees_own| {
        scenario(name)
            .about("A transaction writes a record twice. Each write stages what it changes in the index.")
            .source("https://github.com/HarperFast/harper/issues/1968")
            .stores(Dht::seed(1).with("record", "A").with("index", vec!["A"]).into())
            .client("client", move |ctx| client(ctx, sees_own))
            .properties([
                the_index_is_the_record(),
                no_program_fails(),
                somebody_is(&["committed"], "the transaction is committed"),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-10 index of an intermediate value", false)
            .breaks("the index entries of a record are its value")
            .fixed_by("PM-10 index of an intermediate value, repaired"),
        world("PM-10 index of an intermediate value, repaired", true),
    ]
}
