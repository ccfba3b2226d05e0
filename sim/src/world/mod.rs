//! Worlds: a service, clients that run programs, the wires between them, and the faults still allowed.
//!
//! A state is a short row of numbers: the budget, the service, one number per client. Each number stands
//! for an interned value, and what a step does to a value is worked out once and then looked up.

mod budget;
mod calls;
mod client;
mod engine;
mod history;
mod intern;
mod made;
mod print;
mod reduce;
mod serve;
mod services;
mod step;
mod view;

pub use budget::{Budget, Fault};
pub(crate) use client::hears;
pub use client::{CRASHED, Client, Flight, Frame, LateCall, Link};
pub use engine::{Engine, EngineStats, StepFacts};
pub use history::{Interval, Recorded, intervals};
pub use intern::{Interner, Memo, prefetch};
pub use step::{Step, StepKind};
pub use view::{ClientView, View};

use crate::ensemble::{Ensemble, Quirks};
use crate::names::who;
use crate::program::{Automaton, Naming, Program, ProgramError};
use crate::stores::Stores;
use crate::zookeeper::ZooKeeper;
pub use services::Services;

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
    /// The server that it is attached to at the start.
    pub server: u8,
    /// Whether it may come back to another server than its first.
    pub roams: bool,
    /// Whether its library gives a session up by its own clock while it is disconnected (Curator, Java from 3.9.3, Rust;
    /// §3.3), which may come before or after the server's.
    pub expires_locally: bool,
}

impl ClientSetup {
    /// A client like most: faults may hit it, it starts at the only server or the leader, and its library is Java's.
    pub fn new(name: impl Into<String>, program: u16) -> Self {
        Self {
            name: name.into(),
            program,
            victim: true,
            hit_while: None,
            resends_watches: true,
            server: 0,
            roams: true,
            expires_locally: false,
        }
    }
}

/// What a world is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The service, without sessions.
    pub zookeeper: ZooKeeper,
    /// Servers beside the leader.
    pub followers: usize,
    /// What is wrong with servers and client libraries.
    pub quirks: Quirks,
    /// Whether there is a resource that the lock protects.
    pub resource: bool,
    /// The stores for data.
    pub stores: Stores,
    /// Whether calls to stores and their answers are kept ([`View::history`]).
    pub records: bool,
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

impl Setup {
    /// Whether there are stores, and no client has a session.
    pub fn only_stores(&self) -> bool {
        self.stores.any() && !self.programs.iter().any(Program::starts_connected)
    }
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
    services: Interner<Services>,
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
            setup.zxids || setup.budget.disconnects + setup.budget.elections == 0,
            "connections can break in this world, so zxids must be kept"
        );
        let process_faults = setup.budget.crashes + setup.budget.timeouts + setup.budget.duplicates;
        assert!(
            process_faults == 0 || !setup.calls_are_steps || !setup.stores.any(),
            "a call to a store can be lost, late or doubled only where calls are no steps"
        );
        assert!(!setup.records || !setup.calls_are_steps, "calls are kept only where they are no steps");
        let automaton = Automaton::new(setup.programs.clone(), setup.naming, setup.budget.restarts > 0)
            .with_table(setup.stores.dht.clone());
        let followers = setup.followers;
        assert!(followers == 0 || !setup.calls_are_steps, "calls are steps only with one server");
        assert!(
            setup.budget.elections == 0 || !setup.calls_are_steps,
            "the server restarts only where calls are no steps"
        );
        let mut ensemble = Ensemble::new(setup.zookeeper.clone(), followers);
        let (services, clients) = (Interner::default(), Interner::default());
        let mut words = Vec::new();
        for (slot, client) in setup.clients.iter().enumerate() {
            assert!(
                usize::from(client.server) <= followers,
                "{} is attached to a server that is not there",
                client.name
            );
            if automaton.starts_connected(client.program) {
                ensemble.seed_session(who(slot, 1), client.server);
            }
            words.push(clients.intern(Client::start(&automaton, client.program, slot, 1, 0, client.server)));
        }
        let resource = setup.resource.then(Box::default);
        let [budget, faults] = setup.budget.pack();
        let stores = setup.stores.clone();
        let history = setup.records.then(Box::default);
        let mut services_now = Services { ensemble, resource, stores, faults, history };
        for (slot, &word) in words.iter().enumerate() {
            services_now.record_calls(&automaton, slot, clients.get(word), 0, setup.naming.literal_owners);
        }
        let mut initial = vec![budget, services.intern(services_now)];
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
        let service = 4 * size_of::<Services>() + 1536;
        let client = 2 * size_of::<Client>() + 128;
        self.services.len() * service + self.clients.len() * client + self.automaton.bytes()
    }

    /// Number of distinct values of (services, clients).
    pub fn values(&self) -> (usize, usize) {
        (self.services.len(), self.clients.len())
    }
}
