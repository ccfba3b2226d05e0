//! Worlds: a service, clients that run programs, the wires between them, and the faults still allowed.
//!
//! A state is a short row of numbers: the budget, the service, one number per client. Each number stands
//! for an interned value, and what a step does to a value is worked out once and then looked up.

mod budget;
mod client;
mod engine;
mod intern;
mod print;
mod reduce;
mod step;
mod view;

use overtake_recipes::SessionState;

pub use budget::{Budget, Fault};
pub(crate) use client::hears;
pub use client::{CRASHED, Client, Frame, Link};
pub use engine::{Engine, EngineStats, StepFacts};
pub use intern::{Interner, Memo, prefetch};
pub use step::{Step, StepKind};
pub use view::{ClientView, View};

use crate::names::{PER_CLIENT, Who, who};
use crate::program::{Automaton, Naming, Program, ProgramError};
use crate::zookeeper::{Notification, Reply, Request, Response, ZooKeeper};

/// Stands, where the engine is asked for marks, for "the program has panicked".
pub const PANICKED: &str = "(panicked)";

/// Most clients in one world.
pub const MOST_CLIENTS: usize = 12;

/// A client of a world.
#[derive(Clone, Debug)]
pub struct ClientSetup {
    /// The name in stories.
    pub name: String,
    /// Number of its program.
    pub program: u16,
    /// Whether faults may hit it.
    pub victim: bool,
    /// The mark that a client carries while faults may hit it; `None`: all the time. A dead process carries none and may be
    /// started again all the same.
    pub hit_while: Option<&'static str>,
    /// Whether its library registers its watches again on reconnecting (Java and Curator do, kazoo does not).
    pub resends_watches: bool,
}

/// What a world is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The service, without sessions.
    pub zookeeper: ZooKeeper,
    /// The programs.
    pub programs: Vec<Program>,
    /// The clients.
    pub clients: Vec<ClientSetup>,
    /// The faults.
    pub budget: Budget,
    /// What programs may do with names.
    pub naming: Naming,
    /// A call is one step (request, apply, reply), expiry is one step, as in the models of other checkers.
    pub calls_are_steps: bool,
    /// Whether zxids are kept. Without, nobody may look at them and nobody may reconnect.
    pub zxids: bool,
}

/// What may be left out of a search without changing a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reductions {
    /// Names that only matter by order are renumbered.
    pub renumber: bool,
    /// Clients that run the same program are interchangeable.
    pub symmetry: bool,
    /// A silent delivery whose only effect is inside its client goes first, at once.
    pub deliver_first: bool,
    /// A name that has left the service is one constant. Sound only where calls are steps.
    pub forget_gone: bool,
}

impl Reductions {
    /// None: every state as it is.
    pub const NONE: Self = Self { renumber: false, symmetry: false, deliver_first: false, forget_gone: false };
    /// All that are sound in every world.
    pub const ALL: Self = Self { renumber: true, symmetry: true, deliver_first: true, forget_gone: false };
    /// Those under which the number of steps to a state stays what it was.
    pub const EXACT: Self = Self { renumber: true, symmetry: true, deliver_first: false, forget_gone: false };
}

/// A world, with the tables that its searches share.
#[derive(Debug)]
pub struct World {
    setup: Setup,
    automaton: Automaton,
    services: Interner<ZooKeeper>,
    clients: Interner<Client>,
    frames: Interner<Frame>,
    outcomes: intern::Shared<engine::SharedOutcome>,
    initial: Vec<u32>,
}

impl World {
    /// Builds the world and starts every program.
    ///
    /// # Panics
    /// When there are more than [`MOST_CLIENTS`] clients or none, or when faults that break a connection are
    /// allowed in a world without zxids.
    pub fn new(setup: Setup) -> Self {
        assert!(
            (1..=MOST_CLIENTS).contains(&setup.clients.len()),
            "a world has 1 to {MOST_CLIENTS} clients, this one has {}",
            setup.clients.len()
        );
        assert!(
            setup.zxids || setup.budget.disconnects == 0,
            "connections can break in this world, so zxids must be kept"
        );
        let automaton = Automaton::new(setup.programs.clone(), setup.naming, setup.budget.restarts > 0);
        let mut zookeeper = setup.zookeeper.clone();
        let (services, clients) = (Interner::default(), Interner::default());
        let mut words = Vec::new();
        for (slot, client) in setup.clients.iter().enumerate() {
            if automaton.starts_connected(client.program) {
                zookeeper.open_session(who(slot, 1));
            }
            words.push(clients.intern(Client::start(&automaton, client.program, slot, 1)));
        }
        let mut initial = vec![setup.budget.pack(), services.intern(zookeeper)];
        initial.extend(words);
        Self { setup, automaton, services, clients, frames: Interner::default(), outcomes: Default::default(), initial }
    }

    /// What the world is made of.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The programs as a table.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The first rule that a program was caught breaking, if any.
    pub fn error(&self) -> Option<&ProgramError> {
        self.automaton.error()
    }

    /// The state at the start.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// A state as values.
    pub fn view<'a>(&'a self, words: &'a [u32]) -> View<'a> {
        View::new(self, words)
    }

    /// Bytes held by the tables that all searches share, roughly.
    pub fn bytes(&self) -> usize {
        let service = 4 * size_of::<ZooKeeper>() + 1536;
        let client = 2 * size_of::<Client>() + 128;
        self.services.len() * service + self.clients.len() * client + self.automaton.bytes()
    }

    /// Number of distinct values of (services, clients).
    pub fn values(&self) -> (usize, usize) {
        (self.services.len(), self.clients.len())
    }

    fn own_names<T: crate::names::Names>(&self, value: &mut T, slot: usize, inside: bool) {
        if !self.setup.naming.literal_owners {
            if inside {
                client::to_client(value, slot);
            } else {
                client::to_world(value, slot);
            }
        }
    }

    /// The session of the client at the slot, in the world's names; 0 for none.
    fn session_of(&self, client: &Client, slot: usize) -> Who {
        match client.session {
            0 => 0,
            session => who(slot, session as usize % 16),
        }
    }

    /// The server takes the oldest request of the client and answers it. The answer is on the wire afterwards,
    /// or with the program at once where calls are steps.
    fn serve(&self, service: &ZooKeeper, client: &Client, slot: usize) -> Served {
        let (mut service, mut client) = (service.clone(), client.clone());
        let mut events = Vec::new();
        let mut request = client.out.remove(0);
        self.own_names(&mut request, slot, false);
        let session = self.session_of(&client, slot);
        let mut reply = if matches!(request, Request::OpenSession) {
            if u16::from(client.sessions) + 1 == PER_CLIENT {
                let program = self.automaton.program_name(self.setup.clients[slot].program).into();
                self.automaton.fail(ProgramError::TooManySessions { program });
                client.closed_by_server();
                return Served { service, client, events };
            }
            client.sessions += 1;
            let session = who(slot, client.sessions as usize);
            let zxid = service.open_session(session);
            Reply { zxid, result: Ok(Response::Opened(session)) }
        } else if service.is_alive(session) {
            service.apply(session, &request, &mut events)
        } else {
            // Of a closing or forgotten session the server takes nothing: it closes the connection.
            client.closed_by_server();
            return Served { service, client, events };
        };
        if !self.setup.zxids {
            reply.zxid = 0;
        }
        self.own_names(&mut reply, slot, true);
        if self.setup.calls_are_steps {
            client.receive_reply(&self.automaton, reply);
        } else {
            // The event of a write of one's own comes before its reply (§2.2).
            let own = |e: &Notification| e.session == session;
            for event in events.iter().filter(|e| own(e)) {
                let mut frame = Frame::Event(event.kind, event.path);
                self.own_names(&mut frame, slot, true);
                client.incoming.push(frame);
            }
            events.retain(|e| !own(e));
            let opened = matches!(reply.result, Ok(Response::Opened(_)));
            client.incoming.push(Frame::Reply(reply));
            if opened {
                client.incoming.push(Frame::Session(SessionState::Connected));
            }
        }
        Served { service, client, events }
    }

    /// The library reaches the server again, or learns that its session is over.
    fn reconnect(&self, service: &ZooKeeper, client: &Client, slot: usize) -> Served {
        let (mut service, mut client) = (service.clone(), client.clone());
        let session = self.session_of(&client, slot);
        let mut watches = Vec::new();
        if self.setup.clients[slot].resends_watches {
            watches = client.watches(&self.automaton);
            for (_, path) in &mut watches {
                self.own_names(path, slot, false);
            }
        }
        let mut events = Vec::new();
        match service.reconnect(session, &watches, client.last_zxid, &mut events) {
            Ok(()) => {
                client.link = Link::Up;
                client.incoming.push(Frame::Session(SessionState::Connected));
                for event in events.drain(..) {
                    let mut frame = Frame::Event(event.kind, event.path);
                    self.own_names(&mut frame, slot, true);
                    client.incoming.push(frame);
                }
            }
            Err(_) => {
                client.link = Link::Off;
                client.incoming.push(Frame::Session(SessionState::Expired));
            }
        }
        Served { service, client, events }
    }

    /// The server applies the end of a session: its ephemeral nodes go, watches fire.
    fn end_session(&self, service: &ZooKeeper, session: Who) -> (ZooKeeper, Vec<Notification>) {
        let (mut service, mut events) = (service.clone(), Vec::new());
        service.apply_close(session, &mut events);
        events.retain(|e| e.session != session);
        (service, events)
    }
}

/// What serving a request or reconnecting gives.
struct Served {
    service: ZooKeeper,
    client: Client,
    events: Vec<Notification>,
}
