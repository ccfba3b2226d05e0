//! O84, CURATOR-645: two latches reset each other for ever.
//!
//! *Mechanism:* one candidate is about to watch its predecessor. The predecessor, connected again, deletes its node
//! and creates another behind the first, whose predecessor is gone now: it resets too, deletes and creates. Now it
//! stands behind the other, whose predecessor is gone, and so on. *Smallest configuration:* 2 clients, 1 reconnect,
//! an adverse order. *Source:* <https://github.com/apache/curator/issues/1161>. *Violated:* with stable connections
//! some candidate becomes leader. *Repair:* when the predecessor is gone list again and keep the node.
//!
//! The endless loop is rendered as a bound: one reconnect is reason for one reset, and five resets in all are too
//! many. A candidate stops after its fourth.

use overtake_recipes::lock::{Contender, LockError, Queue};
use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LATCH: &str = "/latch";
const MOST: u8 = 4;

async fn reset(ctx: &Context, me: Contender<Context>, resets: &mut u8) -> Result<Contender<Context>, LockError> {
    *resets += 1;
    ctx.mark_with("resets", &resets.to_string());
    let queue = me.queue().clone();
    me.leave("latch: reset").await?;
    queue.join().await
}

async fn latch(ctx: Context, keeps: bool) -> Result<(), LockError> {
    let mut me = Queue::new(ctx.clone(), LATCH).join().await?;
    let mut resets = 0;
    while resets < MOST {
        let names = me.list("latch: list").await?;
        let Some(at) = me.position(&names) else {
            me = reset(&ctx, me, &mut resets).await?;
            continue;
        };
        if at == 0 {
            ctx.mark("leads");
            let mut events = ctx.zookeeper().session_events();
            while events.next().await != WatchedEvent::Session(SessionState::Connected) {}
            ctx.unmark("leads");
            me = reset(&ctx, me, &mut resets).await?;
            continue;
        }
        let before = &names[at - 1];
        match me.watch(before).await? {
            Some(mut watch) => drop(me.wait(before, &mut watch).await?),
            None if keeps => {}
            None => me = reset(&ctx, me, &mut resets).await?,
        }
    }
    Ok(())
}

fn resets_come_to_an_end() -> Property {
    Property::always("resets come to an end", "CURATOR-645", |view| {
        let resets = view.clients().map(|c| {
            let resets = c.mark("resets").flatten();
            resets.map_or(0, |text| text.to_string().parse().unwrap_or(0))
        });
        match resets.sum::<u8>() {
            0..=MOST => Ok(()),
            n => Err(format!("one reconnect has led to {n} resets, and nobody leads")),
        }
    })
    .where_marked(&["resets"], 1)
}

fn somebody_leads_in_the_end() -> Property {
    Property::at_rest("somebody leads in the end", "CURATOR-645", |view| {
        match view.clients().any(|c| c.is_marked("leads")) {
            true => Ok(()),
            false => Err("nothing can happen any more, and nobody leads".into()),
        }
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, keeps| {
        scenario(name)
            .about(
                "A leader reconnects and stands anew. Its successor finds its predecessor gone and stands anew as well, \
                 in front of whom the first finds its predecessor gone, and so on.",
            )
            .source("https://github.com/apache/curator/issues/1161")
            .node(LATCH)
            .clients(2, move |ctx| latch(ctx, keeps))
            .disconnects(1)
            .properties([
                resets_come_to_an_end(),
                somebody_leads_in_the_end(),
                no_program_fails(),
                somebody_is(&["leads"], "somebody leads"),
                somebody_is(&["resets"], "somebody resets"),
            ])
    };
    vec![
        world("O84 latches reset each other", false)
            .breaks("resets come to an end")
            .fixed_by("O84 latches reset each other, repaired"),
        world("O84 latches reset each other, repaired", true),
    ]
}
