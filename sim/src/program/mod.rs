//! Programs as automata: what a client's code has observed is all that it can be.
//!
//! A [`Program`] is the `async fn` of one client. It sees the world through its [`Context`] only, so it
//! is a function of its history of observations. The [`Automaton`] runs it once for each history that
//! is new, hash-conses the outcomes into numbered nodes, and answers every later visit from a table.

mod automaton;
mod bind;
mod checks;
mod client;
mod context;
mod history;
mod landing;
mod live;
mod node;
mod ops;
mod run;
mod stores;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use automaton::{Automaton, AutomatonStats, Edge, Naming, NodeId, local_ops};
pub use bind::{Bind, OWN};
pub use client::{SimWatch, SimZooKeeper};
pub use context::{Context, JoinHandle, SimResource};
pub(crate) use live::{Begun, Runner};
pub use node::{Mark, NodeKey, Obs, OpView, Outcome, TaskKey, Unread};
pub use stores::{SimDht, SimDocuments, SimMessages, SimSearch};

/// What a program ends with: nothing, or a result whose error is reported as a failure.
pub trait ProgramResult {
    /// `Err` carries the reason why the program gave up.
    fn into_outcome(self) -> Result<(), String>;
}

impl ProgramResult for () {
    fn into_outcome(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: fmt::Display> ProgramResult for Result<(), E> {
    fn into_outcome(self) -> Result<(), String> {
        self.map_err(|e| e.to_string())
    }
}

type Body = dyn Fn(Context) -> Pin<Box<dyn Future<Output = Result<(), String>>>> + Send + Sync;

/// The code of one client, ready to be run from its start as often as needed.
#[derive(Clone)]
pub struct Program {
    name: Arc<str>,
    body: Arc<Body>,
    connected: bool,
}

impl Program {
    /// Wraps an `async fn(Context)`.
    pub fn new<F, Fut>(name: impl Into<Arc<str>>, body: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: ProgramResult,
    {
        let body = Arc::new(body);
        Self {
            name: name.into(),
            body: Arc::new(move |ctx| {
                let future = body(ctx);
                Box::pin(async move { future.await.into_outcome() })
            }),
            connected: true,
        }
    }

    /// Starts without a session; the program opens one itself.
    pub fn unconnected(mut self) -> Self {
        self.connected = false;
        self
    }

    /// Whether the program finds a session open when it starts.
    pub fn starts_connected(&self) -> bool {
        self.connected
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn start(&self, ctx: Context) -> Pin<Box<dyn Future<Output = Result<(), String>>>> {
        (self.body)(ctx)
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Program").field(&self.name).finish()
    }
}

/// A program that breaks the rules under which a table may stand for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// Two runs on one history ended differently.
    NotDeterministic {
        /// The program.
        program: String,
        /// The last observation of the history.
        observation: String,
        /// What the first run did.
        first: String,
        /// What the second run did.
        second: String,
    },
    /// The program looks at more of a name than equality and order.
    LooksIntoNames {
        /// The program.
        program: String,
        /// The last observation of the history.
        observation: String,
        /// What it did with the numbers of the first run.
        first: String,
        /// What it did with other numbers in the same order.
        second: String,
    },
    /// Two histories that a checkpoint made one go on differently.
    DishonestCheckpoint {
        /// The program.
        program: String,
        /// Where: the name of the place.
        place: String,
        /// The observation after the checkpoint.
        observation: String,
        /// What the first history led to.
        first: String,
        /// What the second history led to.
        second: String,
    },
    /// The program needs more than a world can hold.
    Limit {
        /// The program.
        program: String,
        /// Of what.
        what: String,
    },
    /// A client opened more sessions than a world can name.
    TooManySessions {
        /// The program.
        program: String,
    },
    /// The program went on and on without waiting for anything.
    NeverRests {
        /// The program.
        program: String,
        /// The last observation of the history.
        observation: String,
    },
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDeterministic { program, observation, first, second } => write!(
                f,
                "program {program:?} is not deterministic: after {observation} one run did {first}, the same run again did {second}; \
                 take time, randomness, ids and tasks from the Context only"
            ),
            Self::LooksIntoNames { program, observation, first, second } => write!(
                f,
                "program {program:?} depends on more than the order of sequence numbers and zxids and the equality of owners: after {observation} it did {first}, \
                 with other numbers in the same order it did {second}; compare names only, or declare literal_names() (and zxids() if it reads them) in the scenario"
            ),
            Self::DishonestCheckpoint { program, place, observation, first, second } => write!(
                f,
                "checkpoint {place:?} of program {program:?} promises too much: two histories with the same key part after {observation}: one did {first}, \
                 the other {second}; put what they differ in into the key"
            ),
            Self::Limit { program, what } => write!(f, "program {program:?} came to a limit of the checker: {what}"),
            Self::TooManySessions { program } => write!(
                f,
                "program {program:?} opens more than 15 sessions in one run; put a bound on the loop in which it connects"
            ),
            Self::NeverRests { program, observation } => write!(
                f,
                "program {program:?} goes on for ever without waiting for anything after {observation}; let it await something in its loop"
            ),
        }
    }
}

impl std::error::Error for ProgramError {}
