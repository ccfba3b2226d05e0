//! The stores for data: services that answer each call by itself, in no order but that of its arrival.
//!
//! Each is a plain value. A call may need several steps (a batch of reads, an update of many documents): between two of them
//! anything may happen, so the service says what it has done so far and is asked again. What a store does by itself
//! (an item expires, a replica catches up) is an *inner step*; some of them are faults, with a budget.

mod contents;
pub mod dht;
pub mod documents;
pub mod messages;
mod search;
mod value;

use std::fmt;

use overtake_recipes::StoreError;

pub use self::dht::Dht;
pub use self::documents::Documents;
pub use self::messages::Messages;
pub use self::search::Search;
pub use self::value::{inside, outside};
use crate::names::{Name, Names, Text, Who};
use crate::world::Fault;

/// A value with the names in its texts kept apart.
pub type Value = overtake_recipes::store::Value<Text>;

/// What a service makes of a call in one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Served<R, P> {
    /// The answer.
    Done(Result<R, StoreError>),
    /// Something is done, more is to do.
    Going(P),
    /// Nothing can be done now: the call waits (for a lock, for a message).
    Waits,
}

/// A store.
pub trait Service: Clone + fmt::Debug + PartialEq + Eq + std::hash::Hash + Names {
    /// What is asked.
    type Request;
    /// What is answered.
    type Response;
    /// How far a call has come that needs several steps.
    type Progress;
    /// What may happen inside.
    type Inner;

    /// One step of a call by the client `caller` (a name of its slot: two calls of one client have the same).
    fn serve(
        &mut self,
        caller: Who,
        request: &Self::Request,
        progress: Option<&Self::Progress>,
    ) -> Served<Self::Response, Self::Progress>;

    /// What may happen inside now, always in the same order for the same value.
    fn inner(&self) -> Vec<Self::Inner>;

    /// The fault that an inner step is; `None` for one that happens some time in any case.
    fn fault(inner: &Self::Inner) -> Option<Fault>;

    /// Takes an inner step.
    fn take(&mut self, inner: &Self::Inner);

    /// An inner step as a person reads it; unique among those that may happen now.
    fn describe(&self, inner: &Self::Inner) -> String;

    /// Restores the order of what is kept in the order of names, after names were changed.
    fn normalise(&mut self) {}
}

/// A call to a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// To a node of the hash table.
    Dht(dht::Request),
    /// To the document store.
    Documents(documents::Request),
    /// To the queues.
    Messages(messages::Request),
    /// To the search endpoint.
    Search(Text),
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// A node of the hash table.
    Dht(dht::Response),
    /// The document store.
    Documents(documents::Response),
    /// The queues.
    Messages(messages::Response),
    /// The search endpoint.
    Search(Text),
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// At a node of the hash table.
    Dht(dht::Progress),
    /// At the document store.
    Documents(documents::Progress),
}

/// What may happen inside a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    /// The hash table.
    Dht(dht::Inner),
    /// The document store.
    Documents(documents::Inner),
    /// The queues.
    Messages(messages::Inner),
}

/// The stores of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stores {
    /// The hash table.
    pub dht: Option<Dht>,
    /// The document store.
    pub documents: Option<Documents>,
    /// The queues.
    pub messages: Option<Messages>,
    /// The search endpoint.
    pub search: Option<Search>,
}

fn missing(what: &str) -> ! {
    panic!("the program calls {what}, but the world has none: add it to the scenario with .stores(…)")
}

impl Stores {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.dht.is_some() || self.documents.is_some() || self.messages.is_some() || self.search.is_some()
    }

    /// Restores the order of everything inside after names were changed.
    pub fn normalise(&mut self) {
        self.dht.iter_mut().for_each(Service::normalise);
        self.documents.iter_mut().for_each(Service::normalise);
        self.messages.iter_mut().for_each(Service::normalise);
    }

    /// One step of a call.
    ///
    /// # Panics
    /// When the store that is called is not there.
    pub fn serve(&mut self, caller: Who, call: &Call, progress: Option<&Progress>) -> Served<Answer, Progress> {
        fn wrap<R, P>(
            served: Served<R, P>,
            answer: impl Fn(R) -> Answer,
            progress: impl Fn(P) -> Progress,
        ) -> Served<Answer, Progress> {
            match served {
                Served::Done(result) => Served::Done(result.map(answer)),
                Served::Going(going) => Served::Going(progress(going)),
                Served::Waits => Served::Waits,
            }
        }
        match call {
            Call::Dht(request) => {
                let dht = self.dht.as_mut().unwrap_or_else(|| missing("a hash table"));
                let progress = if let Some(Progress::Dht(progress)) = progress { Some(progress) } else { None };
                wrap(dht.serve(caller, request, progress), Answer::Dht, Progress::Dht)
            }
            Call::Documents(request) => {
                let documents = self.documents.as_mut().unwrap_or_else(|| missing("a document store"));
                let progress = if let Some(Progress::Documents(progress)) = progress { Some(progress) } else { None };
                wrap(documents.serve(caller, request, progress), Answer::Documents, Progress::Documents)
            }
            Call::Messages(request) => {
                let messages = self.messages.as_mut().unwrap_or_else(|| missing("queues"));
                wrap(messages.serve(caller, request, None), Answer::Messages, |never| match never {})
            }
            Call::Search(text) => {
                let search = self.search.as_ref().unwrap_or_else(|| missing("a search endpoint"));
                Served::Done(Ok(Answer::Search(search.results(*text))))
            }
        }
    }

    /// What may happen inside now.
    pub fn inner(&self) -> Vec<Inner> {
        let dht = self.dht.iter().flat_map(Service::inner).map(Inner::Dht);
        let documents = self.documents.iter().flat_map(Service::inner).map(Inner::Documents);
        let messages = self.messages.iter().flat_map(Service::inner).map(Inner::Messages);
        dht.chain(documents).chain(messages).collect()
    }

    /// Takes an inner step.
    pub fn take(&mut self, inner: &Inner) {
        match inner {
            Inner::Dht(inner) => self.dht.as_mut().expect("it is there").take(inner),
            Inner::Documents(inner) => self.documents.as_mut().expect("it is there").take(inner),
            Inner::Messages(inner) => self.messages.as_mut().expect("it is there").take(inner),
        }
    }

    /// An inner step as a person reads it.
    pub fn describe(&self, inner: &Inner) -> String {
        match inner {
            Inner::Dht(inner) => self.dht.as_ref().expect("it is there").describe(inner),
            Inner::Documents(inner) => self.documents.as_ref().expect("it is there").describe(inner),
            Inner::Messages(inner) => self.messages.as_ref().expect("it is there").describe(inner),
        }
    }
}

impl Call {
    /// Whether it goes on when nobody waits for its answer: one that only reads, or waits for a message, does not matter then.
    pub fn outlives_its_caller(&self) -> bool {
        match self {
            Self::Dht(request) => !matches!(request, dht::Request::Get(..) | dht::Request::GetMany(..)),
            Self::Documents(request) => documents_write(request),
            Self::Messages(request) => {
                !matches!(request, messages::Request::Receive(_) | messages::Request::TryReceive(_))
            }
            Self::Search(_) => false,
        }
    }
}

fn documents_write(request: &documents::Request) -> bool {
    use overtake_recipes::store::documents::Op::*;
    !matches!(request.op, Find(..) | FindOne(_) | FindForUpdate(_) | Count(_) | Begin(_))
}

impl Inner {
    /// The fault that it is; `None` for one that happens some time in any case.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            Self::Dht(inner) => Dht::fault(inner),
            Self::Documents(inner) => Documents::fault(inner),
            Self::Messages(inner) => Messages::fault(inner),
        }
    }
}

impl Names for Call {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        use overtake_recipes::store::Texts;
        match self {
            Self::Dht(request) => request.texts(&mut |text| text.names(visit)),
            Self::Documents(request) => request.texts(&mut |text| text.names(visit)),
            Self::Messages(request) => request.texts(&mut |text| text.names(visit)),
            Self::Search(text) => text.names(visit),
        }
    }
}

impl Names for Answer {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        use overtake_recipes::store::Texts;
        match self {
            Self::Dht(response) => response.texts(&mut |text| text.names(visit)),
            Self::Documents(response) => response.texts(&mut |text| text.names(visit)),
            Self::Messages(response) => response.texts(&mut |text| text.names(visit)),
            Self::Search(text) => text.names(visit),
        }
    }
}

impl Names for Progress {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Self::Dht(progress) => progress.names(visit),
            Self::Documents(progress) => progress.names(visit),
        }
    }
}

impl Names for Stores {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.dht.names(visit);
        self.documents.names(visit);
        self.messages.names(visit);
    }
}

/// With names as a person reads them.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dht(request) => value::short(request, f),
            Self::Documents(request) => value::short(request, f),
            Self::Messages(request) => value::short(request, f),
            Self::Search(text) => write!(f, "search {}", text.short()),
        }
    }
}

/// With names as a person reads them.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dht(response) => value::short(response, f),
            Self::Documents(response) => value::short(response, f),
            Self::Messages(response) => value::short(response, f),
            Self::Search(text) => write!(f, "results of {}", text.short()),
        }
    }
}
