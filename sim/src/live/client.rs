//! A client of a live run: its program, its wires, its pings.

use std::collections::VecDeque;

use overtake_recipes::{EventKind, SessionState, ZkError};

use super::observer::{Delivery, Observer};
use super::service::Service;
use super::{Event, Live};
use crate::names::{Text, Who};
use crate::program::{Begun, Program, ProgramError, Runner};
use crate::zookeeper::{Request, Response};

/// Something on the wire to a server.
#[derive(Debug)]
pub(super) enum Sent {
    /// A request, with the place of its operation.
    Request(u32, Request),
    Ping,
}

/// Something on the wire to a client.
#[derive(Debug)]
pub(super) enum Frame {
    /// The answer to the request at the place; `true`: to the one that closes the session.
    Reply(u32, Result<Response, ZkError>, bool),
    Event(EventKind, Text),
    Session(SessionState),
    Pong,
}

pub(super) struct Client {
    program: Program,
    /// `None` before the start.
    pub(super) runner: Option<Runner>,
    pub(super) server: usize,
    /// The session of the library, 0 for none.
    pub(super) session: Who,
    /// How many sessions were opened.
    pub(super) sessions: u16,
    /// The number of the connection: what is on the wire of an older one is lost.
    pub(super) connection: u32,
    out: VecDeque<Sent>,
    out_last: u64,
    incoming: VecDeque<Frame>,
    incoming_last: u64,
    last_sent: u64,
    /// When the server heard of the client last.
    pub(super) last_heard: u64,
    /// A write of the session is under way at the server, so what follows it waits in `held`.
    pub(super) blocked: bool,
    pub(super) held: VecDeque<Sent>,
}

impl Client {
    pub(super) fn new(program: Program, session: Who, server: usize) -> Self {
        Self {
            program,
            runner: None,
            server,
            session,
            sessions: u16::from(session != 0),
            connection: 0,
            out: VecDeque::new(),
            out_last: 0,
            incoming: VecDeque::new(),
            incoming_last: 0,
            last_sent: 0,
            last_heard: 0,
            blocked: false,
            held: VecDeque::new(),
        }
    }

    pub(super) fn program_name(&self) -> &str {
        self.program.name()
    }

    /// The connection is over: what is on its way to the server is lost.
    pub(super) fn close_connection(&mut self) {
        self.connection += 1;
        self.out.clear();
        self.held.clear();
        self.blocked = false;
    }
}

impl<S: Service, O: Observer> Live<S, O> {
    pub(super) fn start(&mut self, client: u32) -> Result<(), ProgramError> {
        let at = self.queue.now();
        let slot = client as usize;
        let it = &mut self.clients[slot];
        it.runner = Some(Runner::start(&it.program, slot)?);
        (it.last_heard, it.last_sent) = (at, at);
        self.drain(slot);
        if let Some(interval) = self.timing.ping {
            self.queue.push(at + interval, Event::Ping(client));
            self.looks += 1;
        }
        Ok(())
    }

    /// Takes over what began in the program of the client.
    fn drain(&mut self, slot: usize) {
        let Self { queue, clients, timing, network, work, stats, observer, .. } = self;
        let at = queue.now();
        let Client { runner, out, out_last, last_sent, connection, .. } = &mut clients[slot];
        let runner = runner.as_mut().expect("a program that has started");
        let client = slot as u32;
        runner.drain(|begun| match begun {
            Begun::Request(op, request) => {
                stats.requests += 1;
                observer.sent(at, slot, &request);
                *out_last = (*out_last).max(at + timing.network.sample(network));
                *last_sent = at;
                out.push_back(Sent::Request(op as u32, request));
                queue.push(*out_last, Event::Arrive(client, *connection));
            }
            Begun::Timer(op, serial, nanos) => queue.push_in(nanos, Event::Fire(client, op as u32, serial)),
            Begun::Work(op, serial, label) => {
                queue.push_in(timing.work(label).sample(work), Event::Fire(client, op as u32, serial));
            }
            Begun::Choice(op, serial, n) => queue.push_in(0, Event::Choose(client, op as u32, serial, n)),
            Begun::Mark(name, set) => observer.marked(at, slot, name, set),
        });
    }

    /// Takes what has arrived from the wire to the server, unless the connection is another by now.
    pub(super) fn taken(&mut self, slot: usize, connection: u32) -> Option<Sent> {
        let client = &mut self.clients[slot];
        (client.connection == connection).then(|| client.out.pop_front().expect("what arrives was sent"))
    }

    /// Puts a frame on the wire to a client, to leave the server at the moment.
    pub(super) fn push(&mut self, slot: usize, leaves: u64, frame: Frame) {
        let client = &mut self.clients[slot];
        client.incoming_last = client.incoming_last.max(leaves + self.timing.network.sample(&mut self.network));
        client.incoming.push_back(frame);
        self.queue.push(client.incoming_last, Event::Deliver(slot as u32));
    }

    pub(super) fn deliver(&mut self, slot: usize) -> Result<(), ProgramError> {
        let at = self.queue.now();
        let client = &mut self.clients[slot];
        let frame = client.incoming.pop_front().expect("what is delivered was sent");
        match frame {
            Frame::Reply(op, result, closes) => {
                self.observer.delivered(at, slot, Delivery::Reply(&result));
                if let Ok(Response::Opened(session)) = &result {
                    client.session = *session;
                }
                if closes && result.is_ok() {
                    client.session = 0;
                    client.close_connection();
                }
                client.runner.as_mut().expect("started").reply(op as usize, result)?;
            }
            Frame::Event(kind, path) => {
                self.observer.delivered(at, slot, Delivery::Event(kind, path));
                let heard = client.runner.as_mut().expect("started").event(kind, path)?;
                if heard {
                    self.stats.wake_ups += 1;
                    self.observer.woken(at, slot);
                }
            }
            Frame::Session(state) => {
                self.observer.delivered(at, slot, Delivery::Session(state));
                client.runner.as_mut().expect("started").session(state)?;
            }
            Frame::Pong => return Ok(()),
        }
        self.drain(slot);
        Ok(())
    }

    /// An operation of the program's own is over, unless the program has dropped it.
    pub(super) fn fire(&mut self, slot: usize, op: u32, serial: u32, choice: Option<u8>) -> Result<(), ProgramError> {
        let runner = self.clients[slot].runner.as_mut().expect("started");
        if runner.fire(op as usize, serial, choice)? {
            self.observer.fired(self.queue.now(), slot, choice);
            self.drain(slot);
        }
        Ok(())
    }

    /// Pings when nothing was sent for long, and looks again when that may be the case next.
    pub(super) fn look_whether_to_ping(&mut self, slot: usize) {
        self.looks -= 1;
        let (at, client) = (self.queue.now(), &mut self.clients[slot]);
        let over = client.runner.as_ref().is_none_or(|runner| runner.is_over());
        let Some(interval) = self.timing.ping.filter(|_| !over) else { return };
        if client.session == 0 {
            client.last_sent = at;
        } else if at - client.last_sent >= interval {
            client.last_sent = at;
            client.out_last = client.out_last.max(at + self.timing.network.sample(&mut self.network));
            client.out.push_back(Sent::Ping);
            self.queue.push(client.out_last, Event::Arrive(slot as u32, client.connection));
            self.stats.pings += 1;
        }
        self.queue.push(client.last_sent + interval, Event::Ping(slot as u32));
        self.looks += 1;
    }
}
