//! What must hold of every run in virtual time, whatever the program: that the clocks keep the rules of sessions (§3).

use std::collections::BTreeMap;

use overtake_sim::clock::duration;
use overtake_sim::names::{Text, Who};
use overtake_sim::world::{Engine, Frame, Reductions, StepKind, World};

use super::record::{Note, TimedRun};
use crate::trace::moment_text;

/// A session that is renewed at the server never expires: between its last touch and its expiry more than its time-out
/// passes on the server's clock (§3.4, Z93, Z95, Z96).
///
/// # Errors
/// A sentence with the session that does.
pub fn renewed_sessions_live(timed: &TimedRun) -> Result<(), String> {
    let mut renewed: BTreeMap<Who, u64> = BTreeMap::new();
    for noted in &timed.notes {
        match noted.note {
            Note::Opened | Note::Touched | Note::Renewed => {
                renewed.insert(noted.session, noted.reading);
            }
            Note::Expired => {
                let last = renewed.get(&noted.session).copied().unwrap_or(0);
                let silent = noted.reading - last;
                if silent <= timed.timeout {
                    return Err(format!(
                        "session {} expires at {} though it was silent for {} only; its time-out is {}",
                        noted.session,
                        moment_text(noted.moment),
                        duration::text(silent),
                        duration::text(timed.timeout)
                    ));
                }
            }
            Note::GivenUp | Note::Applied => {}
        }
    }
    Ok(())
}

/// A silent session dies: a server that is neither paused nor down ends it within one tick of its time-out (§3.4). Only for
/// runs in which the server is neither.
///
/// # Errors
/// A sentence with the session that lives on.
pub fn silent_sessions_die(timed: &TimedRun) -> Result<(), String> {
    let mut until: BTreeMap<Who, u64> = BTreeMap::new();
    for noted in &timed.notes {
        let late = until.iter().find(|(_, until)| noted.reading > **until).map(|(session, until)| (*session, *until));
        if let Some((session, until)) = late {
            let due = duration::text(until);
            return Err(format!(
                "session {session} lives on at {} though it was due at {due}",
                moment_text(noted.moment)
            ));
        }
        match noted.note {
            Note::Opened | Note::Touched | Note::Renewed => {
                // One millisecond for the server to wake.
                let slack = timed.tick + duration::MILLISECOND;
                until.insert(noted.session, noted.reading + timed.timeout + slack);
            }
            Note::Expired | Note::Applied => {
                until.remove(&noted.session);
            }
            Note::GivenUp => {}
        }
    }
    Ok(())
}

/// An ephemeral node of a live session never vanishes: it goes by a request, or by the end of a session whose time was over
/// or whose library had given it up (§3.4, Z132).
///
/// # Errors
/// A sentence with the node that vanishes.
pub fn nodes_of_live_sessions_stay(world: &World, timed: &TimedRun) -> Result<(), String> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut state = engine.initial();
    let mut before = ephemerals(world, &state);
    for (step, moment) in timed.run.steps.iter().zip(&timed.run.moments) {
        engine.take(&mut state, *step);
        let after = ephemerals(world, &state);
        // A follower's request is judged when the leader accepts it.
        if !matches!(step.kind, StepKind::Serve | StepKind::Accept) {
            for (path, owner) in before.iter().filter(|node| !after.contains(node)) {
                if !is_dead(timed, *owner, *moment) {
                    let at = moment_text(*moment);
                    return Err(format!("{} of the live session {owner} vanishes at {at}", path.short()));
                }
            }
        }
        before = after;
    }
    Ok(())
}

/// Single system image: the replies that a client gets never go back in time, also across connections (§4.1). Only for
/// worlds that keep zxids.
///
/// # Errors
/// A sentence with the client that sees an older state than before.
pub fn nobody_goes_back(world: &World, timed: &TimedRun) -> Result<(), String> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut state = engine.initial();
    let mut seen: BTreeMap<u8, u32> = BTreeMap::new();
    for (step, moment) in timed.run.steps.iter().zip(&timed.run.moments) {
        if step.kind == StepKind::Deliver
            && let Some(Frame::Reply(reply)) = world.view(&state).client(step.slot.into()).frames().first()
        {
            let last = seen.entry(step.slot).or_default();
            if reply.zxid < *last {
                let (at, name) = (moment_text(*moment), &world.setup().clients[step.slot as usize].name);
                return Err(format!("{name} sees zxid {} after {last} at {at}", reply.zxid));
            }
            *last = reply.zxid;
        }
        if step.kind == StepKind::Restart {
            // Another session, which has seen nothing.
            seen.remove(&step.slot);
        }
        engine.take(&mut state, *step);
    }
    Ok(())
}

fn ephemerals(world: &World, state: &[u32]) -> Vec<(Text, Who)> {
    let zookeeper = world.view(state).zookeeper();
    zookeeper.nodes().filter_map(|(path, _)| Some((path, zookeeper.owner(path)?))).collect()
}

/// Whether the session's time was over, by the notes of the server, or its library had given it up.
fn is_dead(timed: &TimedRun, session: Who, moment: u64) -> bool {
    let mut renewed = 0;
    for noted in timed.notes.iter().filter(|noted| noted.session == session && noted.moment <= moment) {
        match noted.note {
            Note::Opened | Note::Touched | Note::Renewed => renewed = noted.reading,
            Note::GivenUp => return true,
            Note::Expired if noted.reading - renewed > timed.timeout => return true,
            Note::Expired | Note::Applied => {}
        }
    }
    false
}
