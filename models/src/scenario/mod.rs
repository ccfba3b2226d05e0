//! Scenarios: a named world with bounds, properties and the expected verdict.

mod faults;
mod world;

use overtake_recipes::CreateMode;
use overtake_sim::ensemble::Quirks;
use overtake_sim::program::{Context, Naming, Program, ProgramResult};
use overtake_sim::stores::Stores;
use overtake_sim::world::Budget;

use crate::property::Property;

/// Starts a scenario. Without more, it has no clients, no faults and no properties.
pub fn scenario(name: impl Into<String>) -> Scenario {
    Scenario::new(name)
}

/// Most servers in one world.
pub const MOST_SERVERS: usize = 5;

/// What a scenario is expected to end with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Every property holds within the bounds.
    Proved,
    /// The property of that name is violated.
    Falsified(&'static str),
}

/// Clients that run the same program.
#[derive(Clone, Debug)]
struct Group {
    name: String,
    count: usize,
    program: Program,
    victim: bool,
    hit_while: Option<&'static str>,
    resends_watches: bool,
    server: u8,
    roams: bool,
    expires_locally: bool,
}

/// A named world with bounds, properties and the expected verdict.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    about: String,
    source: String,
    groups: Vec<Group>,
    tree: Vec<(String, CreateMode, Option<i32>)>,
    budget: Budget,
    naming: Naming,
    calls_are_steps: bool,
    zxids: bool,
    servers: usize,
    quirks: Quirks,
    resource: bool,
    stores: Stores,
    zookeeper_too: bool,
    records: bool,
    properties: Vec<Property>,
    expected: Expected,
    fixed_by: Option<String>,
    only_bounds_help: bool,
    family: Option<String>,
}

impl Scenario {
    fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            source: String::new(),
            groups: Vec::new(),
            tree: Vec::new(),
            budget: Budget::default(),
            naming: Naming::default(),
            calls_are_steps: false,
            zxids: false,
            servers: 1,
            quirks: Quirks::default(),
            resource: false,
            stores: Stores::default(),
            zookeeper_too: false,
            records: false,
            properties: vec![crate::property::no_program_panics()],
            expected: Expected::Proved,
            fixed_by: None,
            only_bounds_help: false,
            family: None,
        }
    }

    /// What happens in it, as a paragraph.
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// Another name.
    pub fn called(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where it comes from: a link or a section.
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = source.into();
        self
    }

    /// A persistent node that is there from the start.
    pub fn node(mut self, path: impl Into<String>) -> Self {
        self.tree.push((path.into(), CreateMode::Persistent, Some(0)));
        self
    }

    /// A persistent node that is there from the start, whose children's numbers start at `counter`. Use with
    /// [`literal_numbers`](Self::literal_numbers): elsewhere a number is only its rank.
    pub fn node_with_counter(mut self, path: impl Into<String>, counter: i32) -> Self {
        self.tree.push((path.into(), CreateMode::Persistent, Some(counter)));
        self
    }

    /// None of the nodes named so far is there from the start.
    pub fn without_nodes(mut self) -> Self {
        self.tree.clear();
        self
    }

    /// A container that is there from the start.
    pub fn container(mut self, path: impl Into<String>) -> Self {
        self.tree.push((path.into(), CreateMode::Container, None));
        self
    }

    /// The children of the node named last are numbered from there. Use with [`literal_numbers`](Self::literal_numbers).
    pub fn counting_from(mut self, counter: i32) -> Self {
        self.tree.last_mut().expect("a node comes first").2 = Some(counter);
        self
    }

    /// `count` clients that run the program, called `client 1`, `client 2` … across all groups.
    pub fn clients<F, Fut>(self, count: usize, program: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: ProgramResult,
    {
        self.group("client", count, program)
    }

    /// One client with a name of its own.
    pub fn client<F, Fut>(self, name: impl Into<String>, program: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: ProgramResult,
    {
        self.group(name, 1, program)
    }

    fn group<F, Fut>(mut self, name: impl Into<String>, count: usize, program: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: ProgramResult,
    {
        let name = name.into();
        let program = Program::new(name.clone(), program);
        self.groups.push(Group {
            name,
            count,
            program,
            victim: true,
            hit_while: None,
            resends_watches: true,
            server: 0,
            roams: true,
            expires_locally: false,
        });
        self
    }

    /// Faults do not hit the clients added last.
    pub fn spared(mut self) -> Self {
        self.groups.last_mut().expect("clients come first").victim = false;
        self
    }

    /// Faults (but for interrupts, which the program asks for itself) hit the clients added last only while they carry
    /// the mark: the holder, or a waiter.
    pub fn hit_while(mut self, mark: &'static str) -> Self {
        self.groups.last_mut().expect("clients come first").hit_while = Some(mark);
        self
    }

    /// The clients added last start without a session.
    pub fn unconnected(mut self) -> Self {
        let group = self.groups.last_mut().expect("clients come first");
        group.program = group.program.clone().unconnected();
        self
    }

    /// The library of the clients added last does not register its watches again on reconnecting.
    pub fn without_set_watches(mut self) -> Self {
        self.groups.last_mut().expect("clients come first").resends_watches = false;
        self
    }

    /// The clients added last are attached to that server at the start: 0 is the leader, followers are 1, 2 ….
    pub fn attached_to(mut self, server: u8) -> Self {
        self.groups.last_mut().expect("clients come first").server = server;
        self
    }

    /// The library of the clients added last comes back to the same server only.
    pub fn stays(mut self) -> Self {
        self.groups.last_mut().expect("clients come first").roams = false;
        self
    }

    /// The library of the clients added last gives a session up by its own clock while it is disconnected (§3.3), which may
    /// be before or after the server does.
    pub fn expires_locally(mut self) -> Self {
        self.groups.last_mut().expect("clients come first").expires_locally = true;
        self
    }

    /// Number of servers: a leader, and followers that may lag behind it. One without this.
    pub fn servers(mut self, servers: usize) -> Self {
        self.servers = servers;
        self
    }

    /// What is wrong with the servers or the client library.
    pub fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// There is a resource that the lock protects ([`Context::resource`]).
    pub fn resource(mut self) -> Self {
        self.resource = true;
        self
    }

    /// The stores for data. Programs of a world with stores start without a session, unless
    /// [`with_zookeeper`](Self::with_zookeeper) says otherwise.
    pub fn stores(mut self, stores: Stores) -> Self {
        self.stores = stores;
        self
    }

    /// Calls to stores and their answers are kept, for oracles that judge a whole run ([`View::history`]). Costs states.
    ///
    /// [`View::history`]: overtake_sim::world::View::history
    pub fn records_calls(mut self) -> Self {
        self.records = true;
        self
    }

    /// Whether there are stores.
    pub fn has_stores(&self) -> bool {
        self.stores.any()
    }

    /// The programs of a world with stores have ZooKeeper, too, and find a session open when they start.
    pub fn with_zookeeper(mut self) -> Self {
        self.zookeeper_too = true;
        self
    }

    /// Timers keep their durations, so that the scenario can be run in virtual time.
    pub fn timed(mut self) -> Self {
        self.naming.timed = true;
        self
    }

    /// Retries in virtual time pause by this seed. Goes with [`timed`](Self::timed); elsewhere pauses have no length.
    pub fn jitter(mut self, seed: u64) -> Self {
        self.naming.jitter = Some(seed);
        self
    }

    /// The programs read zxids (czxid, mzxid, pzxid of a Stat).
    pub fn zxids(mut self) -> Self {
        self.zxids = true;
        self
    }

    /// The programs look at sequence numbers (and zxids) as numbers, not only at their order.
    pub fn literal_numbers(mut self) -> Self {
        self.naming.literal_numbers = true;
        self
    }

    /// The programs order by session or unique id. Clients are then not interchangeable.
    pub fn literal_owners(mut self) -> Self {
        self.naming.literal_owners = true;
        self
    }

    /// Requests since the last event are counted, for
    /// [`requests_while_blocked_at_most`](crate::property::requests_while_blocked_at_most).
    pub fn count_requests(mut self) -> Self {
        self.naming.count_requests = true;
        self
    }

    /// A call (request, apply, reply) is one step, and so is an expiry: as in the models of other checkers.
    pub fn calls_are_steps(mut self) -> Self {
        self.calls_are_steps = true;
        self
    }

    /// Something that must hold, or be reached.
    pub fn property(mut self, property: Property) -> Self {
        self.properties.push(property);
        self
    }

    /// Several of them.
    pub fn properties(mut self, properties: impl IntoIterator<Item = Property>) -> Self {
        self.properties.extend(properties);
        self
    }

    /// The property of that name is expected to be violated.
    pub fn breaks(mut self, property: &'static str) -> Self {
        self.expected = Expected::Falsified(property);
        self
    }

    /// The scenario with the repaired program, which must be proved.
    pub fn fixed_by(mut self, scenario: impl Into<String>) -> Self {
        self.fixed_by = Some(scenario.into());
        self
    }

    /// No program can keep it within these bounds; the scenario of that name keeps it within its own, narrower ones.
    pub fn kept_within_bounds_of(mut self, scenario: impl Into<String>) -> Self {
        self.only_bounds_help = true;
        self.fixed_by(scenario)
    }

    /// What it belongs to in the report, where its name does not tell: a row of the matrix of recipes and faults. A faulty program
    /// belongs to what its repair belongs to.
    pub fn family(mut self, name: impl Into<String>) -> Self {
        self.family = Some(name.into());
        self
    }

    /// The same with another number of clients in its largest group.
    pub fn with_clients(mut self, count: usize) -> Self {
        if let Some(group) = self.groups.iter_mut().max_by_key(|g| g.count) {
            group.count = count;
        }
        self
    }

    /// The same with other faults.
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The paragraph.
    pub fn paragraph(&self) -> &str {
        &self.about
    }

    /// Link or section.
    pub fn origin(&self) -> &str {
        &self.source
    }

    /// The faults allowed.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// What must hold or be reached.
    pub fn judged_by(&self) -> &[Property] {
        &self.properties
    }

    /// The expected verdict.
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Name of the scenario with the repaired program.
    pub fn repair(&self) -> Option<&str> {
        self.fixed_by.as_deref()
    }

    /// The name of its family, if it was given one.
    pub fn belongs_to(&self) -> Option<&str> {
        self.family.as_deref()
    }

    /// Whether the repaired program needs bounds of its own ([`kept_within_bounds_of`](Self::kept_within_bounds_of)).
    pub fn only_bounds_help(&self) -> bool {
        self.only_bounds_help
    }

    /// Number of clients.
    pub fn size(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum()
    }
}
