//! What a step changes, as far as it matters to people.

use std::collections::BTreeMap;

use overtake_sim::names::{Text, Who, slot_of};
use overtake_sim::program::Outcome;
use overtake_sim::world::{ClientView, StepKind, View};

use super::moment::{Moment, client};
use super::words::{answer, connection};

/// How the run starts.
pub(super) fn start(view: &View<'_>) -> String {
    let each = view.clients().map(|c| {
        let mut does: Vec<String> = c.marks().map(|mark| carries(&c, mark)).collect();
        does.extend(c.outgoing().iter().map(|request| format!("sends {request}")));
        does.extend(c.calls().iter().map(|call| format!("calls {call}")));
        if does.is_empty() {
            does.push("waits".into());
        }
        format!("{} {}", c.name(), does.join(" and "))
    });
    format!("at the start {}", each.collect::<Vec<_>>().join("; "))
}

/// The changes, a sentence without full stop each.
pub(super) fn changes(moment: &Moment<'_>) -> Vec<String> {
    let mut changes = lost(moment);
    changes.extend(stored(moment));
    changes.extend(tree(moment));
    changes.extend(watch(moment));
    changes.extend(on_their_way(moment));
    for was in moment.before.clients() {
        let is = client(&moment.after, was.slot());
        changes.extend(marks(&was, &is));
        let name = is.name();
        changes.extend(moment.new_requests(is.slot()).iter().map(|request| format!("{name} sends {request}")));
        changes.extend(moment.new_calls(is.slot()).iter().map(|call| format!("{name} calls {call}")));
        changes.extend(turns(&was, &is, &moment.after));
    }
    changes
}

/// What a broken connection takes with it.
fn lost(moment: &Moment<'_>) -> Vec<String> {
    if moment.kind() != StepKind::Cut {
        return Vec::new();
    }
    let was = client(&moment.before, moment.taken.step.slot as usize);
    let name = was.name();
    let requests = was.outgoing().into_iter().map(|r| format!("{name}'s {r} is lost before ZooKeeper gets it"));
    let frames = was.incoming().into_iter().map(|f| match f.split_once(": ") {
        Some(("event", event)) => format!("the event ({event}) never reaches {name}"),
        Some(("connection", _)) => format!("{name} is not told what became of the connection"),
        _ => format!("the answer ({f}) never reaches {name}, though ZooKeeper has done what it was asked"),
    });
    requests.chain(frames).collect()
}

/// Name of the client behind a session.
pub(super) fn owner_name<'a>(view: &View<'a>, owner: Who) -> &'a str {
    view.clients().nth(slot_of(owner)).map_or("nobody", |c| c.name())
}

/// Paths of the tree, with the owner and the data.
fn nodes(view: &View<'_>) -> BTreeMap<String, (Option<Who>, Option<Text>)> {
    let zookeeper = view.zookeeper();
    let node = |path: Text| (zookeeper.owner(path), zookeeper.data(path).flatten());
    zookeeper.nodes().map(|(path, _)| (path.short(), node(path))).collect()
}

/// The path of which the sentence of the step says already that it was created or deleted.
fn said(moment: &Moment<'_>) -> Option<String> {
    if moment.kind() != StepKind::Serve || moment.calls_are_steps() {
        return None;
    }
    let slot = moment.taken.step.slot as usize;
    let request = client(&moment.before, slot).outgoing().swap_remove(0);
    let frames = moment.new_frames(slot);
    match (answer(&frames)?.split_once(' '), request.strip_prefix("delete ")) {
        (Some(("created", path)), _) => Some(path.to_owned()),
        (None, Some(path)) => path.split(" at version ").next().map(ToOwned::to_owned),
        _ => None,
    }
}

/// What is in the stores now.
fn stored(moment: &Moment<'_>) -> Vec<String> {
    if !moment.after.stores().any() {
        return Vec::new();
    }
    let [was, is] = [&moment.before, &moment.after].map(|view| view.stores().contents());
    let find =
        |list: &[(String, String)], name: &str| list.iter().find(|(n, _)| n == name).map(|(_, what)| what.clone());
    let mut changes = Vec::new();
    for (name, what) in &is {
        match find(&was, name) {
            Some(before) if before == *what => {}
            Some(_) => changes.push(format!("{name} is now {what}")),
            None => changes.push(format!("{name} is there now: {what}")),
        }
    }
    let gone = was.iter().filter(|(name, _)| find(&is, name).is_none());
    changes.extend(gone.map(|(name, _)| format!("{name} is gone")));
    changes
}

fn tree(moment: &Moment<'_>) -> Vec<String> {
    let (mut was, mut is) = (nodes(&moment.before), nodes(&moment.after));
    if let Some(path) = said(moment) {
        was.remove(&path);
        is.remove(&path);
    }
    let mut changes = Vec::new();
    for (path, (owner, data)) in &is {
        match was.get(path) {
            None => changes.push(match owner {
                Some(owner) => format!("{path} is there now, a node of {}", owner_name(&moment.after, *owner)),
                None => format!("{path} is there now"),
            }),
            Some((_, before)) if before != data => {
                changes.push(format!("{path} now says {:?}", data.map(Text::short).unwrap_or_default()));
            }
            Some(_) => {}
        }
    }
    for (path, (owner, _)) in was.iter().filter(|(path, _)| !is.contains_key(*path)) {
        let slot = owner.map(slot_of);
        changes.push(match owner {
            Some(owner) if slot != moment.slot() => {
                format!("{path}, the node of {}, is gone", owner_name(&moment.before, *owner))
            }
            _ => format!("{path} is gone"),
        });
    }
    changes
}

/// What became of the watch that a request asked for, where it is not what one expects.
fn watch(moment: &Moment<'_>) -> Option<String> {
    if moment.kind() != StepKind::Serve {
        return None;
    }
    let was = client(&moment.before, moment.taken.step.slot as usize);
    let request = was.outgoing().swap_remove(0);
    if !moment.calls_are_steps() {
        answer(&moment.new_frames(was.slot()))?;
    }
    let path = request.strip_suffix(" and watch")?.split_once(' ')?.1;
    let set = moment.after.zookeeper().watches().any(|(who, _, p)| slot_of(who) == was.slot() && p.short() == path);
    let there = is_there(&moment.after, path);
    match (set, there) {
        (true, false) => Some(format!("the watch waits for the creation of {path}, which does not exist")),
        (false, false) => Some(format!("no watch is set, since {path} does not exist")),
        _ => None,
    }
}

/// Whether a path, as people read it, is in the tree.
pub(super) fn is_there(view: &View<'_>, path: &str) -> bool {
    view.zookeeper().nodes().any(|(p, _)| p.short() == path)
}

fn on_their_way(moment: &Moment<'_>) -> Vec<String> {
    let mut changes = Vec::new();
    for to in moment.after.clients() {
        for frame in moment.new_frames(to.slot()) {
            match frame.split_once(": ") {
                Some(("event", event)) => changes.push(format!("an event is on its way to {}: {event}", to.name())),
                Some(("connection", state)) => match moment.kind() {
                    StepKind::Cut | StepKind::Serve => {}
                    _ => changes.push(format!("soon {} {}", to.name(), connection(state))),
                },
                _ => {}
            }
        }
    }
    changes
}

/// A mark that a client carries, as what the client does.
pub(super) fn carries(client: &ClientView<'_>, mark: &str) -> String {
    let value = client.mark(mark).flatten().map(Text::short);
    match (mark, value) {
        ("holds", Some(path)) => format!("holds the lock by {path}"),
        ("holds", None) => "holds the lock".into(),
        ("wants", _) => "wants the lock".into(),
        ("gave up", _) => "has given up".into(),
        (other, Some(value)) => format!("is marked “{other}” ({value})"),
        (other, None) => format!("is marked “{other}”"),
    }
}

fn marks(was: &ClientView<'_>, is: &ClientView<'_>) -> Vec<String> {
    if is.is_crashed() {
        return Vec::new();
    }
    let name = is.name();
    let is_new = |mark: &&str| was.mark(mark) != is.mark(mark);
    let mut changes: Vec<String> =
        is.marks().filter(is_new).map(|mark| format!("now {name} {}", carries(is, mark))).collect();
    let holds_now = is.is_marked("holds") && !was.is_marked("holds");
    for mark in was.marks().filter(|mark| !is.is_marked(mark)) {
        match mark {
            "wants" if holds_now => {}
            "wants" => changes.push(format!("{name} wants the lock no longer")),
            "holds" => changes.push(format!("{name} holds the lock no longer")),
            other => changes.push(format!("{name} is marked “{other}” no longer")),
        }
    }
    changes
}

/// The paths that a client waits for, if it waits for nothing but events.
pub(super) fn blocked_on(client: &ClientView<'_>) -> Vec<String> {
    let waits = client.waits_for();
    let paths: Vec<String> =
        waits.iter().filter_map(|w| w.strip_prefix("an event on ")).map(ToOwned::to_owned).collect();
    if paths.len() == waits.len() { paths } else { Vec::new() }
}

/// What the client is at, when it takes time of its own.
fn working(client: &ClientView<'_>) -> Option<String> {
    let own = |wait: String| Some(wait.strip_prefix("its own work (")?.strip_suffix(')')?.to_owned());
    client.waits_for().into_iter().find_map(own)
}

/// The client begins to wait or to work, or is over.
fn turns(was: &ClientView<'_>, is: &ClientView<'_>, after: &View<'_>) -> Vec<String> {
    let name = is.name();
    let mut changes = Vec::new();
    let waits = blocked_on(is);
    if !waits.is_empty() && waits != blocked_on(was) {
        let each = waits.iter().map(|path| match is_there(after, path) {
            true => path.clone(),
            false => format!("{path}, which does not exist"),
        });
        changes.push(format!("{name} waits for an event on {}", each.collect::<Vec<_>>().join(" or on ")));
    }
    if let (None, Some(work)) = (working(was), working(is)) {
        changes.push(match work.as_str() {
            "work" => format!("{name} begins to work"),
            label => format!("{name} begins “{label}”"),
        });
    }
    if was.outcome() != is.outcome() {
        match is.outcome() {
            Some(Outcome::Finished) => changes.push(format!("{name} is done")),
            Some(Outcome::Failed(why)) => changes.push(format!("{name} ends with the error {why}")),
            Some(Outcome::Panicked(why)) => changes.push(format!("{name} panics: {why}")),
            None => {}
        }
    }
    changes
}
