//! A table and the clients of a case, told apart by letters.

use std::collections::BTreeMap;
use std::time::Duration;

use overtake_recipes::store::Value;
use overtake_recipes::store::dht::{Expiration, Node, Request, Response, Updated, Version};
use overtake_sim::names::{Text, who};
use overtake_sim::stores::dht::{Inner, Progress, exptime};
use overtake_sim::stores::{Dht, Served, Service};

use crate::language::Case;

/// A moment of Unix time.
const NOW: i64 = 1_700_000_000;

struct World {
    table: Dht,
    /// The ring that each client knows.
    rings: BTreeMap<char, u16>,
    log: Vec<String>,
}

/// Runs a case and answers what was observed.
pub fn run(case: &Case) -> Vec<String> {
    let mut steps = &case.steps[..];
    let mut table = Dht::memcached(1);
    if steps.first().is_some_and(|step| step.words[0] == "table") {
        table = read_table(&steps[0].words[1..]);
        steps = &steps[1..];
    }
    let rings = ['A', 'B', 'C'].map(|letter| (letter, table.ring_version())).into();
    let mut world = World { table, rings, log: Vec::new() };
    for step in steps {
        let before = world.log.len();
        world.step(&step.words);
        if step.setup {
            let lines = world.log.split_off(before);
            let failed = lines.iter().find(|line| line.contains("error") || line.contains("NOT_"));
            assert!(failed.is_none(), "{} {}, line {}: the set-up failed: {failed:?}", case.id, case.place, step.line);
        }
    }
    world.log
}

fn read_table(words: &[String]) -> Dht {
    let nodes = words[1].parse().expect("a number of nodes");
    let mut table = match words[0].as_str() {
        "seed" => Dht::seed(nodes),
        "memcached" => Dht::memcached(nodes),
        other => panic!("unknown table: {other}"),
    };
    let mut rest = words[2..].iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let mut number = || rest.next().expect("a number").parse::<usize>().expect("a number");
        table = match word {
            "rehashing" => table.rehashing(),
            "counting" => table.counting_calls(),
            "at-once" => table.batches_at_once(),
            "keeping" => table.update_keeps_expiration(true),
            "capacity" => table.capacity(number()),
            "without-eviction" => table.capacity_without_eviction(number()),
            "largest" => table.largest_list(number()),
            "place" => {
                let prefix = rest.next().expect("a prefix");
                let node: u8 = rest.next().expect("a node").parse().expect("a node");
                table.placed(prefix, node - 1)
            }
            other => panic!("unknown switch: {other}"),
        };
    }
    table
}

fn data(word: &str) -> Value {
    if let Some(text) = word.strip_prefix('"') {
        return text.into();
    }
    if let Some(list) = word.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        return list.split(',').filter(|element| !element.is_empty()).collect::<Vec<_>>().into();
    }
    word.parse::<i64>().expect("a number, [a,b] or \"text\"").into()
}

fn until(word: Option<&String>) -> Expiration {
    let Some(word) = word else { return Expiration::Never };
    let seconds = match word.strip_prefix("now+") {
        Some(span) => NOW + span.parse::<i64>().expect("seconds"),
        None => word.parse().expect("seconds"),
    };
    exptime(seconds, NOW)
}

impl World {
    fn step(&mut self, words: &[String]) {
        let word = |at: usize| words[at].as_str();
        let node = || Node(word(1).parse::<u8>().expect("a node") - 1);
        match word(0) {
            letter if letter.len() == 1 => self.client_step(letter.chars().next().expect("a letter"), &words[1..]),
            "wait" => {
                let seconds = Duration::from_secs(word(1).parse().expect("seconds"));
                let over = |until| matches!(until, Expiration::After(life) if life <= seconds);
                let all: Vec<_> = self.table.items().map(|(node, item)| (node, item.key, item.until)).collect();
                for (node, key, _) in all.into_iter().filter(|(.., until)| over(*until)) {
                    self.take(Inner::Expires(node, key));
                }
            }
            "expire" | "evict" => {
                let key = Text::new(word(1));
                let (node, _) = self.table.items().find(|(_, item)| item.key == key).expect("an item");
                self.take(if word(0) == "expire" { Inner::Expires(node, key) } else { Inner::IsEvicted(node, key) });
            }
            "lose" => self.take(Inner::IsLost(node())),
            "return" => self.take(Inner::ComesBack(node())),
            "restart" => self.take(Inner::StartsAgain(node())),
            "may" => {
                let may: Vec<_> = self.table.inner().iter().map(|inner| self.table.describe(inner)).collect();
                self.log.extend(may);
            }
            "show" => {
                let several = self.table.nodes().len() > 1;
                let at = |node: Node| if several { format!(" at node {}", node.0 + 1) } else { String::new() };
                let lines = self.table.items().map(|(node, item)| {
                    let data = self.table.nodes()[usize::from(node.0)].item(item.key).expect("an item");
                    format!("{} = {} ({}){}{}", item.key, data.data, data.version, item.until, at(node))
                });
                let lines: Vec<_> = lines.collect();
                self.log.extend(if lines.is_empty() { vec!["no items".to_owned()] } else { lines });
            }
            "calls" => {
                let slot = usize::from(word(1).as_bytes()[0] - b'A');
                self.log.push(format!("{} has made {} calls", word(1), self.table.calls(slot)));
            }
            other => panic!("unknown line: {other}"),
        }
    }

    /// An inner step, which must be one of those that may happen now.
    fn take(&mut self, inner: Inner) {
        assert!(self.table.inner().contains(&inner), "this cannot happen now: {}", self.table.describe(&inner));
        assert!(Dht::fault(&inner).is_some());
        self.table.take(&inner);
    }

    fn client_step(&mut self, letter: char, words: &[String]) {
        if words[0] == "learns" {
            self.rings.insert(letter, self.table.ring_version());
            return;
        }
        let request = self.request(self.rings[&letter], words);
        let caller = who(usize::from(letter as u8 - b'A'), 0);
        let mut progress: Option<Progress> = None;
        let result = loop {
            match self.table.serve(caller, &request, progress.as_ref()) {
                Served::Done(result) => break result,
                Served::Going(further) => progress = Some(further),
                Served::Waits => panic!("a node never lets wait"),
            }
        };
        let line = match result {
            Ok(response) => said(&words[0], &response),
            Err(error) => format!("error: {error}"),
        };
        assert!(progress.is_none() || words[0] == "batch", "only batches take several steps");
        self.log.push(format!("{letter}: {line}"));
    }

    fn request(&self, ring: u16, words: &[String]) -> Request<Text> {
        let word = |at: usize| words[at].as_str();
        let version = |at: usize| Version(word(at).parse().expect("a version"));
        let node = || Node(word(1).parse::<u8>().expect("a node") - 1);
        let value = || overtake_sim::stores::inside(data(word(2)));
        if word(0) == "batch" {
            return Request::GetMany(node(), words[2..].iter().map(|key| Text::new(key)).collect());
        }
        if word(0) == "flush" {
            return Request::Flush(node());
        }
        let (owner, key) = (self.table.owner(ring, word(1)), Text::new(word(1)));
        match word(0) {
            "set" => Request::Set(owner, key, value(), until(words.get(3))),
            "add" => Request::Put(owner, key, value(), until(words.get(3))),
            "replace" => Request::Replace(owner, key, value(), until(words.get(3))),
            "cas" => {
                let expiration = words.get(4).map(|_| until(words.get(4)));
                Request::Update(owner, key, value(), version(3), expiration)
            }
            "get" | "gets" => Request::Get(owner, key),
            "gat" => Request::GetAndTouch(owner, key, until(words.get(2))),
            "delete" if words.len() > 2 => Request::DelIf(owner, key, version(2)),
            "delete" => Request::Del(owner, key),
            "touch" => Request::Touch(owner, key, until(words.get(2))),
            "incr" => Request::Increment(owner, key, word(2).parse().expect("a number")),
            "append" => Request::Append(owner, key, value()),
            "prepend" => Request::Prepend(owner, key, value()),
            other => panic!("unknown verb: {other}"),
        }
    }
}

/// An answer in memcached's words.
fn said(verb: &str, response: &Response<Text>) -> String {
    let words = match verb {
        "set" | "add" | "replace" | "append" | "prepend" => ["STORED", "NOT_STORED"],
        "delete" => ["DELETED", "NOT_FOUND"],
        _ => ["TOUCHED", "NOT_FOUND"],
    };
    match response {
        Response::Done if verb == "set" => words[0].to_owned(),
        Response::Done => "done".to_owned(),
        Response::Was(was) => words[usize::from(!was)].to_owned(),
        Response::Updated(Updated::Stored) => "STORED".to_owned(),
        Response::Updated(Updated::Moved) => "EXISTS".to_owned(),
        Response::Updated(Updated::Absent) => "NOT_FOUND".to_owned(),
        Response::Number(None) => "NOT_FOUND".to_owned(),
        Response::Number(Some(number)) => number.to_string(),
        Response::Item(None) => "nothing".to_owned(),
        Response::Item(Some(item)) if verb == "get" => item.data.to_string(),
        Response::Item(Some(item)) => format!("{} ({})", item.data, item.version.0),
        Response::Items(items) if items.is_empty() => "no items".to_owned(),
        Response::Items(items) => {
            let item = items.iter().map(|item| {
                item.as_ref().map_or("nothing".to_owned(), |item| format!("{} ({})", item.data, item.version.0))
            });
            item.collect::<Vec<_>>().join(", ")
        }
    }
}
