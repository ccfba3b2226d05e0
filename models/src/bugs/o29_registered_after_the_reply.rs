//! O29: a client library puts a watch into its table after the reply has come.
//!
//! Reply and event travel on one connection, the event second. The receiving task hands the reply to the caller and
//! reads on; it looks up the event's watcher before the caller has put itself into the table. The event is dropped.
//!
//! Smallest: 1 client with two tasks, a change right after the read.
//! Source: <https://github.com/go-zookeeper/zk/commit/f86b881>.

use std::cell::Cell;
use std::rc::Rc;
use std::task::Poll;

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::node_event;
use crate::property::*;
use crate::scenario::Scenario;

/// What the caller and the receiving task of the library share: one reply, one watcher, one event.
#[derive(Default)]
struct Library {
    reply: Cell<Option<Result<Vec<u8>, ZkError>>>,
    registered: Cell<bool>,
    event: Cell<bool>,
}

impl Library {
    /// Reads from the connection.
    async fn receive<const REGISTERS: bool>(&self, ctx: &Context) {
        let (reply, watch) = match ctx.zookeeper().watch_data("/value").await {
            Ok((value, _, watch)) => (Ok(value), Some(watch)),
            Err(error) => (Err(error), None),
        };
        self.registered.set(REGISTERS);
        self.reply.set(Some(reply));
        if let Some(mut watch) = watch {
            node_event(&mut watch).await;
            // Without a watcher in the table the event is dropped.
            self.event.set(self.registered.get());
        }
    }

    async fn reply(&self) -> Result<Vec<u8>, ZkError> {
        std::future::poll_fn(|_| self.reply.take().map_or(Poll::Pending, Poll::Ready)).await
    }

    async fn event(&self) {
        std::future::poll_fn(|_| if self.event.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

async fn reader<const REGISTERS: bool>(ctx: Context) -> Result<(), ZkError> {
    let library = Rc::new(Library::default());
    let (receiving, inside) = (library.clone(), ctx.clone());
    ctx.spawn(async move { receiving.receive::<REGISTERS>(&inside).await });
    let value = library.reply().await?;
    ctx.work("the caller is scheduled").await;
    library.registered.set(true);
    if value != b"new" {
        ctx.mark("waits");
        library.event().await;
        ctx.unmark("waits");
    }
    Ok(())
}

async fn writer(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.set_data("/value", b"new", None).await.map(drop)
}

/// The faulty library and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let change = |s: Scenario| s.client("writer", writer);
    Report {
        name: "O29 registered after the reply",
        source: "https://github.com/go-zookeeper/zk/commit/f86b881",
        about: "A reader waits for a new value through a library whose caller enters the table of watchers itself, after \
                it has the reply. Repaired: the receiving task enters it before it reads on.",
        violates: "the reader hears of the change",
    }
    .pair(
        |s| change(s.client("reader", reader::<false>)),
        |s| change(s.client("reader", reader::<true>)),
        |s| {
            let deaf = |view: &overtake_sim::world::View<'_>| match view.clients().find(|c| c.is_marked("waits")) {
                Some(c) => Err(format!("the value has changed, and {} waits for it", c.name())),
                None => Ok(()),
            };
            s.node("/value").properties([
                Property::at_rest("the reader hears of the change", "go-zookeeper f86b881", deaf),
                no_program_fails(),
                somebody_is(&["waits"], "the reader waits"),
            ])
        },
    )
}
