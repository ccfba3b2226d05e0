//! Executing a case.

use std::collections::BTreeMap;

use overtake_recipes::store::Texts;
use overtake_sim::names::{Text, Who, who};
use overtake_sim::stores::documents::{Inner, Progress, Request};
use overtake_sim::stores::{Documents, Served, Service};

use super::language::{Case, document, request};

/// A call that is on its way.
struct Sent {
    request: Request,
    progress: Option<Progress>,
}

struct World {
    store: Documents,
    /// By the client, and `-copy` behind it for a second copy.
    sent: BTreeMap<String, Sent>,
    observed: Vec<String>,
}

fn slot(client: &str) -> Who {
    who(usize::from(client.as_bytes()[0] - b'A'), 0)
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn setting(store: Documents, line: &str) -> Result<Documents, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Ok(match word {
        "with" => {
            let (collection, doc) = rest.split_once(' ').ok_or("a collection and a document")?;
            store.with(leak(collection), document(doc)?)
        }
        "unique" => {
            let words: Vec<_> = rest.split_whitespace().map(leak).collect();
            store.unique(words[0], &words[1..])
        }
        "looks-first" => store.looks_first(),
        "clock-runs" => store.clock_runs(),
        "compares-in-two-steps" => store.compares_in_two_steps(),
        "increments-in-two-steps" => store.increments_in_two_steps(),
        "without-retryable-writes" => store.without_retryable_writes(),
        "replica" => store.with_replica(),
        "majority" => store.majority(),
        other => return Err(format!("`{other}` is no setting")),
    })
}

impl World {
    fn see(&mut self, client: &str, what: impl std::fmt::Display) {
        self.observed.push(format!("{client}: {what}"));
    }

    /// One step of the client's call; whether it is over, or stuck.
    fn step(&mut self, client: &str, tell: bool) -> bool {
        let sent = self.sent.get_mut(client).unwrap_or_else(|| panic!("{client} has no call on its way"));
        match self.store.serve(slot(client), &sent.request, sent.progress.as_ref()) {
            Served::Done(result) => {
                self.sent.remove(client);
                match result {
                    _ if !tell => self.see(client, "(no answer)"),
                    Ok(response) => self.see(client, response.map(&mut |text: Text| text.full())),
                    Err(error) => self.see(client, error),
                }
                true
            }
            Served::Going(progress) => {
                sent.progress = Some(progress);
                false
            }
            Served::Waits => {
                self.see(client, "waits");
                true
            }
        }
    }

    fn send(&mut self, client: &str, text: &str) -> Result<(), String> {
        let request = request(text)?.map(&mut |text: String| Text::new(&text));
        self.sent.insert(client.to_owned(), Sent { request, progress: None });
        Ok(())
    }

    fn take(&mut self, wanted: &Inner) -> Result<(), String> {
        if !self.store.inner().contains(wanted) {
            return Err(format!("{wanted:?} does not happen now"));
        }
        self.store.take(wanted);
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "store" => {
                self.store = setting(std::mem::take(&mut self.store), rest)?;
                return Ok(());
            }
            "show" | "show-replica" => {
                let all = if word == "show" { self.store.all(rest) } else { self.store.at_replica(rest) };
                let texts: Vec<_> =
                    all.iter().map(|d| d.clone().map(&mut |text: Text| text.full()).to_string()).collect();
                self.observed
                    .push(format!("{rest}: {}", if texts.is_empty() { "empty".into() } else { texts.join(" ") }));
                return Ok(());
            }
            "stop" => return self.take(&Inner::Stop),
            "replicate" => return self.take(&Inner::Replicate),
            "died" => {
                self.store.died(slot(rest));
                return Ok(());
            }
            "abort-orphans" => {
                let orphans: Vec<_> =
                    self.store.inner().into_iter().filter(|i| matches!(i, Inner::AbortOrphan(..))).collect();
                orphans.iter().for_each(|inner| self.store.take(inner));
                return if orphans.is_empty() { Err("there are none".into()) } else { Ok(()) };
            }
            _ => {}
        }
        let end = if word[1..].starts_with("-copy") { "A-copy".len() } else { 1 };
        let (client, how) = word.split_at(end);
        match (how, rest) {
            ("", "step") => {
                if !self.step(client, true) {
                    self.see(client, "goes on");
                }
            }
            ("", "finish") => while !self.step(client, true) {},
            ("", _) => {
                self.send(client, rest)?;
                while !self.step(client, true) {}
            }
            (">", _) => {
                self.send(client, rest)?;
                if !self.step(client, true) {
                    self.see(client, "goes on");
                }
            }
            ("-lost", _) => {
                self.send(client, rest)?;
                while !self.step(client, false) {}
            }
            _ => return Err(format!("`{word}` is no line of a case")),
        }
        Ok(())
    }
}

/// What is observed, line by line.
pub fn run(case: &Case) -> Vec<String> {
    let mut world = World { store: Documents::new(), sent: BTreeMap::new(), observed: Vec::new() };
    for line in &case.lines {
        world.line(line).unwrap_or_else(|e| panic!("{} {}: {line}: {e}", case.place, case.id));
    }
    world.observed
}
