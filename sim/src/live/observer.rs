//! Who looks on while a live run goes on.

use std::fmt::Write as _;

use overtake_recipes::{EventKind, SessionState, ZkError};

use crate::names::Text;
use crate::zookeeper::{Request, Response};

/// Something that reaches a program.
#[derive(Clone, Copy, Debug)]
pub enum Delivery<'a> {
    /// The answer to its oldest open request.
    Reply(&'a Result<Response, ZkError>),
    /// A watch event.
    Event(EventKind, Text),
    /// A change of the connection.
    Session(SessionState),
}

/// Is told of each thing that happens, at its moment in nanoseconds of virtual time. Looking on changes nothing.
#[allow(unused_variables, reason = "who is not interested does nothing")]
pub trait Observer {
    /// A client puts a request on its wire.
    fn sent(&mut self, at: u64, client: usize, request: &Request) {}

    /// A server answers a client's request: it takes effect, or is read, now.
    fn served(&mut self, at: u64, client: usize, request: &Request, result: &Result<Response, ZkError>) {}

    /// A server closes the connection over a request of a session that is over.
    fn refused(&mut self, at: u64, client: usize) {}

    /// Something is about to reach the program of a client.
    fn delivered(&mut self, at: u64, client: usize, delivery: Delivery<'_>) {}

    /// The watch event that was just delivered had a watch of the program waiting for it.
    fn woken(&mut self, at: u64, client: usize) {}

    /// A timer or a piece of work of the client is over, or a choice has come out.
    fn fired(&mut self, at: u64, client: usize, choice: Option<u8>) {}

    /// The program of the client set a mark, or took it back.
    fn marked(&mut self, at: u64, client: usize, name: &'static str, set: bool) {}
}

/// Nobody.
impl Observer for () {}

/// Writes everything down, a line each: `0.001250000 client 1 → create /lock/n- (ephemeral, sequential)`.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The lines.
    pub text: String,
}

impl Log {
    fn line(&mut self, at: u64, client: usize, what: std::fmt::Arguments<'_>) {
        let (seconds, rest) = (at / 1_000_000_000, at % 1_000_000_000);
        writeln!(self.text, "{seconds}.{rest:09} client {} {what}", client + 1).expect("a string");
    }
}

/// What was answered, in words.
struct Answer<'a>(&'a Result<Response, ZkError>);

impl std::fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Ok(response) => write!(f, "{response}"),
            Err(error) => write!(f, "{error}"),
        }
    }
}

impl Observer for Log {
    fn sent(&mut self, at: u64, client: usize, request: &Request) {
        self.line(at, client, format_args!("→ {request}"));
    }

    fn served(&mut self, at: u64, client: usize, request: &Request, result: &Result<Response, ZkError>) {
        self.line(at, client, format_args!("· {request}: {}", Answer(result)));
    }

    fn refused(&mut self, at: u64, client: usize) {
        self.line(at, client, format_args!("· connection closed: the session is over"));
    }

    fn delivered(&mut self, at: u64, client: usize, delivery: Delivery<'_>) {
        match delivery {
            Delivery::Reply(result) => self.line(at, client, format_args!("← {}", Answer(result))),
            Delivery::Event(kind, path) => self.line(at, client, format_args!("← event {kind:?} {}", path.short())),
            Delivery::Session(state) => self.line(at, client, format_args!("← {state:?}")),
        }
    }

    fn fired(&mut self, at: u64, client: usize, choice: Option<u8>) {
        match choice {
            Some(value) => self.line(at, client, format_args!("chooses {value}")),
            None => self.line(at, client, format_args!("goes on")),
        }
    }

    fn marked(&mut self, at: u64, client: usize, name: &'static str, set: bool) {
        self.line(at, client, format_args!("{} {name}", if set { "+" } else { "-" }));
    }
}
