//! What a server does with a client, worked out on values.

use overtake_recipes::SessionState;

use super::client::{self, Client, Frame, Link};
use super::{Services, World};
use crate::ensemble::{LEADER, Sent, Taken};
use crate::names::{Names, PER_CLIENT, Who, slot_of, who};
use crate::program::{OpView, ProgramError};
use crate::resource::Effect;
use crate::zookeeper::{Refused, Request, Response};

/// From here on positions of writes count those of a process that has died.
pub(super) const LATE: u8 = 200;

/// What a step of a server gives.
pub(super) struct Served {
    pub services: Services,
    /// The client whose step it is.
    pub client: Option<Client>,
    /// What goes to clients, this one left out.
    pub sent: Vec<Sent>,
}

impl World {
    pub(super) fn own_names<T: Names>(&self, value: &mut T, slot: usize, inside: bool) {
        if !self.setup.naming.literal_owners {
            if inside {
                client::to_client(value, slot);
            } else {
                client::to_world(value, slot);
            }
        }
    }

    /// The session of the client at the slot, in the world's names; 0 for none.
    pub(super) fn session_of(&self, client: &Client, slot: usize) -> Who {
        match client.session {
            0 => 0,
            session => who(slot, session as usize % 16),
        }
    }

    /// The frames that something sent puts on a client's wire; none where the connection is closed.
    pub(super) fn frames(&self, sent: &Sent) -> Vec<Frame> {
        let (session, mut frames) = match sent {
            Sent::Event(event) => (event.session, vec![Frame::Event(event.kind, event.path)]),
            Sent::Reply(session, reply) => {
                let mut reply = reply.clone();
                if !self.setup.zxids {
                    reply.zxid = 0;
                }
                let opened = matches!(reply.result, Ok(Response::Opened(_)));
                let connected = opened.then_some(Frame::Session(SessionState::Connected));
                (*session, std::iter::once(Frame::Reply(reply)).chain(connected).collect())
            }
            Sent::Closed(_) => return Vec::new(),
        };
        frames.iter_mut().for_each(|frame| self.own_names(frame, slot_of(session), true));
        frames
    }

    /// The session under which the oldest request of the client goes, in the world's names.
    pub(super) fn requesting(&self, client: &Client, slot: usize) -> Who {
        match client.out.first() {
            Some(Request::OpenSession) => who(slot, usize::from(client.sessions + 1).min(PER_CLIENT as usize - 1)),
            _ => self.session_of(client, slot),
        }
    }

    /// The server takes the oldest request of the client. The answer is on the wire afterwards, or with the program at
    /// once where calls are steps, or still to come where the leader has to be asked.
    pub(super) fn serve(&self, services: &Services, client: &Client, slot: usize) -> Served {
        let (mut services, mut client) = (services.clone(), client.clone());
        let mut sent = Vec::new();
        let mut request = client.out.remove(0);
        self.own_names(&mut request, slot, false);
        let session = if request == Request::OpenSession {
            if u16::from(client.sessions) + 1 == PER_CLIENT {
                let program = self.automaton.program_name(self.setup.clients[slot].program).into();
                self.automaton.fail(ProgramError::TooManySessions { program });
                client.closed_by_server();
                return Served { services, client: Some(client), sent };
            }
            client.sessions += 1;
            who(slot, client.sessions as usize)
        } else {
            self.session_of(&client, slot)
        };
        let taken = services.ensemble.serve(client.server, session, &request, &mut sent, self.setup.quirks);
        let mut reply = match taken {
            Taken::Answered(reply) => reply,
            Taken::Forwarded => return Served { services, client: Some(client), sent },
            Taken::Refused => {
                client.closed_by_server();
                return Served { services, client: Some(client), sent };
            }
        };
        if let (LEADER, Ok(response)) = (client.server, &reply.result) {
            services.note_created(session, &request, response);
        }
        if !self.setup.calls_are_steps {
            // The event of a write of one's own comes before its reply (§2.2).
            let own = |s: &Sent| matches!(s, Sent::Event(e) if e.session == session);
            for event in sent.iter().filter(|s| own(s)) {
                client.incoming.extend(self.frames(event));
            }
            sent.retain(|s| !own(s));
            client.incoming.extend(self.frames(&Sent::Reply(session, reply)));
            return Served { services, client: Some(client), sent };
        }
        if !self.setup.zxids {
            reply.zxid = 0;
        }
        self.own_names(&mut reply, slot, true);
        client.receive_reply(&self.automaton, reply);
        Served { services, client: Some(client), sent }
    }

    /// The library reaches the server again, or learns that its session is over.
    pub(super) fn reconnect(&self, services: &Services, client: &Client, slot: usize, server: u8) -> Served {
        let (mut services, mut client) = (services.clone(), client.clone());
        let session = self.session_of(&client, slot);
        let mut watches = Vec::new();
        if self.setup.clients[slot].resends_watches {
            watches = client.watches(&self.automaton);
            for (_, path) in &mut watches {
                self.own_names(path, slot, false);
            }
        }
        let mut sent = Vec::new();
        match services.ensemble.reconnect(server, session, &watches, client.last_zxid, &mut sent) {
            Ok(()) => {
                client.link = Link::Up;
                client.server = server;
                client.incoming.push(Frame::Session(SessionState::Connected));
                for event in sent.drain(..) {
                    client.incoming.extend(self.frames(&event));
                }
            }
            Err(_) => client.loses_session(),
        }
        Served { services, client: Some(client), sent }
    }

    /// The servers that take the client of the slot back now. One of them tells it, if its session is over.
    pub(super) fn reachable(&self, services: &Services, client: &Client, slot: usize) -> Vec<u8> {
        let setup = &self.setup.clients[slot];
        let ensemble = &services.ensemble;
        let session = self.session_of(client, slot);
        let all = 0..ensemble.servers() as u8;
        let mut can = all.filter(|&s| setup.roams || s == setup.server).filter(|&s| {
            let mut ensemble = ensemble.clone();
            let answer = ensemble.reconnect(s, session, &[], client.last_zxid, &mut Vec::new());
            answer != Err(Refused::ClientAhead)
        });
        if ensemble.leader.is_alive(session) { can.collect() } else { can.next().into_iter().collect() }
    }

    /// The resource takes the write at the position, or refuses it.
    pub(super) fn write(&self, services: &Services, client: &Client, slot: usize, pos: u8) -> (Services, bool) {
        let mut services = services.clone();
        let effect = self.effect(client, slot, pos);
        let resource = services.resource.as_mut().unwrap_or_else(|| {
            panic!("the program writes to a resource, but the world has none: add .resource() to the scenario")
        });
        let taken = resource.write(&effect);
        (services, taken)
    }

    /// The write at the position, in the world's names.
    pub(super) fn effect(&self, client: &Client, slot: usize, pos: u8) -> Effect {
        let mut effect = match pos.checked_sub(LATE) {
            Some(at) => client.late[at as usize],
            None => {
                let OpView::Effect(effect) = &self.automaton.node(client.node).ops[pos as usize] else {
                    unreachable!("there is no write at the position")
                };
                let mut effect = *effect;
                client.resolve(&self.automaton, &mut effect);
                effect
            }
        };
        self.own_names(&mut effect, slot, false);
        effect
    }
}
