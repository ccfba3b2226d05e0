//! Two-phase commit, right and spoilt.

use overtake_recipes::lock::LockError;
use overtake_recipes::two_phase_commit::faulty::*;
use overtake_recipes::two_phase_commit::{Transaction, TwoPhaseCommit, Vote};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const TX: &str = "/tx";
const SITES: [&str; 3] = ["a", "b", "c"];

/// Names the sites. Its death is nobody's business but that of those who have not been told.
async fn coordinator<T: TwoPhaseCommit<Context>>(ctx: Context, sites: usize) -> Result<(), LockError> {
    match T::new(ctx, TX).coordinate(&SITES[..sites]).await {
        Err(LockError::SessionLost) => Ok(()),
        other => other,
    }
}

/// Votes as it likes, and does what becomes of it.
async fn site<T: TwoPhaseCommit<Context>>(ctx: Context, name: &'static str) -> Result<(), LockError> {
    let transaction = T::new(ctx.clone(), TX);
    let outcome = async {
        transaction.invited(name).await?;
        let vote = if ctx.choose(2).await == 0 { Vote::Commit } else { Vote::Abort };
        if vote == Vote::Abort {
            ctx.mark("votes to abort");
        }
        ctx.mark("voted");
        transaction.vote(name, vote).await
    };
    match outcome.await {
        Ok(Vote::Commit) => ctx.mark("committed"),
        Ok(Vote::Abort) => ctx.mark("aborted"),
        Err(LockError::SessionLost) => ctx.mark("gave up"),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn transaction<T: TwoPhaseCommit<Context> + 'static>(name: &str, sites: usize) -> Scenario {
    let coordinated = scenario(name).client("coordinator", move |ctx| coordinator::<T>(ctx, sites));
    voted::<T>(coordinated, &SITES[..sites])
}

/// The sites' part.
fn voted<T: TwoPhaseCommit<Context> + 'static>(start: Scenario, sites: &'static [&'static str]) -> Scenario {
    let with_site = |scenario: Scenario, name: &&'static str| {
        let name = *name;
        scenario.client(format!("site {name}"), move |ctx| site::<T>(ctx, name))
    };
    sites
        .iter()
        .fold(start, with_site)
        .about(
            "A coordinator names the sites; each votes as it likes and reads the votes of all. Whoever is out of patience \
             votes to abort for those who have not voted.",
        )
        .source("https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_twoPhasedCommit")
        .properties([all_commit_or_all_abort(), no_program_fails(), everybody_is_done()])
        .properties([somebody_is(&["committed"], "somebody commits"), somebody_is(&["aborted"], "somebody aborts")])
}

/// Where the coordinator is not lost, everybody learns the outcome.
fn whole<T: TwoPhaseCommit<Context> + 'static>(name: &str, sites: usize) -> Scenario {
    transaction::<T>(name, sites).property(no_wait_without_wake_up())
}

/// The transaction is there from the start.
fn begun(name: &str, sites: usize) -> Scenario {
    let nodes = |scenario: Scenario, site: &&str| scenario.node(format!("{TX}/{site}"));
    let start = SITES[..sites].iter().fold(scenario(name).node(TX), nodes);
    voted::<Transaction<_>>(start, &SITES[..sites]).property(no_wait_without_wake_up())
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    vec![
        whole::<Transaction<_>>("two-phase commit", 2),
        whole::<Transaction<_>>("two-phase commit, 1 site, 1 disconnect", 1).disconnects(1),
        begun("two-phase commit, begun, 1 disconnect", 2).disconnects(1),
        begun("two-phase commit, begun, 3 sites", 3),
        transaction::<Transaction<_>>("two-phase commit, 1 crash", 2)
            .crashes(1)
            .property(whoever_votes_learns_the_outcome()),
        transaction::<Transaction<_>>("two-phase commit, 1 expiry", 2).expiries(1),
        whole::<SitesOneByOne<_>>("sites named one by one", 2)
            .about("The first site lists the nodes while its own is the only one, and commits alone.")
            .breaks("all commit or all abort")
            .fixed_by("two-phase commit"),
        whole::<TimesOutAlone<_>>("times out alone", 2)
            .about("A site that is out of patience aborts without a word; the late vote is for a commit.")
            .breaks("all commit or all abort")
            .fixed_by("two-phase commit"),
        whole::<VotesOverVotes<_>>("votes over votes", 2)
            .about("A site that is out of patience writes its vote over one that the other has counted.")
            .breaks("all commit or all abort")
            .fixed_by("two-phase commit"),
        transaction::<CoordinatorDecides<_>>("coordinator decides", 2)
            .about("The coordinator dies after the votes and before its word, and the sites wait for ever.")
            .crashes(1)
            .property(whoever_votes_learns_the_outcome())
            .breaks("whoever votes learns the outcome")
            .fixed_by("two-phase commit, 1 crash"),
    ]
}
