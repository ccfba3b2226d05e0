//! Linearizability of a recorded history.
//!
//! A history is what processes called and what they were answered, in real time. It is *linearizable* when every call can be
//! given one moment between its call and its return so that one copy of the object, used by one process at those moments,
//! would have given the same answers (Herlihy and Wing, 1990). A call without an answer may have taken effect at any moment
//! after it, or never.
//!
//! The search is that of Wing and Gong with Lowe's memory: calls are tried in every order that real time allows, and a
//! configuration (which calls are in, and what the object holds) is tried once. Where there is no order, the shortest
//! beginning of the history without one is looked for, so that the argument names one line and holds whatever the calls do
//! that are open there. Several keys are checked one by one, which is enough: a history is linearizable when it is so for
//! each object alone.
//!
//! # The format
//!
//! One event a line, in the order in which they happened; `#` starts a comment, and empty lines are left out.
//!
//! ```text
//! initially 0          # what the object holds at first; without it nothing (a counter: 0)
//! a call write 1
//! b call read
//! a return ok
//! b return 0
//! b call write 2
//! b return unknown     # no answer: it may have taken effect, may do so later, or never will
//! c call write 3
//! c return failed      # it is certain that it had no effect
//! ```
//!
//! A process is any word; it has one call open at a time, but may go on after an `unknown`. A call at the end without a
//! return is `unknown` too. Values are words.
//!
//! | model | calls | answers |
//! |---|---|---|
//! | `register` | `write V`; `read`; `cas OLD NEW` | `ok`; `V` or `nil`; `yes` or `no` |
//! | `cas` | those, and `put V`; `delete`; `update V VERSION` | `yes` or `no`; the same; `stored`, `moved`, `absent` |
//! | | `replace V`; `delete @VERSION`; `touch`; `append V`; `prepend V` | `yes` or `no` |
//! | | `add N` | the new number, or `nil` |
//! | `kv` | those of `cas` with a key in front of the arguments: `write K V` | the same |
//! | `counter` | `add N`; `read` | `ok` or the new number; the number |
//! | `set` | `add E`; `remove E`; `contains E`; `read` | `ok`, or `yes` when it changed something; `yes` or `no`; `[E E]` |
//!
//! With `cas` and `kv` a version may stand behind what is read and behind the `ok` of a write: `V @7`, `ok @7`. Versions are
//! compared for equality, and each store of a key must give it a greater one. So a store whose versions start again
//! (memcached after a restart) is not linearizable as `cas`: that is what such a store has wrong.
//!
//! Instead, each line may be a JSON object: `{"process": "a", "call": ["write", 1]}`, `{"process": "a", "return": "ok"}`,
//! `{"initially": [0]}`, or in the words of Jepsen `{"process": 0, "type": "invoke", "f": "cas", "value": [1, 2]}` with the
//! types `invoke`, `ok`, `fail`, `info`.

mod argument;
mod calls;
mod counter;
mod document;
mod history;
mod json;
mod register;
mod search;
mod set;
mod spec;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

pub use argument::Argument;
pub use calls::{Begin, check_calls};
use history::{Event, History};
use register::Register;
use spec::Spec;

/// What the object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Read, write, compare and set by value.
    Register,
    /// A register whose value has a version, and may be absent.
    Cas,
    /// Added to, and read.
    Counter,
    /// Elements that are there or not.
    Set,
    /// Registers with versions, by key.
    Kv,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Register, Self::Cas, Self::Counter, Self::Set, Self::Kv];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Cas => "cas",
            Self::Counter => "counter",
            Self::Set => "set",
            Self::Kv => "kv",
        }
    }
}

impl std::str::FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|model| model.name() == text);
        found.ok_or_else(|| format!("there is no model {text:?}; there are {}", names()))
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is an order.
    Holds,
    /// There is none.
    Violated(Box<Argument>),
    /// There was too much to try.
    Undecided,
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What the history was compared with.
    pub model: Model,
    /// Calls that count: all but those that failed for certain.
    pub operations: usize,
    /// Those of them without an answer.
    pub unanswered: usize,
    /// Objects that were checked by themselves.
    pub objects: usize,
    /// Configurations that were tried.
    pub configurations: usize,
    /// What was found.
    pub outcome: Outcome,
}

impl Verdict {
    /// Whether there is an order.
    pub fn holds(&self) -> bool {
        matches!(self.outcome, Outcome::Holds)
    }

    /// Why there is none.
    pub fn violation(&self) -> Option<&Argument> {
        if let Outcome::Violated(argument) = &self.outcome { Some(argument) } else { None }
    }
}

/// Configurations after which a check gives up, if nobody says otherwise: about a gigabyte.
pub const MOST: usize = 5_000_000;

/// Reads a recorded history and checks it, with so many configurations at most ([`MOST`]) for each object.
///
/// # Errors
/// One sentence, with the number of the line where there is one.
pub fn check_file(path: &Path, model: Model, limit: usize) -> Result<Verdict, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    check_text(&text, model, limit).map_err(|error| match error.line {
        Some(line) => format!("{}, line {line}: {}", path.display(), error.what),
        None => format!("{}: {}", path.display(), error.what),
    })
}

/// What is wrong with the text of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The line, from 1.
    pub line: Option<usize>,
    /// A sentence.
    pub what: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Malformed {}

/// Checks a history in the text format, with so many configurations at most for each object.
///
/// # Errors
/// When it is malformed.
pub fn check_text(text: &str, model: Model, limit: usize) -> Result<Verdict, Malformed> {
    let events = history::read(text, model == Model::Kv)?;
    let mut verdict =
        Verdict { model, operations: 0, unanswered: 0, objects: 0, configurations: 0, outcome: Outcome::Holds };
    match model {
        Model::Register => verdict.add(&Register::by_value(), &events, None, limit)?,
        Model::Cas => verdict.add(&Register::with_versions(), &events, None, limit)?,
        Model::Counter => verdict.add(&counter::Counter, &events, None, limit)?,
        Model::Set => verdict.add(&set::Set, &events, None, limit)?,
        Model::Kv => {
            let mut by_key: BTreeMap<&str, Vec<Event>> = BTreeMap::new();
            for event in &events {
                let key = event.key.as_deref().expect("events of several keys have one");
                by_key.entry(key).or_default().push(event.clone());
            }
            for (key, events) in by_key {
                verdict.add(&Register::with_versions(), &events, Some(key), limit)?;
            }
        }
    }
    Ok(verdict)
}

impl Verdict {
    /// Checks one more object. Of several violations that counts which comes first in the history.
    fn add<S: Spec>(&mut self, spec: &S, events: &[Event], key: Option<&str>, limit: usize) -> Result<(), Malformed> {
        let history = History::new(spec, events)?;
        let found = argument::check(spec, &history, key, limit);
        self.operations += history.operations.len();
        self.unanswered += history.unanswered();
        self.objects += 1;
        self.configurations += found.configurations;
        let rank = |outcome: &Outcome| match outcome {
            Outcome::Violated(argument) => (0, argument.line),
            Outcome::Undecided => (1, 0),
            Outcome::Holds => (2, 0),
        };
        if rank(&found.outcome) < rank(&self.outcome) {
            self.outcome = found.outcome;
        }
        Ok(())
    }
}
