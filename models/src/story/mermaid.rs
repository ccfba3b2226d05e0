//! A run as a Mermaid sequence diagram.

use std::fmt::Write;

use overtake_sim::world::{ClientView, StepKind, World};

use super::changes::carries;
use super::moment::{Moment, client, moments};
use crate::replay::Taken;

/// The run as a Mermaid `sequenceDiagram`: clients and ZooKeeper are participants, requests, answers and events are
/// arrows at the moment at which they arrive, faults and the clients' own work are notes. The last `cycle` steps stand in
/// a loop.
pub fn mermaid(world: &World, taken: &[Taken], cycle: usize) -> String {
    let mut out = String::from("sequenceDiagram\n");
    for (slot, setup) in world.setup().clients.iter().enumerate() {
        let _ = writeln!(out, "    participant c{slot} as {}", escaped(&setup.name));
    }
    out += if world.setup().only_stores() {
        "    participant zk as stores\n"
    } else {
        "    participant zk as ZooKeeper\n"
    };
    for client in world.view(world.initial()).clients() {
        for mark in client.marks().filter(|mark| *mark != "wants") {
            let _ = writeln!(out, "    {}", note(&client, mark));
        }
    }
    for moment in moments(world, taken) {
        if cycle > 0 && moment.number + cycle == taken.len() + 1 {
            out += "    loop for ever\n";
        }
        for line in [arrow(&moment)].into_iter().chain(notes(&moment)) {
            let _ = writeln!(out, "    {line}");
        }
    }
    if cycle > 0 {
        out += "    end\n";
    }
    out
}

/// Text with what Mermaid takes for its own written as entities.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' => out += "#35;",
            ';' => out += "#59;",
            '<' => out += "#lt;",
            '>' => out += "#gt;",
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The step as a line of the diagram, with its number.
fn arrow(moment: &Moment<'_>) -> String {
    let number = moment.number;
    let (who, text) = moment.taken.text.split_once([':', '→', '←']).unwrap_or(("", &moment.taken.text));
    let Some(slot) = moment.slot().filter(|_| !matches!(who.trim(), "server" | "servers" | "leader")) else {
        return format!("Note over zk: {number}. {}", escaped(text.trim()));
    };
    let text = text.trim();
    match moment.kind() {
        StepKind::Call => format!("c{slot}->>zk: {number}. {}", escaped(text)),
        StepKind::Answer => format!("zk-->>c{slot}: {number}. {}", escaped(text)),
        StepKind::NoAnswer => format!("c{slot}-xzk: {number}. {}", escaped(text)),
        StepKind::Serve => format!("c{slot}->>zk: {number}. {}", escaped(text)),
        StepKind::Deliver | StepKind::Notice => match text.strip_prefix("reply: ") {
            Some(reply) => {
                let answer = reply.rsplit_once(" → ").map_or(reply, |(_, answer)| answer);
                format!("zk-->>c{slot}: {number}. {}", escaped(answer))
            }
            None => format!("zk--)c{slot}: {number}. {}", escaped(text)),
        },
        StepKind::Reconnect => format!("c{slot}->>zk: {number}. connects again"),
        StepKind::Cut => format!("c{slot}-xzk: {number}. {}", escaped(text)),
        _ => format!("Note over c{slot}: {number}. {}", escaped(text)),
    }
}

/// Marks that come and go.
fn notes(moment: &Moment<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for was in moment.before.clients() {
        let is = client(&moment.after, was.slot());
        let new = is.marks().filter(|mark| *mark != "wants" && was.mark(mark) != is.mark(mark));
        notes.extend(new.map(|mark| note(&is, mark)));
    }
    notes
}

fn note(client: &ClientView<'_>, mark: &str) -> String {
    format!("Note over c{}: {}", client.slot(), escaped(&carries(client, mark)))
}
