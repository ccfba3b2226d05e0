//! Findings told: as sentences, and as a sequence diagram.

use std::fmt::Write as _;

use overtake_sim::world::{ClientView, Engine, Reductions, StepKind, View, World};

use crate::replay::Taken;

/// The states of a run, the start first.
fn states(world: &World, taken: &[Taken]) -> Vec<Vec<u32>> {
    let mut states = vec![Engine::new(world, Reductions::NONE).initial()];
    states.extend(taken.iter().map(|t| t.state.clone()));
    states
}

/// The run in sentences, one a step: what happened, and what it changed that matters. The last `cycle` steps repeat for
/// ever.
pub fn sentences(world: &World, taken: &[Taken], cycle: usize) -> Vec<String> {
    let states = states(world, taken);
    let mut told: Vec<String> = Vec::new();
    for (at, step) in taken.iter().enumerate() {
        let (before, after) = (world.view(&states[at]), world.view(&states[at + 1]));
        let mut sentence = happened(&before, &after, step);
        for change in changes(&before, &after) {
            let _ = write!(sentence, " {change}");
        }
        if cycle > 0 && at + cycle == taken.len() {
            sentence = format!("From here on the following steps repeat for ever. {sentence}");
        }
        told.push(sentence);
    }
    told
}

/// What the step itself is.
fn happened(before: &View<'_>, after: &View<'_>, taken: &Taken) -> String {
    let slot = taken.step.slot as usize;
    let Some(client) = before.clients().nth(slot) else { return capitalised(&taken.text) + "." };
    let name = client.name();
    let now = after.clients().nth(slot).expect("the same clients");
    match taken.step.kind {
        StepKind::Serve => {
            let asked = client.outgoing().into_iter().next().unwrap_or_default();
            let answer = match now.incoming().iter().skip(client.incoming().len()).last() {
                Some(answer) => format!("its answer is on the way: {answer}."),
                None => "the answer is there at once.".into(),
            };
            let mut sentence = format!("The server takes {asked} of {name}; {answer}");
            for other in after.clients().filter(|c| c.slot() != slot) {
                let had = before.clients().nth(other.slot()).map_or(0, |c| c.incoming().len());
                for event in other.incoming().iter().skip(had) {
                    let _ = write!(sentence, " It sends {} an {event}.", other.name());
                }
            }
            sentence
        }
        StepKind::Deliver => {
            let frame = client.incoming().into_iter().next().unwrap_or_default();
            match frame.strip_prefix("connection: ") {
                Some(state) => format!("{} learns that the connection is {}.", capitalised(name), state.to_lowercase()),
                None => format!("{} receives {frame}{}.", capitalised(name), about(&taken.text)),
            }
        }
        _ => capitalised(&taken.text) + ".",
    }
}

/// The request that an answer belongs to, out of the step's name.
fn about(text: &str) -> String {
    let asked = text.split_once("reply: ").and_then(|(_, rest)| rest.split_once(" → "));
    asked.map_or(String::new(), |(asked, _)| format!(" (to its {asked})"))
}

/// What is different afterwards and matters: marks, ends, new requests.
fn changes(before: &View<'_>, after: &View<'_>) -> Vec<String> {
    let mut changes = Vec::new();
    for (old, new) in before.clients().zip(after.clients()) {
        let name = capitalised(new.name());
        for mark in new.marks() {
            if old.mark(mark) != new.mark(mark) {
                changes.push(format!("{name} now {}.", marked(mark, &new)));
            }
        }
        for mark in old.marks().filter(|m| !new.is_marked(m)) {
            changes.push(match mark {
                "holds" => format!("{name} no longer holds the lock."),
                "wants" => continue,
                mark => format!("{name} is no longer marked {mark:?}."),
            });
        }
        let asks: Vec<String> = new.outgoing().into_iter().skip(old.outgoing().len()).collect();
        if !asks.is_empty() {
            changes.push(format!("{name} sends {}.", asks.join(" and ")));
        }
        match (old.outcome(), new.outcome()) {
            (None, Some(overtake_sim::program::Outcome::Finished)) => changes.push(format!("{name} is done.")),
            (None, Some(overtake_sim::program::Outcome::Failed(why))) => {
                changes.push(format!("{name} ends with the error {why}."));
            }
            (None, Some(overtake_sim::program::Outcome::Panicked(why))) => {
                changes.push(format!("{name} panics: {why}."));
            }
            _ => {}
        }
    }
    changes
}

fn marked(mark: &str, client: &ClientView<'_>) -> String {
    let value = client.mark(mark).flatten().map(|text| text.short());
    match (mark, value) {
        ("holds", Some(path)) => format!("holds the lock, by {path}"),
        ("holds", None) => "holds the lock".into(),
        ("wants", _) => "wants the lock".into(),
        ("gave up", _) => "has given up".into(),
        (mark, Some(value)) => format!("is marked {mark:?} ({value})"),
        (mark, None) => format!("is marked {mark:?}"),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The run as a Mermaid sequence diagram. The last `cycle` steps stand in a loop.
pub fn mermaid(world: &World, taken: &[Taken], cycle: usize) -> String {
    let states = states(world, taken);
    let mut out = String::from("sequenceDiagram\n");
    let clients: Vec<String> = world.view(&states[0]).clients().map(|c| c.name().to_owned()).collect();
    for (slot, name) in clients.iter().enumerate() {
        let _ = writeln!(out, "    participant C{slot} as {}", escaped(name));
    }
    out.push_str("    participant Z as ZooKeeper\n");
    for (at, step) in taken.iter().enumerate() {
        if cycle > 0 && at + cycle == taken.len() {
            out.push_str("    loop for ever\n");
        }
        let (before, after) = (world.view(&states[at]), world.view(&states[at + 1]));
        let slot = step.step.slot;
        let text = step.text.split_once([':', '→', '←']).map_or(step.text.as_str(), |(_, rest)| rest.trim());
        let text = escaped(text);
        let _ = match step.step.kind {
            StepKind::Serve => writeln!(out, "    C{slot}->>Z: {text}"),
            StepKind::Deliver => {
                writeln!(out, "    Z-->>C{slot}: {}", text.trim_start_matches("reply#58; ").trim())
            }
            StepKind::Reconnect => writeln!(out, "    C{slot}->>Z: reconnects"),
            StepKind::Expire | StepKind::Lapse | StepKind::Apply | StepKind::Sweep => {
                writeln!(out, "    Note over Z: {text}")
            }
            _ => writeln!(out, "    Note over C{slot}: {text}"),
        };
        for (old, new) in before.clients().zip(after.clients()) {
            for mark in new.marks().filter(|m| old.mark(m) != new.mark(m) && *m != "wants") {
                let _ = writeln!(out, "    Note over C{}: {}", new.slot(), escaped(&marked(mark, &new)));
            }
        }
    }
    if cycle > 0 {
        out.push_str("    end\n");
    }
    out
}

/// Mermaid takes some characters for its own.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ';' => out.push_str("#59;"),
            ':' => out.push_str("#58;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '#' => out.push_str("#35;"),
            c => out.push(c),
        }
    }
    out
}
