//! Claims about locks kept in one record, translated to a node that is written by its version.

use overtake_recipes::retry::PAUSE;
use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const RECORD: &str = "/record";
const CLOCK: &str = "/clock";

/// Takes the record when it is empty, works, and gives it back: by its version, or by looking and writing.
async fn scripted(ctx: Context, atomic: bool) -> Result<(), ZkError> {
    let (zk, me) = (ctx.zookeeper(), ctx.unique_id());
    let (named, stat) = zk.get_data(RECORD).await?;
    if !named.is_empty() {
        return Ok(());
    }
    let taken = match zk.set_data(RECORD, me.as_bytes(), Some(stat.version)).await {
        Ok(stat) => stat,
        Err(ZkError::BadVersion) => return Ok(()),
        Err(error) => return Err(error),
    };
    ctx.mark_with("took", &me);
    ctx.work("work").await;
    ctx.unmark("took");
    if atomic {
        return match zk.set_data(RECORD, b"", Some(taken.version)).await {
            Ok(_) | Err(ZkError::BadVersion) => Ok(()),
            Err(error) => Err(error),
        };
    }
    let (named, _) = zk.get_data(RECORD).await?;
    if named == me.as_bytes() {
        zk.set_data(RECORD, b"", None).await?;
    }
    Ok(())
}

/// Ends the lease of whoever is named, once, and takes the record.
async fn successor(ctx: Context) -> Result<(), ZkError> {
    let (zk, me) = (ctx.zookeeper(), ctx.unique_id());
    let (named, stat) = zk.get_data(RECORD).await?;
    if named.is_empty() {
        return Ok(());
    }
    match zk.set_data(RECORD, me.as_bytes(), Some(stat.version)).await {
        Ok(_) => ctx.mark_with("holds", &me),
        Err(ZkError::BadVersion) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The successor keeps what it took: nobody whose lease is over releases it.
fn the_record_stays_with_its_successor() -> Property {
    let record = Text::new(RECORD);
    Property::always("no release of another's lock", "redlock-rb#99, redis#4308", move |view| {
        let named = view.zookeeper().data(record).flatten();
        match view.clients().find(|c| c.mark("holds").is_some_and(|me| me != named)) {
            None => Ok(()),
            Some(c) => Err(format!("{} took the record, and somebody else released it", c.name())),
        }
    })
    .where_marked(&["holds"], 1)
}

/// redlock-rb#99, redis#4308: "get and del in the script can be interleaved". Scripts are atomic; translated, a release is
/// one conditional write.
fn scripts() -> Vec<Scenario> {
    let world = |name: &str, about: &str, atomic: bool| {
        scenario(name)
            .about(about)
            .source("https://github.com/redis/redis/issues/4308")
            .node(RECORD)
            .client("holder", move |ctx| scripted(ctx, atomic))
            .client("successor", successor)
            .properties([
                the_record_stays_with_its_successor(),
                no_program_fails(),
                somebody_is(&["took"], "somebody takes the record"),
                somebody_is(&["holds"], "somebody succeeds a holder"),
                everybody_is_done(),
            ])
    };
    vec![
        world("no bug: release in one script", "A release compares and clears the record in one step.", true),
        world(
            "mutant: release in two steps",
            "A release compares the record and clears it in a second step; between them it changes hands.",
            false,
        )
        .breaks("no release of another's lock")
        .fixed_by("no bug: release in one script"),
    ]
}

const LEASE: u32 = 1;
const SKEW: u32 = 2;

async fn number(ctx: &Context, path: &str) -> Result<(u32, i32), ZkError> {
    let (data, stat) = ctx.zookeeper().get_data(path).await?;
    let number = std::str::from_utf8(&data).ok().and_then(|text| text.parse().ok());
    Ok((number.unwrap_or(0), stat.version))
}

/// Renews the lease once: writes the time by its own clock, which is right.
async fn lessee(ctx: Context) -> Result<(), ZkError> {
    let (now, _) = number(&ctx, CLOCK).await?;
    let (_, version) = number(&ctx, RECORD).await?;
    match ctx.zookeeper().set_data(RECORD, (now + LEASE).to_string().as_bytes(), Some(version)).await {
        Ok(_) | Err(ZkError::BadVersion) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Takes the record over when the lease is over: by what is written there, or by what it has seen itself. Its clock is
/// fast.
async fn candidate(ctx: Context, trusts_the_record: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let (until, version) = number(&ctx, RECORD).await?;
    if until == 0 {
        return Ok(());
    }
    let seen = number(&ctx, CLOCK).await?.0 + SKEW;
    ctx.sleep(PAUSE).await;
    let now = number(&ctx, CLOCK).await?.0 + SKEW;
    let over = if trusts_the_record { now >= until } else { now >= seen + LEASE };
    if over {
        match zk.set_data(RECORD, b"", Some(version)).await {
            Ok(_) => ctx.mark_with("took over", &until.to_string()),
            Err(ZkError::BadVersion) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn clock(ctx: Context) -> Result<(), ZkError> {
    for tick in 1_u32..=2 {
        ctx.zookeeper().set_data(CLOCK, tick.to_string().as_bytes(), None).await?;
    }
    Ok(())
}

/// Nobody takes a lease over before its end by the right clock.
fn no_running_lease_is_taken() -> Property {
    let clock = Text::new(CLOCK);
    Property::always("no running lease is taken over", "kubernetes/client-go#448", move |view| {
        let number = |text: Option<Text>| text.and_then(|text| text.to_string().parse::<u32>().ok()).unwrap_or(0);
        let now = number(view.zookeeper().data(clock).flatten());
        match view.clients().find(|c| c.is_marked("took over") && number(c.mark("took over").flatten()) > now) {
            None => Ok(()),
            Some(c) => Err(format!("{} took over a lease that runs on, the clock says {now}", c.name())),
        }
    })
    .where_marked(&["took over"], 1)
}

/// kubernetes/client-go#448: the proposal to trust the recorded time was rejected, for clocks differ.
fn leases() -> Vec<Scenario> {
    let world = |name: &str, about: &str, trusts: bool| {
        scenario(name)
            .about(about)
            .source("https://github.com/kubernetes/client-go/issues/448")
            .node(CLOCK)
            .node(RECORD)
            .client("lessee", lessee)
            .client("candidate", move |ctx| candidate(ctx, trusts))
            .client("clock", clock)
            .properties([
                no_running_lease_is_taken(),
                no_program_fails(),
                somebody_is(&["took over"], "somebody takes a lease over"),
                everybody_is_done(),
            ])
    };
    vec![
        world(
            "no bug: lease timed by who waits for it",
            "A candidate waits for the length of the lease by its own clock from when it saw the record, whatever time is \
             written there.",
            false,
        ),
        world(
            "mutant: recorded time trusted",
            "A candidate compares its own clock, which is fast, with the time that the holder has written.",
            true,
        )
        .breaks("no running lease is taken over")
        .fixed_by("no bug: lease timed by who waits for it"),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    [scripts(), leases()].concat()
}
