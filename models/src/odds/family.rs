//! Families of programs for the chapter: the same change made to one document in different ways, by any number of clients.

use overtake_recipes::store::dht::{Dht as _, Expiration};
use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{Documents as _, and, eq, inc};
use overtake_recipes::{DataEnvironment, Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Stores};
use std::time::Duration;

use crate::property::Property;
use crate::scenario::{Scenario, scenario};

/// The collection.
const CARTS: &str = "carts";

/// How a client changes the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Reads it, thinks, writes it as a whole: the first snippet of the slides.
    Replace,
    /// The same, if the version is still the one that was read; else it begins anew at once.
    Optimistic,
    /// The same, but waits before it begins anew: for at most twice as long each time.
    BacksOff,
    /// Under a lock that is one for all documents.
    OneLock,
    /// Under a lock of the document.
    OwnLock,
    /// In one atomic update, after having thought.
    Atomic,
}

impl Way {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Optimistic => "optimistic",
            Self::BacksOff => "optimistic, backs off",
            Self::OneLock => "one lock for all",
            Self::OwnLock => "a lock for each",
            Self::Atomic => "atomic update",
        }
    }
}

/// The first pause of a client that backs off, and how long one that waits for a lock waits before it asks again.
const PAUSE: Duration = Duration::from_millis(5);
/// The longest is so many times the first.
const MOST_PAUSES: u32 = 64;

/// Between two changes a client rests for up to so long, in so many parts of which one is drawn.
pub const REST: Duration = Duration::from_millis(100);
const PARTS: u8 = 50;

/// One change of the document; answers how many attempts it took.
async fn change(ctx: &Context, way: Way, id: i64) -> Result<u32, StoreError> {
    let documents = ctx.documents();
    let mut attempts = 0;
    loop {
        attempts += 1;
        if way == Way::Atomic {
            ctx.work("think").await;
            documents.update_one(CARTS, eq("_id", id), vec![inc("amount", 1)]).await?;
            return Ok(attempts);
        }
        let Some(mut cart) = documents.find_one(CARTS, eq("_id", id)).await? else { return Ok(attempts) };
        let version = cart.int("version");
        ctx.work("think").await;
        cart.set("amount", cart.int("amount") + 1);
        cart.set("version", version + 1);
        let filter = match way {
            Way::Optimistic | Way::BacksOff => and([eq("_id", id), eq("version", version)]),
            _ => eq("_id", id),
        };
        if documents.replace_one(CARTS, filter, cart).await?.matched > 0 {
            return Ok(attempts);
        }
        if way == Way::BacksOff {
            let most = 1 << attempts.min(MOST_PAUSES.ilog2());
            ctx.sleep(PAUSE * u32::from(ctx.choose(most.min(64) as u8).await)).await;
        }
    }
}

/// One change under a lock.
async fn locked(ctx: &Context, lock: &str, id: i64) -> Result<u32, StoreError> {
    let dht = ctx.dht();
    let mut attempts = 1;
    while !dht.put(lock, 1.into(), Expiration::Never).await? {
        attempts += 1;
        ctx.sleep(PAUSE).await;
    }
    change(ctx, Way::Replace, id).await?;
    dht.del(lock).await?;
    Ok(attempts)
}

fn stores(carts: i64) -> Stores {
    let documents = (0..carts).fold(Documents::new(), |documents, id| {
        documents.with(CARTS, doc([("_id", id.into()), ("version", 0.into()), ("amount", 0.into())]))
    });
    Stores { documents: Some(documents), dht: Some(Dht::seed(1)), ..Stores::default() }
}

/// So many clients, each of which adds one to the same document once.
pub fn once(way: Way, clients: usize) -> Scenario {
    let program = move |ctx: Context| async move {
        change(&ctx, way, 0).await?;
        Ok::<_, StoreError>(())
    };
    let added = move |view: &overtake_sim::world::View<'_>| {
        let documents = view.stores().documents.as_ref().expect("a document store");
        documents.all(CARTS)[0].at("amount").and_then(|amount| amount.as_int()).unwrap_or(0)
    };
    scenario(format!("{}, {clients} clients at one cart", way.text()))
        .about("Each client reads the cart, thinks, and writes it with one more.")
        .source("seed 3, snippet 1")
        .clients(clients, program)
        .stores(stores(1))
        .property(Property::at_rest("every change is there", "semantics §7.5, snippet 1", move |view| {
            match added(view) {
                amount if amount == clients as i64 => Ok(()),
                amount => Err(format!("{clients} clients have added 1, the amount is {amount}")),
            }
        }))
}

/// So many clients that change one document (or, under locks, each its own) again and again, `rounds` times with pauses of up to
/// [`REST`] in between, and show after each round how many rounds, how many attempts, and the most attempts in one round it were so far.
pub fn contest(way: Way, clients: usize, rounds: u32) -> Scenario {
    let own = matches!(way, Way::OneLock | Way::OwnLock);
    let mut contest = scenario(format!("{}, {clients} contenders", way.text()));
    for client in 0..clients {
        let id = if own { client as i64 } else { 0 };
        let lock = if way == Way::OwnLock { format!("lock {client}") } else { "lock".into() };
        let program = move |ctx: Context| {
            let lock = lock.clone();
            async move {
                let (mut attempts, mut most) = (0, 0);
                for round in 1..=rounds {
                    ctx.checkpoint("round", &[&round.to_string(), &attempts.to_string(), &most.to_string()]);
                    let took = if own { locked(&ctx, &lock, id).await? } else { change(&ctx, way, id).await? };
                    attempts += took;
                    most = most.max(took);
                    ctx.mark_with("done", &format!("{round}/{attempts}/{most}"));
                    let part = u32::from(ctx.choose(PARTS).await);
                    ctx.sleep(REST * part / u32::from(PARTS)).await;
                }
                Ok::<_, StoreError>(())
            }
        };
        contest = contest.client(format!("contender {}", client + 1), program);
    }
    contest.stores(stores(if own { clients as i64 } else { 1 }))
}
