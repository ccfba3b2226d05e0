//! Steps: what can happen next, by number and by name.

use std::fmt;

use super::serve::LATE;
use super::{Frame, Services, World};
use crate::ensemble::{Commit, Forwarded, LEADER};
use crate::names::{PER_CLIENT, Who, slot_of};
use crate::program::OpView;
use crate::zookeeper::Request;

/// What kind of thing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepKind {
    /// The frame at the head of a client's wire reaches its program.
    Deliver,
    /// The server takes a client's oldest request.
    Serve,
    /// A timer, a piece of work or a choice of a client's own is over.
    Local,
    /// A call of a client is interrupted.
    Interrupt,
    /// A client's library reaches the server again.
    Reconnect,
    /// A client learns at once that its session is over (where calls are steps).
    Notice,
    /// The connection of a client breaks.
    Cut,
    /// The process of a client dies.
    Crash,
    /// The process of a client starts again.
    Restart,
    /// The server marks a session as closing.
    Expire,
    /// The server marks a session as closing that nobody keeps alive any more.
    Lapse,
    /// The server applies the end of a session.
    Apply,
    /// The server sweeps an empty container away.
    Sweep,
    /// The resource takes a client's write, or refuses it.
    Write,
    /// A client's library gives its session up by its own clock.
    GiveUp,
    /// A client asks a follower for its session and goes away before the answer.
    Ask,
    /// The leader takes what a follower has forwarded.
    Accept,
    /// A follower applies a commit.
    Commit,
    /// The leader changes; with one server: it restarts.
    Elect,
    /// A follower falls out and synchronises with the leader.
    Resync,
    /// A store takes a client's call, or takes it one step further.
    Call,
    /// The answer of a store reaches a client's program.
    Answer,
    /// A client gets no answer: its call is lost, or arrives later, or the answer is lost.
    NoAnswer,
    /// A client's call arrives twice.
    Duplicate,
    /// A client learns which nodes the hash table has.
    Ring,
    /// A store does something by itself.
    Store,
    /// Something befalls a store.
    StoreFault,
}

/// One atomic thing that happens in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// What.
    pub kind: StepKind,
    /// To which client; for steps of the servers alone ([`StepKind::is_of_servers`]) which follower or container.
    pub slot: u8,
    /// Position of the operation, or number of the call (low byte), and chosen value (high byte); the session, the server, the
    /// ring, or the number of the store's step.
    pub arg: u16,
}

impl Step {
    pub(super) fn new(kind: StepKind, slot: usize, arg: u16) -> Self {
        Self { kind, slot: slot as u8, arg }
    }

    /// Whether it is a fault, which nothing forces to happen.
    pub fn is_fault(self) -> bool {
        matches!(
            self.kind,
            StepKind::Interrupt
                | StepKind::Cut
                | StepKind::Crash
                | StepKind::Restart
                | StepKind::Expire
                | StepKind::Sweep
                | StepKind::GiveUp
                | StepKind::Ask
                | StepKind::Elect
                | StepKind::Resync
                | StepKind::NoAnswer
                | StepKind::Duplicate
                | StepKind::StoreFault
        )
    }

    /// The slot of the client that it concerns, if it concerns one.
    pub fn client(self) -> Option<usize> {
        (!self.kind.is_of_servers()).then_some(usize::from(self.slot))
    }

    /// The same step in a world without the client at the slot `gone`: the clients behind it have moved up by one.
    pub fn client_moved(self, gone: usize) -> Self {
        let behind = self.client().is_some_and(|slot| slot > gone);
        let sessions = matches!(self.kind, StepKind::Expire | StepKind::Lapse | StepKind::Apply);
        if matches!(self.kind, StepKind::Elect | StepKind::Resync) {
            let below = (1u16 << gone) - 1;
            return Self { arg: self.arg & below | self.arg >> 1 & !below, ..self };
        }
        Self {
            slot: self.slot - u8::from(behind),
            arg: if behind && sessions { self.arg - PER_CLIENT } else { self.arg },
            ..self
        }
    }

    /// The class for weak fairness: a class that is enabled for ever must be taken.
    pub fn fair_class(self) -> Option<u16> {
        let class = match self.kind {
            StepKind::Deliver => 0,
            StepKind::Serve => 1,
            StepKind::Local => 2,
            StepKind::Reconnect | StepKind::Notice => 3,
            StepKind::Apply | StepKind::Lapse => 4,
            StepKind::Write => 5,
            StepKind::Accept => 6,
            StepKind::Commit => 7,
            StepKind::Call if u8::try_from(self.arg).is_ok_and(|at| at < LATE) => 8,
            StepKind::Answer => 9,
            StepKind::Ring => 10,
            StepKind::Store => 11,
            _ => return None,
        };
        Some(u16::from(self.slot) << 8 | class)
    }
}

impl StepKind {
    /// Whether no client has a part in it, so that the step's slot is none.
    pub fn is_of_servers(self) -> bool {
        matches!(
            self,
            Self::Sweep | Self::Accept | Self::Commit | Self::Elect | Self::Resync | Self::Store | Self::StoreFault
        )
    }
}

impl World {
    /// The step as a person reads it; unique among the steps enabled in the state.
    pub fn describe(&self, words: &[u32], step: Step) -> String {
        let slot = step.slot as usize;
        if step.kind.is_of_servers() {
            return self.describe_servers(self.services.get(words[1]), step);
        }
        let name = &self.setup.clients[slot].name;
        let client = self.clients.get(words[2 + slot]);
        let session = || session_text(step.arg);
        match step.kind {
            StepKind::Deliver => {
                let mut frame = client.incoming[0].clone();
                self.own_names(&mut frame, slot, false);
                match &frame {
                    Frame::Reply(_) => {
                        let asked = client.key(&self.automaton).and_then(|key| {
                            let pos = key.first_request()?;
                            let OpView::Request(request, _) = &key.ops[pos as usize] else {
                                return None;
                            };
                            let mut request = request.clone();
                            client.resolve(&self.automaton, &mut request);
                            self.own_names(&mut request, slot, false);
                            Some(subject(&request))
                        });
                        format!("{name} ← reply: {}{frame}", asked.unwrap_or_default())
                    }
                    _ => format!("{name} ← {frame}"),
                }
            }
            StepKind::Serve => {
                let mut request = client.out[0].clone();
                self.own_names(&mut request, slot, false);
                match client.server {
                    LEADER => format!("{name} → {request}"),
                    follower => format!("{name} → follower {follower}: {request}"),
                }
            }
            StepKind::Local | StepKind::Interrupt => {
                let key = self.automaton.node(client.node);
                let (pos, value) = (step.arg & 0xFF, step.arg >> 8);
                let nth = key.ops[..pos as usize]
                    .iter()
                    .filter(|op| matches!(op, OpView::Timer(_) | OpView::Interrupt))
                    .count();
                match &key.ops[pos as usize] {
                    OpView::Work(label) => format!("{name}: {label} is done"),
                    OpView::Choice(_) => format!("{name}: chooses {value}"),
                    OpView::Interrupt if nth > 0 => format!("{name}: is interrupted ({})", nth + 1),
                    OpView::Interrupt => format!("{name}: is interrupted"),
                    _ if nth > 0 => format!("{name}: timer {} runs out", nth + 1),
                    _ => format!("{name}: timer runs out"),
                }
            }
            StepKind::Reconnect => match step.arg {
                0 if self.setup.followers == 0 => format!("{name}: reaches the server again"),
                server => format!("{name}: reaches {} again", server_name(server as u8)),
            },
            StepKind::Ask => {
                format!("{name}: asks {} for its session and goes away before the answer", server_name(step.arg as u8))
            }
            StepKind::GiveUp => format!("{name}: gives its session up by its own clock"),
            StepKind::Write => {
                let effect = self.effect(client, slot, step.arg as u8);
                let taken = self.write(self.services.get(words[1]), client, slot, step.arg as u8).1;
                let word = if taken { "taken" } else { "refused" };
                format!("{name} → resource: write as {} with {}: {word}", effect.path.short(), effect.token)
            }
            StepKind::Notice => format!("{name} ← the session is expired"),
            StepKind::Cut => {
                let mut client = client.clone();
                client.incoming.iter_mut().for_each(|frame| self.own_names(frame, slot, false));
                client.out.iter_mut().for_each(|request| self.own_names(request, slot, false));
                let lost: Vec<String> = client.incoming.iter().map(ToString::to_string).collect();
                let unserved: Vec<String> = client.out.iter().map(ToString::to_string).collect();
                let mut what = String::new();
                if !unserved.is_empty() {
                    what += &format!("; lost before the server took it: {}", unserved.join(", "));
                }
                if !lost.is_empty() {
                    what += &format!("; lost on the way back: {}", lost.join(", "));
                }
                format!("{name}: connection breaks{what}")
            }
            StepKind::Crash => format!("{name}: process dies"),
            StepKind::Restart => format!("{name}: process starts again with a new session"),
            StepKind::Expire if self.setup.quirks.deposed_leader => {
                format!("follower 1, which thinks that it is the leader: session {} of {name} is over", session())
            }
            StepKind::Expire | StepKind::Lapse if self.setup.calls_are_steps => {
                format!("server: session {} of {name} expires, its nodes go", session())
            }
            StepKind::Expire | StepKind::Lapse => {
                format!("server: session {} of {name} is expired, its nodes are still there", session())
            }
            StepKind::Call | StepKind::Answer | StepKind::NoAnswer | StepKind::Duplicate | StepKind::Ring => {
                self.describe_call(words, step)
            }
            StepKind::Apply => format!("server: the end of session {} of {name} is applied, its nodes go", session()),
            _ => unreachable!("a step of the servers"),
        }
    }
}

impl World {
    /// A step in which no client has a part.
    fn describe_servers(&self, services: &Services, step: Step) -> String {
        let name = |session: Who| &self.setup.clients[slot_of(session)].name;
        let server = step.slot;
        match step.kind {
            StepKind::Store | StepKind::StoreFault => {
                services.stores.describe(&services.stores.inner()[usize::from(step.arg)])
            }
            StepKind::Accept => {
                let what = match &services.ensemble.followers[server as usize - 1].forwarded[0] {
                    Forwarded::Write { session, request, .. } => format!("{request} of {}", name(*session)),
                    Forwarded::Expiry { session } => format!("word that the session of {} is over", name(*session)),
                    Forwarded::Revalidation { session } => format!("word that {} is there", name(*session)),
                };
                format!("leader ← follower {server}: {what}")
            }
            StepKind::Commit => {
                let what = match &services.ensemble.followers[server as usize - 1].behind[0].commit {
                    Commit::Write { session, request, .. } => format!("{request} of {}", name(*session)),
                    Commit::End(session) => {
                        format!("the end of session {} of {}, its nodes go", session_text(*session), name(*session))
                    }
                    Commit::Sweep(path) => format!("the empty container {} is swept away", path.short()),
                    Commit::Sync { session, .. } => format!("all up to the sync of {}", name(*session)),
                    Commit::Moved { session, .. } => format!("that {} has moved", name(*session)),
                };
                format!("follower {server}: applies {what}")
            }
            StepKind::Elect if services.ensemble.servers() == 1 => {
                let lost = self.losers(step.arg);
                format!("server: restarts; every connection breaks, every session gets a fresh time-out{lost}")
            }
            StepKind::Elect => {
                let lost = self.losers(step.arg);
                format!(
                    "servers: a new leader is elected; every connection breaks, every session gets a fresh time-out{lost}"
                )
            }
            StepKind::Resync => {
                format!("follower {server}: falls out and synchronises with the leader{}", self.losers(step.arg))
            }
            _ => {
                let path = services.zookeeper().sweepable()[server as usize];
                format!("server: the empty container {} is swept away", path.short())
            }
        }
    }
}

impl World {
    /// Whose answers are lost with a server.
    fn losers(&self, lost: u16) -> String {
        let names: Vec<&str> = self
            .setup
            .clients
            .iter()
            .enumerate()
            .filter(|(slot, _)| lost >> slot & 1 == 1)
            .map(|(_, c)| c.name.as_str())
            .collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("; what was on its way to {} is lost", names.join(" and "))
        }
    }
}

fn server_name(server: u8) -> String {
    match server {
        LEADER => "the leader".into(),
        follower => format!("follower {follower}"),
    }
}

fn session_text(session: Who) -> String {
    format!("{}.{}", slot_of(session) + 1, session % PER_CLIENT)
}

/// What an answer is about, so that `children [n-0]` says of which node.
fn subject(request: &Request) -> String {
    match request {
        Request::Write(write) => format!("{} → ", verb(&write.to_string())),
        Request::Multi(_) => String::new(),
        other => format!("{} → ", verb(&other.to_string())),
    }
}

/// The request without its details in brackets.
fn verb(text: &str) -> String {
    text.split(" (").next().unwrap_or(text).to_owned()
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Frame::Reply(reply) => match &reply.result {
                Ok(response) => write!(f, "{response}"),
                Err(failure) => write!(f, "{}", failure.error),
            },
            Frame::Event(kind, path) => write!(f, "event: {} {}", path.short(), event(*kind)),
            Frame::Session(state) => write!(f, "connection: {state:?}"),
        }
    }
}

fn event(kind: overtake_recipes::EventKind) -> &'static str {
    use overtake_recipes::EventKind::*;
    match kind {
        Created => "created",
        Deleted => "deleted",
        DataChanged => "data changed",
        ChildrenChanged => "children changed",
    }
}
