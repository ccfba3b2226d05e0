//! EX-04, redis/redis-py#415 (the same: nexspence#223, twenty#25661): a release after the expiry deletes another's lock.
//!
//! *Mechanism:* a slow holder's lock expires. Another acquires. The slow one deletes the lock. A third acquires while the second is
//! inside. *Smallest configuration:* 3 clients, 1 key, the clock. *Source:* <https://github.com/redis/redis-py/issues/415>,
//! <https://github.com/nexspence/nexspence/issues/223>, <https://github.com/twentyhq/twenty/issues/25661>. *Violated:* at most one holds; a
//! release removes only the own lock. *Repair:* compare and delete. *Trap:* the client looks at its own clock before it deletes.
//!
//! The clock is a key that all can read, and a client that lets it tick: then the slow one's lock is over, and goes. The others release in time.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P21";

const SLOW: &str = "slow";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Deletes,
    LooksAtTheClock,
    Compares,
}

async fn take(ctx: &Context, me: &str) -> Result<bool, StoreError> {
    ctx.dht().put("lock", me.into(), Expiration::Never).await
}

async fn release(ctx: &Context, me: &str, way: Way) -> Ended {
    let dht = ctx.dht();
    if way == Way::Compares {
        if let Some(lock) = dht.get("lock").await?
            && lock.data == me.into()
        {
            dht.del_if("lock", lock.version).await?;
        }
        return Ok(());
    }
    // Whose lease ends at 1.
    if way == Way::LooksAtTheClock && me == SLOW && get(ctx, "clock").await?.data == 1.into() {
        return Ok(());
    }
    dht.del("lock").await.map(drop)
}

async fn slow(ctx: Context, way: Way) -> Ended {
    if take(&ctx, SLOW).await? {
        release(&ctx, SLOW, way).await?;
    }
    Ok(())
}

async fn rival(ctx: Context, way: Way) -> Ended {
    let me = ctx.unique_id();
    loop {
        ctx.checkpoint("acquire", &[&me]);
        if take(&ctx, &me).await? {
            break;
        }
        ctx.sleep(std::time::Duration::from_millis(50)).await;
    }
    ctx.mark_with("holds", &me);
    ctx.work("work").await;
    ctx.unmark("holds");
    release(&ctx, &me, way).await
}

/// Ticks, and the lock of the slow client is over from then on.
async fn clock(ctx: Context) -> Ended {
    put(&ctx, "clock", 1).await?;
    if let Some(lock) = ctx.dht().get("lock").await?
        && lock.data == SLOW.into()
        && ctx.dht().del_if("lock", lock.version).await?
    {
        ctx.mark("ended a lease");
    }
    Ok(())
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("A client is slow: when it releases its lock, that is over, and another's.")
            .source("https://github.com/redis/redis-py/issues/415")
            .stores(Dht::seed(1).with("clock", 0).into())
            .client(SLOW, move |ctx| slow(ctx, way))
            .client("clock", clock)
            .clients(2, move |ctx| rival(ctx, way))
            .properties([
                at_most_one_believer(),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["ended a lease"], "a lease ends"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-04 release of another's lock", Way::Deletes)
            .breaks("at most one believer")
            .fixed_by("EX-04 release of another's lock, repaired"),
        world("EX-04 release of another's lock, trap: a look at the clock", Way::LooksAtTheClock)
            .breaks("at most one believer")
            .fixed_by("EX-04 release of another's lock, repaired"),
        world("EX-04 release of another's lock, repaired", Way::Compares),
    ]
}
