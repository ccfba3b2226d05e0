//! A leader, its followers, and the clients of a case, told apart by letters.

use std::collections::{BTreeMap, VecDeque};

use overtake_sim::ensemble::{Ensemble, LEADER, Quirks, Sent, Taken};
use overtake_sim::names::{Text, Who, slot_of, who};
use overtake_sim::zookeeper::{Refused, Reply, Request, Response, ZooKeeper};

use super::language::{Case, Step};
use super::request;

struct Client {
    /// Sessions opened so far.
    opened: usize,
    session: Who,
    server: u8,
    connected: bool,
    /// The last zxid of a reply, which a client sends when it reconnects.
    last_zxid: u32,
    /// Sent and not taken yet: a read waits for the session's own writes.
    waiting: VecDeque<(u8, Request)>,
}

struct World {
    ensemble: Ensemble,
    clients: BTreeMap<char, Client>,
    headers: bool,
    log: Vec<String>,
}

/// Runs a case and answers what was observed.
pub fn run(case: &Case) -> Vec<String> {
    let mut steps = case.steps.iter().peekable();
    let servers = steps.next_if(|s| s.words[0] == "servers").map_or(3, |s| s.words[1].parse().expect("a number"));
    let mut world = World {
        ensemble: Ensemble::new(ZooKeeper::default(), servers - 1),
        clients: BTreeMap::new(),
        headers: false,
        log: Vec::new(),
    };
    for (slot, server) in [1, 2, LEADER].into_iter().enumerate() {
        let (session, server) = (who(slot, 1), if servers == 1 { LEADER } else { server });
        world.ensemble.seed_session(session, server);
        let waiting = VecDeque::new();
        let client = Client { opened: 1, session, server, connected: true, last_zxid: 0, waiting };
        world.clients.insert(letter(session), client);
    }
    world.step(&["C", "create", "/p"].map(str::to_owned));
    world.settle();
    world.log.clear();
    for step in steps {
        world.checked_step(case, step);
    }
    world.log
}

fn letter(session: Who) -> char {
    (b'A' + slot_of(session) as u8) as char
}

fn server_name(server: u8) -> String {
    if server == LEADER { "the leader".into() } else { format!("follower {server}") }
}

impl World {
    fn checked_step(&mut self, case: &Case, step: &Step) {
        let before = self.log.len();
        self.step(&step.words);
        if step.setup {
            self.settle();
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
            (Some(letter), None) if letter.is_ascii_uppercase() => self.client_step(letter, &words[1..]),
            _ => self.server_step(words),
        }
        self.serve_waiting();
    }

    fn client_step(&mut self, letter: char, words: &[String]) {
        let number = |at: usize| words[at].parse().unwrap_or_else(|_| panic!("{letter} {words:?}: no server"));
        match words[0].as_str() {
            "open" => {
                let slot = (letter as u8 - b'A') as usize;
                let server = number(1);
                let last_zxid = self.clients.get(&letter).map_or(0, |c| c.last_zxid);
                let opened = self.clients.get(&letter).map_or(0, |c| c.opened) + 1;
                let waiting = VecDeque::from([(server, Request::OpenSession)]);
                let client = Client { opened, session: who(slot, opened), server, connected: true, last_zxid, waiting };
                self.clients.insert(letter, client);
            }
            "drop" => {
                self.ensemble.disconnect_slot(slot_of(self.clients[&letter].session));
                self.hang_up(letter);
            }
            "reconnect" => self.reconnect(letter, number(1), &words[2..]),
            // Over the older of two connections of a session.
            "over" => {
                let request = request::parse(&words[2..]).expect("a request");
                self.client(letter).waiting.push_back((number(1), request));
            }
            _ => {
                let request = request::parse(words).unwrap_or_else(|| panic!("unknown line: {letter} {words:?}"));
                let client = self.client(letter);
                assert!(client.connected, "{letter} has no connection");
                client.waiting.push_back((client.server, request));
            }
        }
    }

    fn reconnect(&mut self, letter: char, server: u8, words: &[String]) {
        let rel = words.first().and_then(|w| w.strip_prefix("rel="));
        let tables = request::parse_tables(&words[usize::from(rel.is_some())..]);
        let client = &self.clients[&letter];
        let rel = rel.map_or(client.last_zxid, |rel| rel.parse().expect("a zxid"));
        let mut out = Vec::new();
        let result = self.ensemble.reconnect(server, client.session, &tables, rel, &mut out);
        if result.is_ok() {
            let client = self.client(letter);
            (client.connected, client.server) = (true, server);
        }
        if result == Err(Refused::SessionOver) {
            // An older connection is cut all the same (Z91).
            self.hang_up(letter);
        }
        self.sent(out);
        let answer = match result {
            Ok(()) => "reconnected",
            Err(Refused::SessionOver) => "refused: session over",
            Err(Refused::ClientAhead) => "refused: client ahead",
        };
        self.say(letter, answer);
    }

    fn server_step(&mut self, words: &[String]) {
        let word = |at: usize| words[at].as_str();
        let number = |at: usize| words[at].parse::<u8>().unwrap_or_else(|_| panic!("{words:?}: no number"));
        let session = |at: usize| self.clients[&word(at).chars().next().unwrap()].session;
        let mut out = Vec::new();
        match word(0) {
            "headers" => self.headers = true,
            "settle" => return self.settle(),
            "accept" => _ = self.ensemble.accept(number(1), &mut out, Quirks::default()),
            "commit" => self.ensemble.commit(number(1), &mut out),
            "closing" => {
                let session = session(1);
                self.ensemble.leader.begin_expiry(session);
            }
            "applied" => {
                let session = session(1);
                self.ensemble.end_session(session, &mut out);
            }
            "elect" => {
                self.ensemble.elect();
                self.connections_break(|_| true);
            }
            "resync" => {
                self.ensemble.resync(number(1), Quirks::default());
                self.connections_break(|server| server == number(1));
            }
            "show" => self.show(Text::new(word(1)), number(2)),
            "zxid" => {
                let server = number(1);
                let zxid = self.ensemble.at(server).last_zxid();
                self.log.push(format!("{} has applied {zxid}", server_name(server)));
            }
            "state" => {
                let (session, server) = (session(1), number(2));
                let at = self.ensemble.at(server);
                let state = match (at.is_alive(session), at.is_closing(session)) {
                    (true, _) => "alive",
                    (_, true) => "closing",
                    _ => "unknown",
                };
                self.log.push(format!("{} is {state} at {}", word(1), server_name(server)));
            }
            "owner" => {
                let owner = server_name(self.ensemble.owner(session(1)));
                self.log.push(format!("{} is recorded at {owner}", word(1)));
            }
            other => panic!("unknown line: {other}"),
        }
        self.sent(out);
    }

    /// Everything that is on its way arrives: first what followers have forwarded, then what they are behind with.
    fn settle(&mut self) {
        self.serve_waiting();
        while let Some(n) =
            self.ensemble.followers.iter().position(|f| !(f.forwarded.is_empty() && f.behind.is_empty()))
        {
            let (server, mut out) = (n as u8 + 1, Vec::new());
            if self.ensemble.followers[n].forwarded.is_empty() {
                self.ensemble.commit(server, &mut out);
            } else {
                self.ensemble.accept(server, &mut out, Quirks::default());
            }
            self.sent(out);
            self.serve_waiting();
        }
    }

    /// Each connection's oldest request is taken, if its server takes it now.
    fn serve_waiting(&mut self) {
        for letter in self.clients.keys().copied().collect::<Vec<_>>() {
            loop {
                let session = self.clients[&letter].session;
                let Some((server, request)) = self.clients[&letter].waiting.front().cloned() else { break };
                if !self.ensemble.takes(server, session, &request) {
                    break;
                }
                self.client(letter).waiting.pop_front();
                let mut out = Vec::new();
                match self.ensemble.serve(server, session, &request, &mut out, Quirks::default()) {
                    Taken::Answered(reply) => out.push(Sent::Reply(session, reply)),
                    Taken::Forwarded => {}
                    Taken::Refused => out.push(Sent::Closed(session)),
                }
                self.sent(out);
            }
        }
    }

    fn connections_break(&mut self, at: impl Fn(u8) -> bool) {
        for letter in self.clients.keys().copied().collect::<Vec<_>>() {
            if self.clients[&letter].connected && at(self.clients[&letter].server) {
                self.hang_up(letter);
                self.say(letter, "eof");
            }
        }
    }

    fn show(&mut self, path: Text, server: u8) {
        let (at, name) = (self.ensemble.at(server), server_name(server));
        let line = match (at.node(path), at.data(path)) {
            (Some(stat), Some(data)) => {
                format!("{path} at {name} = {} {}", request::data(data), request::stat(&stat, letter))
            }
            _ => format!("{path} is missing at {name}"),
        };
        self.log.push(line);
    }

    fn client(&mut self, letter: char) -> &mut Client {
        self.clients.get_mut(&letter).expect("a client")
    }

    fn hang_up(&mut self, letter: char) {
        let client = self.client(letter);
        client.connected = false;
        client.waiting.clear();
    }

    fn say(&mut self, letter: char, what: &str) {
        self.log.push(format!("{letter}: {what}"));
    }

    fn sent(&mut self, out: Vec<Sent>) {
        for sent in out {
            match sent {
                Sent::Event(event) => {
                    let text = format!("({} {})", event.path, request::event(event.kind));
                    self.say(letter(event.session), &text);
                }
                Sent::Reply(session, reply) => self.reply(letter(session), &reply),
                Sent::Closed(session) => {
                    let server = self.clients[&letter(session)].server;
                    // An older connection of a session that has moved may be the one that is closed.
                    if self.ensemble.owner(session) == server && self.ensemble.at(server).is_connected(session) {
                        self.say(letter(session), "eof of the older connection");
                    } else {
                        self.hang_up(letter(session));
                        self.say(letter(session), "eof");
                    }
                }
            }
        }
    }

    fn reply(&mut self, who: char, reply: &Reply) {
        if let Ok(Response::Opened(session)) = &reply.result {
            assert_eq!(*session, self.clients[&who].session);
        }
        let text = request::reply(reply, self.headers, letter);
        let client = self.client(who);
        client.last_zxid = client.last_zxid.max(reply.zxid);
        self.say(who, &text);
    }
}
