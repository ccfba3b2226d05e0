//! The leader latch and leader election, right and spoilt.

use futures_util::future::{Either, select};
use overtake_recipes::leader_election::faulty::*;
use overtake_recipes::leader_election::{Election, LeaderElection};
use overtake_recipes::leader_latch::faulty::*;
use overtake_recipes::leader_latch::{Latch, LeaderLatch, Listener};
use overtake_recipes::lock::LockError;
use overtake_sim::program::Context;

use super::programs::section;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const ELECTION: &str = "/election";

/// Shows leadership to the properties.
struct Shown(Context);

impl Listener for Shown {
    fn is_leader(&self, node: &str) {
        self.0.mark_with("leads", node);
    }

    fn not_leader(&self) {
        self.0.unmark("leads");
    }
}

/// A client whose session is over gives up.
fn or_give_up(result: Result<(), LockError>) -> Result<(), LockError> {
    match result {
        Err(LockError::SessionLost) => Ok(()),
        other => other,
    }
}

/// Is a candidate for ever.
async fn candidate<L: Latch<Context>>(ctx: Context) -> Result<(), LockError> {
    or_give_up(L::new(ctx.clone(), ELECTION).run(&Shown(ctx)).await)
}

/// Is a candidate until it closes the latch, which it does at any moment.
async fn closing<L: Latch<Context>>(ctx: Context) -> Result<(), LockError> {
    let (latch, shown) = (L::new(ctx.clone(), ELECTION), Shown(ctx.clone()));
    let run = std::pin::pin!(latch.run(&shown));
    let close = std::pin::pin!(ctx.work("close"));
    match select(run, close).await {
        Either::Left((over, _)) => or_give_up(over),
        Either::Right(_) => Ok(()),
    }
}

fn latches<L: Latch<Context> + 'static>(name: &str, candidates: usize) -> Scenario {
    scenario(name)
        .about(
            "Candidates who never step down. The first in line leads; it gives leadership up when its connection is \
             suspended, and looks again when it is back.",
        )
        .source("Curator LeaderLatch")
        .node(ELECTION)
        .clients(candidates, candidate::<L>)
        .properties(latch_properties())
        .property(Property::sometimes("somebody leads while another waits", |view| {
            let waits =
                |c: &overtake_sim::world::ClientView<'_>| !c.is_marked("leads") && !c.watched_paths().is_empty();
            view.clients().any(|c| c.is_marked("leads")) && view.clients().any(|c| waits(&c))
        }))
}

fn latch_properties() -> Vec<Property> {
    vec![
        at_most_one_leader(),
        nobody_leads_while_suspended(),
        the_first_in_line_leads(ELECTION),
        no_program_fails(),
        somebody_is(&["leads"], "somebody leads"),
    ]
}

/// Volunteers, runs the leader's procedure, says so, leads, and steps down.
async fn elected<L: Election<Context>>(ctx: Context) -> Result<(), LockError> {
    let election = L::new(ctx.clone(), ELECTION);
    let term = async {
        let elected = election.volunteer().await?;
        ctx.mark_with("leads", &elected.path);
        ctx.mark("has led");
        election.proclaim(&elected).await?;
        section(&ctx).await;
        ctx.unmark("leads");
        election.resign(elected).await
    };
    let over = term.await;
    ctx.unmark("leads");
    or_give_up(over)
}

/// Asks who leads.
async fn follower<L: Election<Context>>(ctx: Context) -> Result<(), LockError> {
    let leader = L::new(ctx.clone(), ELECTION).leader().await;
    or_give_up(leader.map(|leader| ctx.mark_with("follows", &leader)))
}

fn election<L: Election<Context> + 'static>(name: &str, candidates: usize) -> Scenario {
    scenario(name)
        .about(
            "Candidates stand in line. The elected runs the leader's procedure and then says so in a node of its own, \
             which a follower reads.",
        )
        .source("https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_leaderElection")
        .node(ELECTION)
        .clients(candidates, elected::<L>)
        .properties([at_most_one_leader(), a_followed_leader_knows_it(), no_program_fails()])
        .properties([no_orphan_node(ELECTION), somebody_is(&["leads"], "somebody leads"), everybody_is_done()])
}

/// With one who follows.
fn followed<L: Election<Context> + 'static>(name: &str, candidates: usize) -> Scenario {
    election::<L>(name, candidates)
        .client("follower", follower::<L>)
        .spared()
        .property(somebody_is(&["follows"], "somebody follows"))
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    let latch = |what: &str, candidates| latches::<LeaderLatch<_>>(&format!("leader latch{what}"), candidates);
    vec![
        latch(", 1 expiry", 3).expiries(1),
        latch(", 1 disconnect", 2).disconnects(1),
        latch(", 1 disconnect and 1 expiry", 2).disconnects(1).expiries(1),
        latch(", 1 crash", 3).crashes(1),
        scenario("leader latch, closed")
            .about("Candidates who close their latch at any moment: before they lead, while they do, or in between.")
            .source("Curator LeaderLatch: close")
            .node(ELECTION)
            .clients(2, closing::<LeaderLatch<_>>)
            .disconnects(1)
            .properties(latch_properties())
            .properties([no_wait_without_wake_up(), no_orphan_node(ELECTION), everybody_is_done()]),
        latches::<LeadsThroughSuspension<_>>("leads through a suspension", 2)
            .about("The leader is told that its connection is gone, and leads on until it is told that its session is.")
            .disconnects(1)
            .breaks("nobody leads while suspended")
            .fixed_by("leader latch, 1 disconnect"),
        latches::<GivesUpForGood<_>>("leadership given up for good", 2)
            .about(
                "The leader gives up when its connection breaks; its node stays the first, and nobody leads any more.",
            )
            .disconnects(1)
            .breaks("the first in line leads")
            .fixed_by("leader latch, 1 disconnect"),
        latches::<OldNodeKept<_>>("old node kept in line", 2)
            .about("The leader queues again after a suspension and leaves its old node, behind which everybody waits.")
            .disconnects(1)
            .breaks("the first in line leads")
            .fixed_by("leader latch, 1 disconnect"),
        election::<LeaderElection<_>>("leader election", 3).property(no_wait_without_wake_up()),
        followed::<LeaderElection<_>>("leader election, followed", 2),
        election::<LeaderElection<_>>("leader election, 1 expiry", 3).expiries(1).property(no_wait_without_wake_up()),
        election::<LeaderElection<_>>("leader election, 1 crash", 2).crashes(1).property(no_wait_without_wake_up()),
        election::<LeaderElection<_>>("leader election, 1 disconnect", 2)
            .disconnects(1)
            .property(no_wait_without_wake_up()),
        followed::<LeaderElection<_>>("leader election, followed, 1 expiry", 2).expiries(1),
        followed::<SmallestTakenForLeader<_>>("smallest taken for the leader", 2)
            .about("A follower looks for the lowest candidate, which does not know yet that it is elected.")
            .breaks("a followed leader knows it")
            .fixed_by("leader election, followed"),
        election::<OfficeOutlivesLeader<_>>("office outlives its leader", 2)
            .about("The node that says who leads stays when its leader dies, and the next one waits for the vacancy.")
            .crashes(1)
            .property(no_wait_without_wake_up())
            .breaks("no wait without a wake-up")
            .fixed_by("leader election, 1 crash"),
    ]
}
