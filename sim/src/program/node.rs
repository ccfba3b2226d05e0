//! What a node of the automaton holds, and what moves a program from node to node.

use std::fmt;

use overtake_recipes::{EventKind, SessionState, StoreError, ZkError};
use smallvec::SmallVec;

use crate::names::{Name, Names, Text, Who};
use crate::resource::Effect;
use crate::stores::{Answer, Call};
use crate::zookeeper::{Request, Response, WatchTable};

/// A fact that a program shows to the properties: `("holds", Some("/lock/n-0000000003"))`.
pub type Mark = (&'static str, Option<Text>);

/// One thing that a program observes. Positions count the operations of the node it is in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Obs {
    /// The answer to the request at the position; `None` when the program no longer waits for it.
    Reply(u8, Option<Result<Response, ZkError>>),
    /// A watch event for the watches at the positions. The path is given where it is not the watch's own.
    Event(SmallVec<[u8; 2]>, EventKind, Option<Text>),
    /// The connection changed; goes to every watch, and fails the open requests where it must.
    Session(SessionState),
    /// The timer, the piece of work or the interrupt at the position is over.
    Fire(u8),
    /// The choice at the position came out so.
    Choice(u8, u8),
    /// The resource has taken the write at the position, or refused it.
    Written(u8, bool),
    /// The answer of a store to the call at the position; `None` when the program no longer waits for it.
    Answer(u8, Option<Result<Answer, StoreError>>),
    /// The client has learnt which nodes the hash table has.
    Ring(u16),
}

/// What a watch has been told and its program has not yet read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unread {
    /// A node event; the path where it is not the watch's own.
    Node(EventKind, Option<Text>),
    /// A change of the connection.
    Session(SessionState),
}

/// An operation of a program that is not over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpView {
    /// A request without an answer. `true`: the program has dropped the call, the request is out all the same.
    Request(Request, bool),
    /// An answer that the program has not looked at yet.
    Ready(Obs),
    /// A watch, one-shot or lasting; without a table it only hears of the connection.
    Watch(Option<WatchTable>, Text, SmallVec<[Unread; 1]>),
    /// A timer, with its nanoseconds in a timed world (0 elsewhere: it may run out at any moment).
    Timer(u64),
    /// A step of the program's own, such as the work inside a critical section.
    Work(&'static str),
    /// A free choice among so many.
    Choice(u8),
    /// A write on its way to the resource.
    Effect(Effect),
    /// A call to a store without an answer. `true`: the program has dropped it, it is out all the same.
    Call(Call, bool),
    /// A point at which the call may be interrupted.
    Interrupt,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It returned.
    Finished,
    /// It returned an error.
    Failed(String),
    /// It panicked.
    Panicked(String),
}

/// What is known of a task's past: the last checkpoint and where in the suffix it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskKey {
    /// Place and key of the checkpoint; `None` for the start of the task.
    pub anchor: Option<(&'static str, SmallVec<[Text; 2]>)>,
    /// Number of observations of the suffix that came before it.
    pub at: u8,
}

/// The identity of a node: everything that the program's future can depend on, and what the world sees of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeKey {
    /// Number of the program.
    pub program: u16,
    /// The client's slot where owners are literal, else 0.
    pub slot: u16,
    /// Index of the session that the program found at its start.
    pub born: u8,
    /// The live tasks, the main one first.
    pub tasks: SmallVec<[TaskKey; 1]>,
    /// Observations since the oldest checkpoint that a live task rests on.
    pub suffix: Vec<Obs>,
    /// Operations that are not over, in the order of their making.
    pub ops: Vec<OpView>,
    /// Marks, by name.
    pub marks: SmallVec<[Mark; 2]>,
    /// The end, if it has come.
    pub outcome: Option<Outcome>,
    /// The session that the client library has, 0 for none.
    pub session: Who,
    /// The handle is dead: requests are answered with SessionExpired by the library itself.
    pub dead: bool,
    /// Unique ids drawn so far.
    pub drawn: u8,
    /// Requests since the last event or change of marks, if they are counted.
    pub since: u8,
    /// The newest ring of the hash table that the client has heard of.
    pub ring: u16,
}

impl NodeKey {
    /// The value of a mark; `None` when it is not set.
    pub fn mark(&self, name: &str) -> Option<Option<Text>> {
        self.marks.iter().find(|m| m.0 == name).map(|m| m.1)
    }

    /// Positions of the calls to stores without an answer, the oldest first.
    pub fn calls(&self) -> impl Iterator<Item = (u8, &Call, bool)> {
        self.ops.iter().enumerate().filter_map(|(pos, op)| match op {
            OpView::Call(call, dropped) => Some((pos as u8, call, *dropped)),
            _ => None,
        })
    }

    /// Position of the oldest request without an answer.
    pub fn first_request(&self) -> Option<u8> {
        let at = self.ops.iter().position(|op| matches!(op, OpView::Request(..)));
        at.map(|i| i as u8)
    }
}

impl Names for Obs {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Obs::Reply(_, Some(Ok(response))) => response.names(visit),
            Obs::Event(_, _, path) => path.names(visit),
            Obs::Answer(_, Some(Ok(answer))) => answer.names(visit),
            _ => {}
        }
    }
}

impl Names for OpView {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            OpView::Request(request, _) => request.names(visit),
            OpView::Ready(obs) => obs.names(visit),
            OpView::Watch(_, path, unread) => {
                path.names(visit);
                for event in unread {
                    if let Unread::Node(_, path) = event {
                        path.names(visit);
                    }
                }
            }
            OpView::Effect(effect) => effect.names(visit),
            OpView::Call(call, _) => call.names(visit),
            OpView::Timer(_) | OpView::Work(_) | OpView::Choice(_) | OpView::Interrupt => {}
        }
    }
}

impl Names for NodeKey {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        for task in &mut self.tasks {
            if let Some((_, key)) = &mut task.anchor {
                for text in key {
                    text.names(visit);
                }
            }
        }
        self.suffix.names(visit);
        self.ops.names(visit);
        for (_, value) in &mut self.marks {
            value.names(visit);
        }
        if self.session != 0 {
            visit(Name::Who(&mut self.session));
        }
    }
}

/// Short, for messages and for step names.
impl fmt::Display for Obs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obs::Reply(_, None) => write!(f, "an answer nobody waits for"),
            Obs::Reply(_, Some(Ok(response))) => write!(f, "reply {response}"),
            Obs::Reply(_, Some(Err(error))) => write!(f, "reply {error}"),
            Obs::Event(_, kind, Some(path)) => write!(f, "event {kind:?} {}", path.short()),
            Obs::Event(_, kind, None) => write!(f, "event {kind:?}"),
            Obs::Session(state) => write!(f, "{state:?}"),
            Obs::Fire(_) => write!(f, "the end of a wait of its own"),
            Obs::Choice(_, value) => write!(f, "choice {value}"),
            Obs::Answer(_, None) => write!(f, "an answer nobody waits for"),
            Obs::Answer(_, Some(Ok(answer))) => write!(f, "answer {answer}"),
            Obs::Answer(_, Some(Err(error))) => write!(f, "answer: {error}"),
            Obs::Ring(version) => write!(f, "news of ring {version}"),
            Obs::Written(_, true) => write!(f, "the resource took the write"),
            Obs::Written(_, false) => write!(f, "the resource refused the write"),
        }
    }
}

/// What the node shows: for error messages that compare two of them.
impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[")?;
        for (i, op) in self.ops.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            match op {
                OpView::Request(request, false) => write!(f, "{comma}{request}")?,
                OpView::Request(request, true) => write!(f, "{comma}dropped {request}")?,
                OpView::Ready(obs) => write!(f, "{comma}unread {obs}")?,
                OpView::Watch(_, path, _) => write!(f, "{comma}watch {}", path.short())?,
                OpView::Timer(_) => write!(f, "{comma}timer")?,
                OpView::Work(label) => write!(f, "{comma}{label}")?,
                OpView::Choice(n) => write!(f, "{comma}choice of {n}")?,
                OpView::Effect(effect) => write!(f, "{comma}write as {} with {}", effect.path.short(), effect.token)?,
                OpView::Call(call, false) => write!(f, "{comma}{call}")?,
                OpView::Call(call, true) => write!(f, "{comma}dropped {call}")?,
                OpView::Interrupt => write!(f, "{comma}interruptible")?,
            }
        }
        write!(f, "]")?;
        for (name, value) in &self.marks {
            match value {
                Some(value) => write!(f, " {name} {}", value.short())?,
                None => write!(f, " {name}")?,
            }
        }
        match &self.outcome {
            Some(Outcome::Finished) => write!(f, " finished"),
            Some(Outcome::Failed(why)) => write!(f, " failed ({why})"),
            Some(Outcome::Panicked(why)) => write!(f, " panicked ({why})"),
            None => Ok(()),
        }
    }
}
