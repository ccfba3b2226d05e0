//! One server and the clients of a case, told apart by letters.

use std::collections::BTreeMap;

use overtake_sim::names::{Text, Who, slot_of, who};
use overtake_sim::zookeeper::{Config, Notification, Refused, Reply, Response, ZooKeeper, permissions};

use super::language::{Case, Step};
use super::request;

struct Client {
    /// Sessions opened so far.
    opened: usize,
    session: Who,
    /// Header zxid of the last reply that arrived: what a client sends when it reconnects.
    last_zxid: u32,
}

struct World {
    server: ZooKeeper,
    clients: BTreeMap<char, Client>,
    /// Whether replies are shown with the zxid of their header.
    headers: bool,
    log: Vec<String>,
}

/// Runs a case and answers what was observed.
pub fn run(case: &Case) -> Vec<String> {
    let mut world =
        World { server: ZooKeeper::new(Config::default()), clients: BTreeMap::new(), headers: false, log: Vec::new() };
    for letter in ['A', 'B', 'C'] {
        world.open(letter);
    }
    world.step(&["A", "create", "/p"].map(str::to_owned));
    world.log.clear();
    for step in &case.steps {
        world.checked_step(case, step);
    }
    world.log
}

fn letter(session: Who) -> char {
    (b'A' + slot_of(session) as u8) as char
}

impl World {
    fn checked_step(&mut self, case: &Case, step: &Step) {
        let before = self.log.len();
        self.step(&step.words);
        if step.setup {
            let lines = self.log.split_off(before);
            let failed = lines.iter().find(|line| {
                let error = line.split(' ').nth(1).unwrap_or_default();
                error.starts_with(char::is_uppercase)
            });
            assert!(failed.is_none(), "{} {}, line {}: the set-up failed: {failed:?}", case.id, case.place, step.line);
        }
    }

    fn step(&mut self, words: &[String]) {
        let mut chars = words[0].chars();
        match (chars.next(), chars.next()) {
            (Some(letter), None) if letter.is_ascii_uppercase() => {
                self.client_step(letter, &words[1..]);
            }
            _ => self.server_step(words),
        }
    }

    fn open(&mut self, letter: char) {
        let slot = (letter as u8 - b'A') as usize;
        let client = self.clients.entry(letter).or_insert(Client { opened: 0, session: 0, last_zxid: 0 });
        client.opened += 1;
        client.session = who(slot, client.opened);
        let reply = self.server.apply(client.session, &overtake_sim::zookeeper::Request::OpenSession, &mut Vec::new());
        self.reply(letter, &reply);
    }

    fn client_step(&mut self, letter: char, words: &[String]) {
        if words[0] == "open" {
            return self.open(letter);
        }
        let session = self.clients[&letter].session;
        let mut out = Vec::new();
        match words[0].as_str() {
            "drop" => self.server.disconnect(session),
            "take-over" => {
                let older = self.server.take_over(session);
                self.say(letter, if older { "eof" } else { "no older connection" });
            }
            "reconnect" => {
                let rel = words.get(1).and_then(|w| w.strip_prefix("rel="));
                let tables = request::parse_tables(&words[1 + usize::from(rel.is_some())..]);
                let rel = rel.map_or(self.clients[&letter].last_zxid, |rel| rel.parse().expect("a zxid"));
                let result = self.server.reconnect(session, &tables, rel, &mut out);
                self.events(&out);
                self.say(
                    letter,
                    match result {
                        Ok(()) => "reconnected",
                        Err(Refused::SessionOver) => "refused: session over",
                        Err(Refused::ClientAhead) => "refused: client ahead",
                    },
                );
            }
            // The request gets through; the connection breaks before anything comes back.
            "lost" => {
                let request = request::parse(&words[1..]).expect("a request");
                self.server.apply(session, &request, &mut out);
                self.server.disconnect(session);
                out.retain(|event| event.session != session);
                self.events(&out);
            }
            "create-without-acl" => {
                let reply = self.server.create_without_acl(session, Text::new(&words[1]));
                self.reply(letter, &reply);
            }
            _ => {
                let request = request::parse(words).unwrap_or_else(|| panic!("unknown line: {letter} {words:?}"));
                let connected = self.server.is_connected(session);
                let reply = self.server.apply(session, &request, &mut out);
                self.events(&out);
                self.reply(letter, &reply);
                if connected && !self.server.is_connected(session) {
                    self.say(letter, "eof");
                }
            }
        }
    }

    fn server_step(&mut self, words: &[String]) {
        let word = |at: usize| words[at].as_str();
        let session = |at: usize| self.clients[&word(at).chars().next().unwrap()].session;
        match word(0) {
            "headers" => self.headers = true,
            "closing" => {
                let session = session(1);
                self.server.begin_expiry(session);
            }
            "applied" => {
                let session = session(1);
                let connected = self.server.is_connected(session);
                let mut out = Vec::new();
                self.server.apply_close(session, &mut out);
                self.events(&out);
                if connected {
                    self.say(letter(session), "eof");
                }
            }
            "sweep" => {
                for path in self.server.sweepable() {
                    let mut out = Vec::new();
                    assert!(self.server.sweep_container(path, &mut out));
                    self.events(&out);
                    self.log.push(format!("swept {path}"));
                }
            }
            "show" => self.show(Text::new(word(1))),
            "state" => {
                let session = session(1);
                let state = if self.server.is_alive(session) {
                    "alive"
                } else if self.server.is_closing(session) {
                    "closing"
                } else {
                    "gone"
                };
                self.log.push(format!("{} is {state}", word(1)));
            }
            "watches" => {
                let mut watches: Vec<_> = self
                    .server
                    .watches()
                    .map(|(session, table, path)| format!("{} {} {path}", letter(session), request::table(table)))
                    .collect();
                watches.sort();
                self.log.push(format!("watches {}", request::list(watches.iter())));
            }
            "counter" => {
                let value = word(2).parse().expect("a counter");
                self.server.set_counter(Text::new(word(1)), value);
            }
            "version" => {
                let value = word(2).parse().expect("a version");
                self.server.set_version(Text::new(word(1)), value);
            }
            "permissions" => {
                let bits = word(2).chars().map(|c| match c {
                    'r' => permissions::READ,
                    'w' => permissions::WRITE,
                    'c' => permissions::CREATE,
                    'd' => permissions::DELETE,
                    'a' => permissions::ADMIN,
                    other => panic!("unknown permission: {other}"),
                });
                let bits = bits.fold(0, |all, bit| all | bit);
                self.server.set_permissions(Text::new(word(1)), bits);
            }
            other => panic!("unknown line: {other}"),
        }
    }

    fn show(&mut self, path: Text) {
        let line = match (self.server.node(path), self.server.data(path)) {
            (Some(stat), Some(data)) => format!("{path} = {} {}", request::data(data), request::stat(&stat, letter)),
            _ => format!("{path} is missing"),
        };
        self.log.push(line);
    }

    fn say(&mut self, letter: char, what: &str) {
        self.log.push(format!("{letter}: {what}"));
    }

    fn events(&mut self, events: &[Notification]) {
        for event in events {
            assert!(
                self.server.is_connected(event.session) || !self.server.is_known(event.session),
                "an event for a session without a connection: {event:?}"
            );
            self.say(letter(event.session), &format!("({} {})", event.path, request::event(event.kind)));
        }
    }

    fn reply(&mut self, who: char, reply: &Reply) {
        if let Ok(Response::Opened(session)) = &reply.result {
            assert_eq!(*session, self.clients[&who].session);
        }
        let text = request::reply(reply, self.headers, letter);
        self.clients.get_mut(&who).expect("a client").last_zxid = reply.zxid;
        self.say(who, &text);
    }
}
