//! How things stand at the end of a run, and since when: each belief beside the fact that it stands on, or against.

use std::collections::{BTreeMap, BTreeSet};

use overtake_sim::names::{Text, slot_of};
use overtake_sim::program::Outcome;
use overtake_sim::world::{ClientView, View, World};

use super::changes::{blocked_on, carries, is_there, owner_name};
use super::moment::{Moment, client};

/// When things came to be as they are, by number of the step; 0 is the start.
#[derive(Debug, Default)]
struct Since {
    made: BTreeMap<String, usize>,
    gone: BTreeMap<String, usize>,
    marked: BTreeMap<(usize, &'static str), usize>,
    waits: BTreeMap<usize, usize>,
    over: BTreeMap<usize, usize>,
}

impl Since {
    fn new(moments: &[Moment<'_>]) -> Self {
        let mut since = Since::default();
        for moment in moments {
            since.tree(moment);
            for is in moment.after.clients() {
                since.client(moment, &is);
            }
        }
        since
    }

    fn tree(&mut self, moment: &Moment<'_>) {
        let paths =
            |view: &View<'_>| -> BTreeSet<String> { view.zookeeper().nodes().map(|(path, _)| path.short()).collect() };
        let (was, is) = (paths(&moment.before), paths(&moment.after));
        for path in is.difference(&was) {
            self.made.insert(path.clone(), moment.number);
            self.gone.remove(path);
        }
        for path in was.difference(&is) {
            self.gone.insert(path.clone(), moment.number);
        }
    }

    fn client(&mut self, moment: &Moment<'_>, is: &ClientView<'_>) {
        let (slot, number) = (is.slot(), moment.number);
        let was = client(&moment.before, slot);
        for mark in is.marks().filter(|mark| was.mark(mark) != is.mark(mark)) {
            self.marked.insert((slot, mark), number);
        }
        if blocked_on(is) != blocked_on(&was) {
            self.waits.insert(slot, number);
        }
        if was.outcome() != is.outcome() || was.is_crashed() != is.is_crashed() {
            self.over.insert(slot, number);
        }
    }
}

fn since(step: Option<&usize>) -> String {
    match step {
        None | Some(0) => "since the start".into(),
        Some(step) => format!("since step {step}"),
    }
}

/// How things stand.
pub(super) fn argument(world: &World, moments: &[Moment<'_>]) -> Vec<String> {
    let known = Since::new(moments);
    let end = moments.last().map_or_else(|| world.view(world.initial()), |moment| moment.after);
    let mut facts = Vec::new();
    let mut named = BTreeSet::new();
    for client in end.clients() {
        facts.extend(beliefs(&client, &end, &known, &mut named));
        facts.extend(waits(&client, &end, &known, &mut named));
        facts.extend(ends(&client, &known));
    }
    facts.extend(left(&end, &known, &named));
    facts.extend(kept_watches(&end));
    facts.extend(end.stores().contents().into_iter().map(|(name, what)| format!("{name} is {what}")));
    facts
}

/// The watches that the server keeps for clients that are over.
fn kept_watches(end: &View<'_>) -> Vec<String> {
    let whose = |who| end.clients().nth(slot_of(who)).filter(|c| c.is_crashed() || c.is_over());
    let told = end.zookeeper().watches().filter_map(|(who, _, path)| {
        let name = whose(who)?.name();
        Some(format!("ZooKeeper still keeps a watch of {name} on {}", path.short()))
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    told
}

/// What the client believes, beside what is so.
fn beliefs(client: &ClientView<'_>, end: &View<'_>, known: &Since, named: &mut BTreeSet<String>) -> Vec<String> {
    let told = |mark: &'static str| {
        let when = since(known.marked.get(&(client.slot(), mark)));
        let mut fact = format!("{} {}, {when}", client.name(), carries(client, mark));
        if let Some(path) = client.mark(mark).flatten()
            && path.short().starts_with('/')
        {
            fact += &format!("; {}", node(client, path, end, known));
            named.insert(path.short());
        }
        fact
    };
    client.marks().filter(|mark| *mark != "wants").map(told).collect()
}

/// What is so about the node that a client believes in.
fn node(client: &ClientView<'_>, path: Text, end: &View<'_>, known: &Since) -> String {
    let name = path.short();
    if end.zookeeper().node(path).is_none() {
        return match known.gone.get(&name) {
            Some(step) => format!("however, {name} is gone since step {step}"),
            None => format!("however, there is no {name} and there never was"),
        };
    }
    let made = since(known.made.get(&name));
    match end.zookeeper().owner(path) {
        Some(owner) if slot_of(owner) != client.slot() => {
            format!("however, {name} is a node of {}, {made}", owner_name(end, owner))
        }
        Some(owner) if client.session() != Some(owner) => {
            format!("however, {name} belongs to a session that it has no more")
        }
        _ => format!("{name} is there, {made}"),
    }
}

/// What the client waits for, beside what can still happen to it.
fn waits(client: &ClientView<'_>, end: &View<'_>, known: &Since, named: &mut BTreeSet<String>) -> Vec<String> {
    let paths = blocked_on(client);
    if client.waits_for().is_empty() && !client.is_over() && !client.is_crashed() {
        return vec![format!("{} waits for something that nobody announces", client.name())];
    }
    let when = since(known.waits.get(&client.slot()));
    let told = |path: String| {
        let watched = end.zookeeper().watches().any(|(who, _, p)| slot_of(who) == client.slot() && p.short() == path);
        let so = match (is_there(end, &path), known.gone.get(&path), watched) {
            (true, _, true) => format!("{path} is still there"),
            (true, _, false) => format!("however, {path} is still there and ZooKeeper keeps no watch on it"),
            (false, Some(step), _) => format!("however, {path} is gone since step {step}"),
            (false, None, _) => format!("however, there is no {path}"),
        };
        named.insert(path.clone());
        format!("{} waits for an event on {path}, {when}; {so}", client.name())
    };
    let calls = client.unanswered().map(|call| format!("{} waits for the answer to {call}", client.name()));
    paths.into_iter().map(told).chain(calls).collect()
}

fn ends(client: &ClientView<'_>, known: &Since) -> Option<String> {
    let (name, when) = (client.name(), since(known.over.get(&client.slot())));
    if client.is_crashed() {
        return Some(format!("the process of {name} is dead, {when}"));
    }
    match client.outcome()? {
        Outcome::Finished => Some(format!("{name} is done, {when}")),
        Outcome::Failed(why) => Some(format!("{name} has ended with the error {why}, {when}")),
        Outcome::Panicked(why) => Some(format!("{name} has panicked ({why}), {when}")),
    }
}

/// The nodes that came in the course of the run, are still there, and were not spoken of.
fn left(end: &View<'_>, known: &Since, named: &BTreeSet<String>) -> Vec<String> {
    let new = |path: &String| known.made.contains_key(path) && !named.contains(path);
    let nodes = end.zookeeper().nodes().map(|(path, stat)| (path.short(), stat.owner));
    let mut left: Vec<String> = nodes
        .filter(|(path, _)| new(path))
        .map(|(path, owner)| {
            let whose = owner.map_or(String::new(), |owner| format!(", a node of {}", owner_name(end, owner)));
            format!("{path}{whose}, is there {}", since(known.made.get(&path)))
        })
        .collect();
    left.sort();
    left
}
