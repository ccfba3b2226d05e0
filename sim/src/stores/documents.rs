//! Stub: replaced by its builder.

use overtake_recipes::store::documents as wire;

use super::{Served, Service};
use crate::names::{Name, Names, Text, Who};
use crate::world::Fault;

/// A request.
pub type Request = wire::Request<Text>;
/// A response.
pub type Response = wire::Response<Text>;

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Progress {}

/// What may happen inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inner {}

/// The store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Documents {}

impl Service for Documents {
    type Request = Request;
    type Response = Response;
    type Progress = Progress;
    type Inner = Inner;

    fn serve(&mut self, _: Who, _: &Request, _: Option<&Progress>) -> Served<Response, Progress> {
        Served::Waits
    }

    fn inner(&self) -> Vec<Inner> {
        Vec::new()
    }

    fn fault(inner: &Inner) -> Option<Fault> {
        match *inner {}
    }

    fn take(&mut self, inner: &Inner) {
        match *inner {}
    }

    fn describe(&self, inner: &Inner) -> String {
        match *inner {}
    }
}

impl Names for Documents {
    fn names(&mut self, _: &mut dyn FnMut(Name<'_>)) {}
}

impl Names for Progress {
    fn names(&mut self, _: &mut dyn FnMut(Name<'_>)) {
        match *self {}
    }
}
