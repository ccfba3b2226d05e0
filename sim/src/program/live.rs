//! A live run: the program's futures are kept and polled on, in virtual time, instead of being run anew through each
//! history. Nothing is numbered, no checkpoint is taken, and the places of operations that are over are used again, so
//! that a run may go on for as long as one likes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use overtake_recipes::{EventKind, SessionState, ZkError};

use super::context::Context;
use super::node::{Obs, Outcome, Unread};
use super::ops::{Disguise, Inner, Kind, OpState, TaskKeyAt};
use super::run::{Task, end_tasks, quietly, rest, start};
use super::{Program, ProgramError};
use crate::names::{LIMIT, Text, who};
use crate::world::hears;
use crate::zookeeper::{Request, Response, WatchTable};

/// What a live run keeps of its operations beside what every run keeps.
#[derive(Debug, Default)]
pub(super) struct LiveOps {
    /// Places of operations that are over.
    pub free: Vec<usize>,
    /// Timers, pieces of work and choices that began since the last rest, with their serials.
    begun: Vec<(usize, u32)>,
    /// Marks that were set or taken back since the last rest.
    marked: Vec<(&'static str, bool)>,
    serial: u32,
}

impl LiveOps {
    pub(super) fn begin(&mut self, id: usize, op: &mut OpState) {
        self.serial = self.serial.wrapping_add(1);
        op.serial = self.serial;
        if matches!(op.kind, Kind::Timer(_) | Kind::Work(_) | Kind::Choice(_)) {
            self.begun.push((id, op.serial));
        }
    }
}

impl OpState {
    /// Another operation at this place. Keeps the room for events.
    pub(super) fn begin_anew(&mut self, kind: Kind) {
        self.kind = kind;
        self.ready = None;
        self.watch = None;
        self.unread.clear();
        (self.spent, self.answered, self.dropped) = (false, false, false);
    }
}

/// The hooks of [`Inner`] into a live run; in other runs they do nothing.
impl Inner {
    /// The operation is over and nobody knows its place any more.
    pub(super) fn live_over(&mut self, id: usize) {
        if let Some(live) = &mut self.live {
            let op = &mut self.ops[id];
            (op.dropped, op.answered, op.serial) = (true, true, 0);
            live.free.push(id);
        }
    }

    /// The program has dropped the call. The place of a request without an answer stays until the answer is there.
    pub(super) fn live_dropped(&mut self, id: usize, watch: Option<usize>) {
        let op = &self.ops[id];
        if !matches!(op.kind, Kind::Request(_)) || op.answered {
            self.live_over(id);
            if let Some(watch) = watch {
                self.live_over(watch);
            }
        }
    }

    pub(super) fn live_mark(&mut self, name: &'static str, set: bool) {
        if let Some(live) = &mut self.live {
            live.marked.push((name, set));
        }
    }
}

/// Something that began in a program while it was polled.
#[derive(Debug)]
pub(crate) enum Begun {
    /// A request, with the place of its operation.
    Request(usize, Request),
    /// A timer of so many nanoseconds, with place and serial of its operation.
    Timer(usize, u32, u64),
    /// A piece of work.
    Work(usize, u32, &'static str),
    /// A choice of a number below the last one.
    Choice(usize, u32, u8),
    /// A mark was set or taken back.
    Mark(&'static str, bool),
}

/// A program that runs live.
pub(crate) struct Runner {
    program: Program,
    inner: Rc<RefCell<Inner>>,
    tasks: Vec<Option<Task>>,
    outcome: Option<Outcome>,
}

impl Runner {
    /// Starts the program and runs it until it rests. It finds its first session open if it starts connected.
    pub fn start(program: &Program, slot: usize) -> Result<Self, ProgramError> {
        let connected = program.starts_connected();
        let inner = Rc::new(RefCell::new(Inner {
            slot,
            ops: Vec::new(),
            marks: BTreeMap::new(),
            anchors: vec![TaskKeyAt { anchor: None, at: 0, alive: true }],
            current_task: 0,
            kept: Vec::new(),
            spawned: Vec::new(),
            session: if connected { who(slot, 1) } else { 0 },
            ring: 0,
            table: None,
            drawn: 0,
            ids_end: 0,
            since: 0,
            observed: 0,
            dead: !connected,
            changed: true,
            // Nothing is disguised: there is one run only, and numbers are what they are.
            disguise: Disguise { untracked_zxid: 0, cversion: None },
            jitter: None,
            made_before: 0,
            sent: Vec::new(),
            live: Some(Box::default()),
        }));
        let ctx = Context::new(inner.clone());
        let (tasks, outcome) = quietly(|| start(program, ctx))?;
        let mut runner = Self { program: program.clone(), inner, tasks, outcome };
        runner.rest()?;
        Ok(runner)
    }

    fn rest(&mut self) -> Result<(), ProgramError> {
        quietly(|| rest(&self.program, &self.inner, &mut self.tasks, &mut self.outcome, None))?;
        if self.tasks.len() > 1 && self.tasks.iter().any(Option::is_none) {
            let mut alive = self.tasks.iter().map(Option::is_some);
            self.inner.borrow_mut().anchors.retain(|_| alive.next().expect("an anchor for each task"));
            self.tasks.retain(Option::is_some);
        }
        Ok(())
    }

    /// The request at the place is answered.
    pub fn reply(&mut self, id: usize, result: Result<Response, ZkError>) -> Result<(), ProgramError> {
        {
            let mut inner = self.inner.borrow_mut();
            inner.ops[id].answered = true;
            inner.answer(id, &result);
            let watch = inner.ops[id].watch;
            match inner.ops[id].dropped {
                true => {
                    inner.live_over(id);
                    watch.into_iter().for_each(|watch| inner.live_over(watch));
                }
                false => inner.ops[id].ready = Some(Obs::Reply(0, Some(result))),
            }
            inner.changed = true;
        }
        self.rest()
    }

    /// A watch event reaches the program. Answers whether anybody still looks for it.
    pub fn event(&mut self, kind: EventKind, path: Text) -> Result<bool, ProgramError> {
        let mut heard = false;
        {
            let mut inner = self.inner.borrow_mut();
            for op in &mut inner.ops {
                let Kind::Watch(Some(table), own) = op.kind else { continue };
                if op.dropped || op.spent || !hears(table, kind, own, path) {
                    continue;
                }
                op.unread.push_back(Unread::Node(kind, (own != path).then_some(path)));
                op.spent |= !matches!(table, WatchTable::Persistent | WatchTable::Recursive);
                heard = true;
            }
            inner.changed |= heard;
        }
        self.rest()?;
        Ok(heard)
    }

    /// The program learns of a change of the connection; open requests fail where it says so.
    pub fn session(&mut self, state: SessionState) -> Result<(), ProgramError> {
        {
            let mut inner = self.inner.borrow_mut();
            inner.session_changed(state);
            let is_answered = |op: &OpState| matches!(op.kind, Kind::Request(_)) && op.dropped && op.ready.is_some();
            let over: Vec<usize> = (0..inner.ops.len()).filter(|&id| is_answered(&inner.ops[id])).collect();
            for id in over {
                inner.ops[id].ready = None;
                inner.live_over(id);
            }
            inner.changed = true;
        }
        self.rest()
    }

    /// The timer, the piece of work or the choice is over, with the value of a choice. Answers whether it still was on.
    pub fn fire(&mut self, id: usize, serial: u32, value: Option<u8>) -> Result<bool, ProgramError> {
        {
            let mut inner = self.inner.borrow_mut();
            let op = &mut inner.ops[id];
            if op.serial != serial || op.dropped {
                return Ok(false);
            }
            op.answered = true;
            op.ready = Some(value.map_or(Obs::Fire(0), |value| Obs::Choice(0, value)));
            inner.changed = true;
        }
        self.rest()?;
        Ok(true)
    }

    /// What began since the last call, in the order of its making within each kind.
    pub fn drain(&mut self, mut begun: impl FnMut(Begun)) {
        let inner = &mut *self.inner.borrow_mut();
        let live = inner.live.as_mut().expect("a live run");
        for (name, set) in live.marked.drain(..) {
            begun(Begun::Mark(name, set));
        }
        for id in inner.sent.drain(..) {
            let Kind::Request(request) = &inner.ops[id].kind else {
                panic!("{LIMIT}live runs have no stores; run the scenario in the world")
            };
            begun(Begun::Request(id, request.clone()));
        }
        for (id, serial) in live.begun.drain(..) {
            let op = &inner.ops[id];
            match op.kind {
                // Over already, or the place has been used again since.
                _ if op.serial != serial || op.dropped => {}
                Kind::Timer(nanos) => begun(Begun::Timer(id, serial, nanos)),
                Kind::Work(label) => begun(Begun::Work(id, serial, label)),
                Kind::Choice(n) => begun(Begun::Choice(id, serial, n)),
                _ => unreachable!("nothing else begins"),
            }
        }
    }

    /// How the program ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Whether the program is over and waits for nothing.
    pub fn is_over(&self) -> bool {
        self.tasks.iter().all(Option::is_none)
    }

    /// The marks that are set.
    pub fn marks(&self) -> Vec<(&'static str, Option<Text>)> {
        self.inner.borrow().marks.iter().map(|(name, value)| (*name, *value)).collect()
    }

    /// How many places for operations the run has ever needed at once.
    pub fn places(&self) -> usize {
        self.inner.borrow().ops.len()
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let tasks = std::mem::take(&mut self.tasks);
        quietly(|| end_tasks(&self.inner, tasks));
    }
}
