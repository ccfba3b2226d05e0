//! One client inside a world: where its program stands, its connection, and what is on the wire.

use overtake_recipes::{EventKind, SessionState, StoreError};
use smallvec::SmallVec;

use crate::ensemble::Quirks;
use crate::names::{Name, Names, Text, Who, slot_of, who};
use crate::program::{Automaton, Bind, NodeId, NodeKey, OWN, Obs, OpView, Unread};
use crate::resource::Effect;
use crate::stores::{Answer, Call, Progress};
use crate::zookeeper::{Reply, Request, Response, WatchTable};

/// The node of a client whose process is gone.
pub const CRASHED: NodeId = NodeId::MAX;

/// The state of a client's connection, as its library has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Link {
    /// Connected, with a session or about to open one.
    Up,
    /// Broken; the library will try to reconnect.
    Down,
    /// No session: closed, expired, or the process is gone.
    Off,
}

/// Something on its way from the server (or from the library itself) to a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// The answer to the oldest open request.
    Reply(Reply),
    /// A watch event.
    Event(EventKind, Text),
    /// A change of the connection.
    Session(SessionState),
}

impl Names for Frame {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Frame::Reply(reply) => reply.names(visit),
            Frame::Event(_, path) => path.names(visit),
            Frame::Session(_) => {}
        }
    }
}

/// A client. Owners that are the client itself stand as [`OWN`], so that clients in the same state are
/// the same value wherever they stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// Where the program is.
    pub node: NodeId,
    /// What the node's names are in this world.
    pub bind: Bind,
    /// The connection.
    pub link: Link,
    /// The server that it goes to, or went to last.
    pub server: u8,
    /// The library's session, 0 for none.
    pub session: Who,
    /// How many sessions were opened so far.
    pub sessions: u8,
    /// How often its process was started again, in worlds with stores: they tell one life from the next.
    pub lives: u8,
    /// Sent and not yet served.
    pub out: SmallVec<[Request; 1]>,
    /// On the way in and not yet delivered.
    pub incoming: SmallVec<[Frame; 1]>,
    /// The last zxid of an ordinary reply (§2.4), 0 where not tracked.
    pub last_zxid: u32,
    /// Writes to the resource that a process has sent before it died.
    pub late: SmallVec<[Effect; 1]>,
    /// How far the open calls of the node have come, in its order.
    pub flights: Vec<Flight>,
    /// Calls on their way that nobody waits for any more: of a dead process, or given up, or a second copy.
    pub late_calls: Vec<LateCall>,
}

/// How far a call to a store has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Flight {
    /// On its way to the store.
    Sent,
    /// Begun by the store.
    Going(Progress),
    /// The answer is on its way back.
    Answered(Result<Answer, StoreError>),
}

/// A call on its way that nobody waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LateCall {
    /// The call.
    pub call: Call,
    /// How far the store has come with it.
    pub progress: Option<Progress>,
    /// The life of the process that has made it.
    pub life: u8,
}

impl Names for Flight {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Flight::Sent | Flight::Answered(Err(_)) => {}
            Flight::Going(progress) => progress.names(visit),
            Flight::Answered(Ok(answer)) => answer.names(visit),
        }
    }
}

impl Names for LateCall {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.call.names(visit);
        self.progress.names(visit);
    }
}

impl Names for Client {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.bind.seq.iter_mut().for_each(|v| visit(Name::Seq(v)));
        self.bind.zxid.iter_mut().for_each(|v| visit(Name::Zxid(v)));
        for slot in &mut self.bind.who {
            let mut w = who(*slot as usize, 0);
            visit(Name::Who(&mut w));
            *slot = slot_of(w) as u16;
        }
        if self.session != 0 {
            visit(Name::Who(&mut self.session));
        }
        self.out.iter_mut().for_each(|r| r.names(visit));
        self.incoming.iter_mut().for_each(|f| f.names(visit));
        visit(Name::Zxid(&mut self.last_zxid));
        self.late.iter_mut().for_each(|effect| effect.names(visit));
        self.flights.iter_mut().for_each(|flight| flight.names(visit));
        self.late_calls.iter_mut().for_each(|late| late.names(visit));
    }
}

/// What moving a client along an edge did.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// Marks and outcome stayed as they were.
    pub silent: bool,
    /// How many of the last waits of the program's own are new.
    pub made: u8,
}

impl Client {
    /// A client at the start of its program, with its first session open.
    pub fn start(automaton: &Automaton, program: u16, slot: usize, session: u8, lives: u8, server: u8) -> Self {
        let literal = automaton.naming().literal_owners;
        let connected = automaton.starts_connected(program);
        // Without a session it is the life that keeps the ids of one from those of the next.
        let born = if connected { session } else { session.max(lives + 1) };
        let (node, bind, sent) = automaton.start(program, slot, born);
        let own = if literal { slot } else { OWN };
        let mut client = Self {
            node,
            bind,
            link: if connected { Link::Up } else { Link::Off },
            server,
            session: if connected { who(own, session as usize) } else { 0 },
            sessions: if connected { session } else { session - 1 },
            lives,
            out: SmallVec::new(),
            incoming: SmallVec::new(),
            last_zxid: 0,
            late: SmallVec::new(),
            flights: Vec::new(),
            late_calls: Vec::new(),
        };
        client.send(automaton, &sent);
        client
    }

    /// What the program's node holds; `None` when the process is gone.
    pub fn key<'a>(&self, automaton: &'a Automaton) -> Option<&'a NodeKey> {
        (self.node != CRASHED).then(|| automaton.node(self.node))
    }

    /// Whether the program is over and waits for nothing.
    pub fn is_over(&self, automaton: &Automaton) -> bool {
        self.key(automaton).is_none_or(|key| key.tasks.is_empty() && key.ops.is_empty())
    }

    /// Brings a value of the node into the numbers of the world.
    pub fn resolve<T: Names>(&self, automaton: &Automaton, value: &mut T) {
        let naming = automaton.naming();
        value.names(&mut |name| match name {
            Name::Seq(v) if !naming.literal_numbers => *v = self.bind.seq[*v as usize],
            Name::Zxid(v) if !naming.literal_numbers && *v != 0 => {
                *v = self.bind.zxid[*v as usize - 1];
            }
            Name::Who(w) if !naming.literal_owners => {
                let (local, index) = (slot_of(*w), *w as usize % 16);
                let slot = if local == 0 { OWN } else { self.bind.who[local - 1] as usize };
                *w = who(slot, index);
            }
            _ => {}
        });
    }

    fn send(&mut self, automaton: &Automaton, sent: &[u8]) {
        let key = automaton.node(self.node);
        for &pos in sent {
            let OpView::Request(request, _) = &key.ops[pos as usize] else {
                self.flights.push(Flight::Sent);
                continue;
            };
            let mut request = request.clone();
            self.resolve(automaton, &mut request);
            if matches!(request, Request::OpenSession) {
                self.link = Link::Up;
                self.session = 0;
            }
            self.out.push(request);
        }
    }

    /// The program observes something.
    pub fn observe(&mut self, automaton: &Automaton, obs: Obs) -> Moved {
        let (bind, edge) = automaton.step(self.node, &self.bind, obs);
        self.bind = bind;
        self.node = edge.to;
        self.send(automaton, &edge.sent);
        Moved { silent: edge.silent, made: edge.made }
    }

    /// The answer to the oldest open request reaches the program.
    pub fn receive_reply(&mut self, automaton: &Automaton, reply: Reply) -> Moved {
        // The answer to a connect request bears no zxid, and a new handle has seen nothing.
        match reply.result {
            Ok(Response::Opened(_)) => self.last_zxid = 0,
            _ => self.last_zxid = self.last_zxid.max(reply.zxid),
        }
        let key = automaton.node(self.node);
        let pos = key.first_request().expect("a reply answers an open request");
        let OpView::Request(request, dropped) = &key.ops[pos as usize] else { unreachable!() };
        let closes = matches!(request, Request::CloseSession) && reply.result.is_ok();
        let dropped = *dropped;
        if let Ok(Response::Opened(session)) = &reply.result {
            self.session = *session;
        }
        if closes {
            self.link = Link::Off;
            self.session = 0;
            self.last_zxid = 0;
            if !self.out.is_empty() {
                // What was sent behind the close is not taken any more.
                self.out.clear();
                self.incoming.push(Frame::Session(SessionState::Disconnected));
            }
        }
        let result = (!dropped).then_some(reply.result.map_err(|failure| failure.error));
        self.observe(automaton, Obs::Reply(pos, result))
    }

    /// Position, call, and whether the program has dropped it, of the open call of that number.
    pub fn open_call<'a>(&self, automaton: &'a Automaton, at: usize) -> (u8, &'a Call, bool) {
        automaton.node(self.node).calls().nth(at).expect("each flight is an open call")
    }

    /// The open call as one that nobody waits for; `None` when it does nothing by itself, or is done.
    fn late_call(&self, automaton: &Automaton, at: usize) -> Option<LateCall> {
        let progress = match &self.flights[at] {
            Flight::Sent => None,
            Flight::Going(progress) => Some(progress.clone()),
            Flight::Answered(_) => return None,
        };
        let (_, call, _) = self.open_call(automaton, at);
        let mut call = call.clone();
        self.resolve(automaton, &mut call);
        call.outlives_its_caller().then_some(LateCall { call, progress, life: self.lives })
    }

    /// The answer to the open call of that number reaches the program.
    pub fn receive_answer(&mut self, automaton: &Automaton, at: usize, result: Result<Answer, StoreError>) -> Moved {
        let (pos, _, dropped) = self.open_call(automaton, at);
        self.flights.remove(at);
        self.observe(automaton, Obs::Answer(pos, (!dropped).then_some(result)))
    }

    /// The caller of the open call of that number gets no answer. Unless the call (or its answer) is lost it arrives later.
    pub fn gives_up(&mut self, automaton: &Automaton, at: usize, lost: bool) {
        if !lost && let Some(late) = self.late_call(automaton, at) {
            self.late_calls.push(late);
        }
        self.receive_answer(automaton, at, Err(StoreError::Unknown));
    }

    /// A second copy of the open call of that number is on its way.
    pub fn duplicates(&mut self, automaton: &Automaton, at: usize) {
        let copy = self.late_call(automaton, at);
        self.late_calls.extend(copy.map(|copy| LateCall { progress: None, ..copy }));
    }

    /// The frame at the head of the wire reaches the program.
    pub fn deliver(&mut self, automaton: &Automaton, quirks: Quirks) -> Moved {
        match self.incoming.remove(0) {
            Frame::Reply(reply) => self.receive_reply(automaton, reply),
            Frame::Event(kind, path) => {
                if quirks.events_reset_zxid {
                    self.last_zxid = 0;
                }
                self.receive_event(automaton, kind, path)
            }
            Frame::Session(state) => self.receive_session(automaton, state),
        }
    }

    fn receive_event(&mut self, automaton: &Automaton, kind: EventKind, path: Text) -> Moved {
        let key = automaton.node(self.node);
        let mut positions = SmallVec::new();
        let mut foreign = false;
        for (pos, op) in key.ops.iter().enumerate() {
            let OpView::Watch(Some(table), own, unread) = op else {
                continue;
            };
            if is_spent(*table, unread) {
                continue;
            }
            let mut own = *own;
            self.resolve(automaton, &mut own);
            if hears(*table, kind, own, path) {
                positions.push(pos as u8);
                foreign |= own != path;
            }
        }
        if positions.is_empty() {
            // Nobody looks any more: the library drops the event.
            return Moved { silent: true, made: 0 };
        }
        self.observe(automaton, Obs::Event(positions, kind, foreign.then_some(path)))
    }

    /// The program learns of a change of the connection; open requests fail where it says so.
    pub fn receive_session(&mut self, automaton: &Automaton, state: SessionState) -> Moved {
        match state {
            SessionState::Connected => {}
            SessionState::Disconnected => {
                self.out.clear();
                if self.session != 0 && self.link == Link::Off {
                    // The connection broke while the answer that opened the session was on its way.
                    self.link = Link::Down;
                }
            }
            SessionState::Expired => {
                self.out.clear();
                self.link = Link::Off;
                self.session = 0;
                self.last_zxid = 0;
            }
        }
        self.observe(automaton, Obs::Session(state))
    }

    /// The process dies. What it has sent to the resource is on its way all the same.
    pub fn dies(&mut self, automaton: &Automaton, server: u8) {
        let ops = self.key(automaton).map_or(&[][..], |key| &key.ops);
        let mut late = self.late.clone();
        for op in ops {
            if let OpView::Effect(effect) = op {
                let mut effect = *effect;
                self.resolve(automaton, &mut effect);
                late.push(effect);
            }
        }
        let mut late_calls = std::mem::take(&mut self.late_calls);
        late_calls.extend((0..self.flights.len()).filter_map(|at| self.late_call(automaton, at)));
        *self = Self {
            node: CRASHED,
            bind: Bind::default(),
            link: Link::Off,
            server,
            session: 0,
            sessions: self.sessions,
            lives: self.lives,
            out: SmallVec::new(),
            incoming: SmallVec::new(),
            last_zxid: 0,
            late,
            flights: Vec::new(),
            late_calls,
        };
    }

    /// The library takes its session for over, and will tell the program.
    pub fn loses_session(&mut self) {
        self.link = Link::Off;
        self.incoming.push(Frame::Session(SessionState::Expired));
    }

    /// The connection breaks: what is on the wire is lost.
    pub fn cut(&mut self) {
        self.incoming.clear();
        self.closed_by_server();
    }

    /// The server closes the connection: what it has written still arrives.
    pub fn closed_by_server(&mut self) {
        self.out.clear();
        self.link = if self.session == 0 { Link::Off } else { Link::Down };
        self.incoming.push(Frame::Session(SessionState::Disconnected));
    }

    /// The paths that the library registers again on reconnecting (`setWatches`).
    pub fn watches(&self, automaton: &Automaton) -> Vec<(WatchTable, Text)> {
        let Some(key) = self.key(automaton) else {
            return Vec::new();
        };
        let mut watches: Vec<_> = key
            .ops
            .iter()
            .filter_map(|op| {
                let OpView::Watch(Some(table), path, unread) = op else {
                    return None;
                };
                if is_spent(*table, unread) {
                    return None;
                }
                let mut path = *path;
                self.resolve(automaton, &mut path);
                Some((*table, path))
            })
            .collect();
        watches.dedup();
        watches
    }
}

/// Whether a one-shot watch has had its event, which the program has not read yet.
fn is_spent(table: WatchTable, unread: &[Unread]) -> bool {
    let lasts = matches!(table, WatchTable::Persistent | WatchTable::Recursive);
    !lasts && unread.iter().any(|event| matches!(event, Unread::Node(..)))
}

/// Whether a watch of that table on `own` hears of the event (§2.1).
pub(crate) fn hears(table: WatchTable, kind: EventKind, own: Text, path: Text) -> bool {
    let below = |mut path: Text| loop {
        if path == own {
            return true;
        }
        match path.parent() {
            Some(parent) => path = parent,
            None => return false,
        }
    };
    match table {
        WatchTable::Data | WatchTable::Exist => own == path && kind != EventKind::ChildrenChanged,
        WatchTable::Child => own == path && matches!(kind, EventKind::ChildrenChanged | EventKind::Deleted),
        WatchTable::Persistent => own == path,
        WatchTable::Recursive => kind != EventKind::ChildrenChanged && below(path),
    }
}

/// Puts the client's own place in where its values say "own".
pub fn to_world<T: Names>(value: &mut T, slot: usize) {
    value.names(&mut |name| {
        if let Name::Who(w) = name
            && slot_of(*w) == OWN
        {
            *w = who(slot, *w as usize % 16);
        }
    });
}

/// Puts "own" in where a value names the client at the slot.
pub fn to_client<T: Names>(value: &mut T, slot: usize) {
    value.names(&mut |name| {
        if let Name::Who(w) = name
            && slot_of(*w) == slot
        {
            *w = who(OWN, *w as usize % 16);
        }
    });
}
