//! A state in words.

use std::fmt::Write;

use overtake_sim::names::{PER_CLIENT, Who, slot_of};
use overtake_sim::program::Outcome;
use overtake_sim::world::{Budget, ClientView, Link, View};

/// A session as steps name it.
fn session(session: Who) -> String {
    format!("{}.{}", slot_of(session) + 1, session % PER_CLIENT)
}

/// The whole state, a fact a line.
pub(super) fn state(view: &View<'_>) -> String {
    let mut out = String::new();
    for client in view.clients() {
        describe_client(&mut out, &client);
    }
    describe_server(&mut out, view);
    let _ = write!(out, "faults left: {}", budget(view.budget()));
    out
}

fn describe_client(out: &mut String, client: &ClientView<'_>) {
    let at = client.session().map_or("no session".to_owned(), |s| format!("session {}", session(s)));
    let link = match client.link() {
        _ if client.is_crashed() => ", its process is dead",
        Link::Up => "",
        Link::Down => ", not connected",
        Link::Off => ", connection closed",
    };
    let _ = writeln!(out, "{} ({at}{link})", client.name());
    let mut line = |what: &str, facts: &[String]| {
        if !facts.is_empty() {
            let _ = writeln!(out, "  {what}: {}", facts.join("; "));
        }
    };
    line("marks", &marks(client));
    let anchors = client.key().into_iter().flat_map(|key| key.tasks.iter().filter_map(|t| t.anchor.as_ref()));
    line("since", &anchors.map(|anchor| format!("checkpoint {:?}", anchor.0)).collect::<Vec<_>>());
    match client.outcome() {
        None => line("waits for", &client.waits_for()),
        Some(Outcome::Finished) => line("program", &["is over".into()]),
        Some(Outcome::Failed(why)) => line("program", &[format!("ended with an error: {why}")]),
        Some(Outcome::Panicked(why)) => line("program", &[format!("panicked: {why}")]),
    }
    let watched: Vec<String> = client.watched_paths().iter().map(|path| path.short()).collect();
    line("watches", &watched);
    line("calls", &client.calls());
    line("calls nobody waits for", &client.given_up());
    line("to the server", &client.outgoing());
    line("from the server", &client.incoming());
}

/// The marks of a client with their values.
pub(super) fn marks(client: &ClientView<'_>) -> Vec<String> {
    let marks = client.marks().map(|name| match client.mark(name) {
        Some(Some(value)) => format!("{name} {}", value.short()),
        _ => name.to_owned(),
    });
    marks.collect()
}

/// What is in the stores.
fn describe_stores(out: &mut String, view: &View<'_>) {
    let _ = writeln!(out, "stores");
    for (name, what) in view.stores().contents() {
        let _ = writeln!(out, "  {name}: {what}");
    }
}

fn describe_server(out: &mut String, view: &View<'_>) {
    if view.stores().any() {
        describe_stores(out, view);
    }
    if view.world().setup().only_stores() {
        return;
    }
    let zookeeper = view.zookeeper();
    let client = |owner: Who| view.clients().nth(slot_of(owner)).map_or("nobody", |c| c.name());
    let _ = writeln!(out, "tree");
    let mut nodes: Vec<_> = zookeeper.nodes().map(|(path, stat)| (path.to_string(), path, stat)).collect();
    nodes.sort_by(|a, b| a.0.cmp(&b.0));
    for (_, path, stat) in nodes {
        let owner = stat.owner.map_or(String::new(), |s| format!(", of session {} of {}", session(s), client(s)));
        let data = zookeeper.data(path).flatten().map_or(String::new(), |data| data.short());
        let data = if data.is_empty() { data } else { format!(", data {data:?}") };
        let _ = writeln!(out, "  {}  version {}{data}{owner}", path.short(), stat.version);
    }
    let _ = writeln!(out, "sessions");
    for id in zookeeper.sessions() {
        let closing = if zookeeper.is_closing(id) { ", closing" } else { "" };
        let away = if zookeeper.is_connected(id) { "" } else { ", not connected" };
        let _ = writeln!(out, "  {} of {}{closing}{away}", session(id), client(id));
    }
    let watches: Vec<_> = zookeeper.watches().collect();
    if !watches.is_empty() {
        let _ = writeln!(out, "watches");
    }
    for (id, table, path) in watches {
        let _ = writeln!(out, "  {} ({table:?}) for session {} of {}", path.short(), session(id), client(id));
    }
}

/// The faults still allowed.
pub(super) fn budget(budget: Budget) -> String {
    let named = crate::check::named_faults(budget);
    match named.len() {
        0 => "none".into(),
        _ => named.iter().map(|(kind, n)| format!("{kind} {n}")).collect::<Vec<_>>().join(", "),
    }
}
