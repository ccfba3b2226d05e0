//! The operations of a run: what a program has asked for, and what the client library makes of what is observed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use overtake_recipes::{AddWatchMode, SessionState, ZkError};
use smallvec::SmallVec;

use super::live::LiveOps;
use super::node::{Obs, OpView, Unread};
use super::run::Task;
use crate::names::{Text, Who};
use crate::resource::Effect;
use crate::stores::{Call, Dht};
use crate::zookeeper::{Request, Response, WatchTable};

/// What an operation is, beyond its being open.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Request(Request),
    Watch(Option<WatchTable>, Text),
    /// For so many nanoseconds.
    Timer(u64),
    Work(&'static str),
    Choice(u8),
    Interrupt,
    Effect(Effect),
    Call(Call),
}

#[derive(Debug)]
pub(super) struct OpState {
    pub kind: Kind,
    /// In a live run, where places are used again, which of the operations at this place it is.
    pub serial: u32,
    /// The answer, once it is there and until it is read.
    pub ready: Option<Obs>,
    /// The watch that came with the answer.
    pub watch: Option<usize>,
    /// For watches: events not yet read.
    pub unread: VecDeque<Unread>,
    /// For watches: no node event can come any more.
    pub spent: bool,
    pub answered: bool,
    pub dropped: bool,
}

/// What is shown in place of numbers that a program is not meant to look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disguise {
    /// Stands for zxids that the world does not track.
    pub untracked_zxid: i64,
    /// Stands for a parent's cversion where sequence numbers are renumbered.
    pub cversion: Option<i32>,
}

pub(super) struct Inner {
    pub slot: usize,
    pub ops: Vec<OpState>,
    pub marks: BTreeMap<&'static str, Option<Text>>,
    pub anchors: Vec<TaskKeyAt>,
    pub current_task: usize,
    /// What callers keep while a call of theirs checkpoints.
    pub kept: Vec<Text>,
    pub spawned: Vec<Task>,
    pub session: Who,
    /// The newest ring of the hash table that the client has heard of.
    pub ring: u16,
    /// The hash table as it is set up, to find owners of keys by.
    pub table: Option<Arc<Dht>>,
    pub drawn: usize,
    /// Ids that this life of the program may not reach.
    pub ids_end: usize,
    pub since: u8,
    pub observed: usize,
    pub dead: bool,
    /// Raised by whatever may let another poll go further.
    pub changed: bool,
    pub disguise: Disguise,
    pub jitter: Option<u64>,
    /// Requests made since the last observation.
    pub sent: Vec<usize>,
    /// Number of operations made before the last observation.
    pub made_before: usize,
    /// The run is live: kept and polled on, not started anew for each history.
    pub live: Option<Box<LiveOps>>,
}

/// A task's last checkpoint and the number of observations before it.
pub(super) struct TaskKeyAt {
    pub anchor: Option<(&'static str, SmallVec<[Text; 2]>)>,
    pub at: usize,
    pub alive: bool,
}

impl Inner {
    pub(super) fn issue(&mut self, kind: Kind) -> usize {
        let place = self.live.as_mut().and_then(|live| live.free.pop());
        let id = place.unwrap_or(self.ops.len());
        match place {
            Some(id) => self.ops[id].begin_anew(kind),
            None => self.ops.push(OpState {
                kind,
                serial: 0,
                ready: None,
                watch: None,
                unread: VecDeque::new(),
                spent: false,
                answered: false,
                dropped: false,
            }),
        }
        let op = &mut self.ops[id];
        if let Kind::Request(request) = &op.kind {
            let opens = matches!(request, Request::OpenSession);
            if self.dead && !opens {
                // A dead handle answers at once, without the server.
                op.ready = Some(Obs::Reply(0, Some(Err(ZkError::SessionExpired))));
                op.answered = true;
            } else {
                self.sent.push(id);
                self.since = self.since.saturating_add(1);
            }
        }
        if let Kind::Call(_) = &op.kind {
            self.sent.push(id);
            self.since = self.since.saturating_add(1);
        }
        if let Some(live) = &mut self.live {
            live.begin(id, op);
        }
        self.changed = true;
        id
    }

    /// Ids of the operations that are not over, in the order of their making.
    pub(super) fn open(&self) -> Vec<usize> {
        let is_open = |op: &OpState| match op.kind {
            Kind::Request(_) => !op.answered || (op.ready.is_some() && !op.dropped),
            Kind::Watch(..) => !(op.dropped || op.spent && op.unread.is_empty()),
            // What is sent is sent, whether or not somebody waits for the answer.
            Kind::Effect(_) | Kind::Call(_) => !op.answered || (op.ready.is_some() && !op.dropped),
            _ => !op.dropped && (!op.answered || op.ready.is_some()),
        };
        (0..self.ops.len()).filter(|&i| is_open(&self.ops[i])).collect()
    }

    fn fail_requests(&mut self, error: ZkError) {
        for op in &mut self.ops {
            if matches!(op.kind, Kind::Request(_)) && !op.answered {
                op.answered = true;
                op.ready = Some(Obs::Reply(0, Some(Err(error))));
            }
        }
    }

    pub(super) fn observe(&mut self, obs: &Obs) {
        let open = self.open();
        match obs {
            Obs::Reply(pos, result) => {
                let id = open[*pos as usize];
                self.ops[id].answered = true;
                let Some(result) = result else { return };
                self.answer(id, result);
                self.ops[id].ready = Some(Obs::Reply(0, Some(result.clone())));
            }
            Obs::Event(positions, kind, path) => {
                self.since = 0;
                for pos in positions {
                    let op = &mut self.ops[open[*pos as usize]];
                    op.unread.push_back(Unread::Node(*kind, *path));
                    if let Kind::Watch(Some(table), _) = op.kind {
                        op.spent |= !matches!(table, WatchTable::Persistent | WatchTable::Recursive);
                    }
                }
            }
            Obs::Session(state) => self.session_changed(*state),
            Obs::Answer(pos, result) => {
                let op = &mut self.ops[open[*pos as usize]];
                op.answered = true;
                op.ready = result.is_some().then(|| Obs::Answer(0, result.clone()));
            }
            Obs::Ring(version) => self.ring = *version,
            Obs::Fire(pos) | Obs::Choice(pos, _) | Obs::Written(pos, _) => {
                let op = &mut self.ops[open[*pos as usize]];
                op.answered = true;
                op.ready = Some(obs.clone());
            }
        }
    }

    /// What a change of the connection does inside the client library.
    pub(super) fn session_changed(&mut self, state: SessionState) {
        match state {
            SessionState::Disconnected => self.fail_requests(ZkError::ConnectionLoss),
            SessionState::Expired => {
                self.fail_requests(ZkError::SessionExpired);
                self.dead = true;
            }
            SessionState::Connected => {}
        }
        for op in &mut self.ops {
            if matches!(op.kind, Kind::Watch(..)) && !op.dropped && !op.spent {
                op.unread.push_back(Unread::Session(state));
                op.spent |= state == SessionState::Expired;
            }
        }
    }

    /// What an answer does inside the client library.
    pub(super) fn answer(&mut self, id: usize, result: &Result<Response, ZkError>) {
        let Kind::Request(request) = &self.ops[id].kind else {
            return;
        };
        match (request, result) {
            (Request::OpenSession, Ok(Response::Opened(session))) => {
                self.session = *session;
                self.dead = false;
            }
            (Request::CloseSession, Ok(_)) => {
                self.session = 0;
                self.dead = true;
            }
            _ => {}
        }
        if let Some((table, path)) = watch_of(request, result) {
            let watch = self.issue(Kind::Watch(Some(table), path));
            self.ops[watch].dropped = self.ops[id].dropped;
            self.ops[id].watch = Some(watch);
        }
    }
}

/// The watch that a successful read leaves with the client (§2.1: `exists` also on a missing node).
fn watch_of(request: &Request, result: &Result<Response, ZkError>) -> Option<(WatchTable, Text)> {
    match (request, result) {
        (Request::Exists { path, watch: true }, Ok(Response::Exists(found))) => {
            let table = if found.is_some() { WatchTable::Data } else { WatchTable::Exist };
            Some((table, *path))
        }
        (Request::GetData { path, watch: true }, Ok(_)) => Some((WatchTable::Data, *path)),
        (Request::GetChildren { path, watch: true }, Ok(_)) => Some((WatchTable::Child, *path)),
        (Request::AddWatch { path, mode }, Ok(_)) => Some((
            match mode {
                AddWatchMode::Persistent => WatchTable::Persistent,
                AddWatchMode::PersistentRecursive => WatchTable::Recursive,
            },
            *path,
        )),
        _ => None,
    }
}

impl OpState {
    /// How the operation looks in the key of a node.
    pub(super) fn view(&self, timed: bool) -> OpView {
        match &self.kind {
            Kind::Request(request) if !self.answered => OpView::Request(request.clone(), self.dropped),
            Kind::Call(call) if !self.answered => OpView::Call(call.clone(), self.dropped),
            Kind::Watch(table, path) => OpView::Watch(*table, *path, self.unread.iter().copied().collect()),
            kind => match (&self.ready, kind) {
                (Some(ready), _) => OpView::Ready(ready.clone()),
                (None, Kind::Timer(nanos)) => OpView::Timer(if timed { *nanos } else { 0 }),
                (None, Kind::Work(label)) => OpView::Work(label),
                (None, Kind::Choice(n)) => OpView::Choice(*n),
                (None, Kind::Effect(effect)) => OpView::Effect(*effect),
                (None, _) => OpView::Interrupt,
            },
        }
    }
}
