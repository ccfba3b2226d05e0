//! RM-09, submariner-io/admiral#953: a re-creation hides the delete before it.
//!
//! *Mechanism:* `delete` and `create` of one key come in quick succession. The syncer keeps what was deleted and what was created in maps by
//! key, and the later entry hides the earlier one. Its worker only sees the re-creation. *Smallest configuration:* 1 producer,
//! 1 consumer, one key. *Source:* <https://github.com/submariner-io/admiral/pull/953>. *Violated:* what is seen of a key is what was
//! produced, deletes included. *Repair:* a queue of operations for each key.

use std::cell::RefCell;
use std::rc::Rc;

use overtake_recipes::store::{DataEnvironment, Messages as _, Value, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P13";

const PRODUCED: [&str; 2] = ["delete", "create"];

async fn producer(ctx: Context) -> Ended {
    for operation in PRODUCED {
        ctx.messages().send("events", operation.into(), 0).await?;
    }
    Ok(())
}

/// Hands what is kept on to the other side, in its order.
async fn work_off(ctx: &Context, kept: &RefCell<Vec<String>>) -> Ended {
    let kept = std::mem::take(&mut *kept.borrow_mut());
    for operation in kept {
        change(ctx, "clusters", by_id("other"), vec![push("seen", operation)]).await?;
    }
    Ok(())
}

async fn syncer(ctx: Context, queue_for_the_key: bool) -> Ended {
    let kept = Rc::new(RefCell::new(Vec::new()));
    let worker = ctx.spawn_task({
        let (ctx, kept) = (ctx.clone(), kept.clone());
        async move {
            ctx.work("the worker's turn").await;
            work_off(&ctx, &kept).await
        }
    });
    for _ in PRODUCED {
        let event = ctx.messages().receive("events").await?;
        if !queue_for_the_key {
            kept.borrow_mut().clear();
        }
        kept.borrow_mut().push(event.body.as_text().cloned().unwrap_or_default());
        ctx.messages().acknowledge("events", &event).await?;
    }
    worker.await?;
    work_off(&ctx, &kept).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, queue_for_the_key| {
        let other = doc([("_id", "other".into()), ("seen", Value::List(Vec::new()))]);
        scenario(name)
            .about("A key is deleted and made again. The syncer keeps what happened to the key until its worker comes to it.")
            .source("https://github.com/submariner-io/admiral/pull/953")
            .stores(Stores {
                documents: Some(Documents::new().with("clusters", other)),
                messages: Some(Messages::default()),
                ..Stores::default()
            })
            .client("producer", producer)
            .client("syncer", move |ctx| syncer(ctx, queue_for_the_key))
            .properties([
                Property::always("what is seen is what was produced", "submariner-io/admiral#953", |view| {
                    let seen = see::one(view, "clusters", "other").at("seen").map_or(Vec::new(), Value::strings);
                    see::kept(PRODUCED.iter().zip(&seen).all(|(produced, seen)| produced == seen), || {
                        format!("delete and create were produced, and the other side has seen {}", seen.join(", "))
                    })
                }),
                no_program_fails(),
                everybody_is_done(),
            ])
    };
    vec![
        world("RM-09 delete hidden by create", false)
            .breaks("what is seen is what was produced")
            .fixed_by("RM-09 delete hidden by create, repaired"),
        world("RM-09 delete hidden by create, repaired", true).property(Property::at_rest(
            "all of it is seen",
            "submariner-io/admiral#953",
            |view| {
                let seen = see::one(view, "clusters", "other").at("seen").map_or(0, |seen| seen.strings().len());
                see::kept(seen == PRODUCED.len(), || format!("{seen} of 2 operations are seen"))
            },
        )),
    ]
}
