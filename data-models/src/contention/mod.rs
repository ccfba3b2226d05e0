//! Contests: clients that change documents again and again in virtual time, by the recipes of optimistic and pessimistic locking, so that
//! what contention costs can be measured.
//!
//! No call is lost here and nobody dies, so the store need not know a replace again: it runs without retryable writes, and numbers of
//! operations mean nothing.

mod chapter;

use std::cell::Cell;
use std::time::Duration;

use overtake_data_recipes::lease;
use overtake_data_recipes::optimistic::{self, OptimisticError};
use overtake_models::odds::starvation::Shown;
use overtake_models::{Scenario, scenario};
use overtake_recipes::client::RetryPolicy;
use overtake_recipes::store::documents::{eq, inc};
use overtake_recipes::store::{Documents as _, Expiration, Value, doc};
use overtake_recipes::{DataEnvironment, Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Stores};

pub use chapter::{Bottleneck, Locks, chapter, locks, used_up};

const CARTS: &str = "carts";

/// How a contender makes a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the helper of optimistic locking, with that rule for when the version is another.
    Optimistic(RetryPolicy),
    /// In one atomic update, after having thought.
    Atomic,
    /// A document of its own, under a lock that is one for all.
    OneLock,
    /// A document of its own, under a lock of its own.
    OwnLock,
}

/// A contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    /// How changes are made.
    pub way: Way,
    /// How many a contender makes at most.
    pub rounds: u32,
    /// The longest rest between two changes, in [`PARTS`] parts of which one is drawn.
    pub rest: Duration,
}

/// A rest is so many parts of the longest.
pub const PARTS: u8 = 50;

impl Contest {
    /// The contest of so many contenders. Each shows `done` after each change.
    pub fn of(&self, contenders: usize) -> Scenario {
        let mut contest = scenario(format!("contest of {contenders}"))
            .about("Contenders change documents again and again.")
            .source("seed 3: optimistic locking, pessimistic locking");
        for contender in 0..contenders {
            let own = self.clone();
            let program = move |ctx: Context| own.clone().contends(ctx, contender as i64);
            contest = contest.client(format!("contender {}", contender + 1), program);
        }
        let locks = matches!(self.way, Way::OneLock | Way::OwnLock);
        contest.stores(stores(if locks { contenders as i64 } else { 1 }))
    }

    async fn contends(self, ctx: Context, own: i64) -> Result<(), StoreError> {
        let (token, mut shown) = (ctx.unique_id(), Shown::default());
        for _ in 0..self.rounds {
            let key = [token.as_str(), &shown.text()];
            ctx.checkpoint("change", &key);
            let (attempts, given_up) = match &self.way {
                Way::Optimistic(policy) => ctx.keeping(&key, changes(&ctx, policy, None)).await?,
                Way::Atomic => {
                    ctx.work("think").await;
                    ctx.documents().update_one(CARTS, eq("_id", 0), vec![inc("amount", 1)]).await?;
                    (1, false)
                }
                Way::OneLock => ctx.keeping(&key, locked(&ctx, "lock", &token, own)).await?,
                Way::OwnLock => ctx.keeping(&key, locked(&ctx, &format!("lock {own}"), &token, own)).await?,
            };
            shown.round(attempts, given_up);
            ctx.mark_with("done", &shown.text());
            rests(&ctx, self.rest).await;
        }
        Ok(())
    }
}

/// One that thinks for that long, among others who think for a piece of work and change the document again and again, without rests.
/// Only the slow one shows what it has done.
pub fn slow_among_quick(policy: &RetryPolicy, thinks: Duration, rounds: u32, quick: usize) -> Scenario {
    let policy = policy.clone();
    let slow = move |ctx: Context| {
        let policy = policy.clone();
        async move {
            let mut shown = Shown::default();
            for _ in 0..rounds {
                let key = shown.text();
                ctx.checkpoint("change", &[&key]);
                let (attempts, given_up) = ctx.keeping(&[&key], changes(&ctx, &policy, Some(thinks))).await?;
                shown.round(attempts, given_up);
                ctx.mark_with("done", &shown.text());
            }
            Ok::<_, StoreError>(())
        }
    };
    scenario(format!("a slow one among {quick}"))
        .about("One thinks long, the others do not.")
        .source("seed 3: optimistic locking")
        .client("slow", slow)
        .clients(quick, move |ctx: Context| async move {
            loop {
                ctx.checkpoint("change", &[]);
                changes(&ctx, &optimistic::until_it_is_in(), None).await?;
            }
            #[expect(unreachable_code, reason = "names the type of the error")]
            Ok::<(), StoreError>(())
        })
        .stores(stores(1))
}

/// One change by the helper: how many attempts it took, and whether they were used up. A thought is a piece of work, or takes that long.
async fn changes(ctx: &Context, policy: &RetryPolicy, thinks: Option<Duration>) -> Result<(u64, bool), StoreError> {
    // As many as the number in the helper's checkpoint says.
    let attempts = Cell::new(0);
    let change = |mut cart: Value| {
        attempts.set(attempts.get() + 1);
        async move {
            match thinks {
                Some(thinks) => ctx.sleep(thinks).await,
                None => ctx.work("think").await,
            }
            cart.set("amount", cart.int("amount") + 1);
            cart
        }
    };
    match optimistic::update(ctx, CARTS, eq("_id", 0), policy, 1, change).await {
        Ok(_) => Ok((attempts.get(), false)),
        Err(OptimisticError::GaveUp) => Ok((attempts.get(), true)),
        Err(OptimisticError::Store(error)) => Err(error),
        Err(OptimisticError::NotFound) => Err(StoreError::BadRequest),
    }
}

/// One change of a document of its own, under the lock: a lease without end.
async fn locked(ctx: &Context, lock: &str, token: &str, id: i64) -> Result<(u64, bool), StoreError> {
    let held = lease::acquire(ctx, lock, token, Expiration::Never).await?;
    let documents = ctx.documents();
    let mut cart = documents.find_one(CARTS, eq("_id", id)).await?.ok_or(StoreError::BadRequest)?;
    ctx.work("think").await;
    cart.set("amount", cart.int("amount") + 1);
    documents.replace_one(CARTS, eq("_id", id), cart).await?;
    lease::release(ctx, &held).await?;
    Ok((1, false))
}

async fn rests(ctx: &Context, longest: Duration) {
    if !longest.is_zero() {
        let part = u32::from(ctx.choose(PARTS).await);
        ctx.sleep(longest * part / u32::from(PARTS)).await;
    }
}

fn stores(carts: i64) -> Stores {
    let cart = |id: i64| doc([("_id", id.into()), ("version", 0.into()), ("amount", 0.into())]);
    let documents = (0..carts).fold(Documents::new(), |documents, id| documents.with(CARTS, cart(id)));
    Stores { documents: Some(documents.without_retryable_writes()), dht: Some(Dht::seed(1)), ..Stores::default() }
}
