//! All that clients reach over a wire, as one value of a state.

use super::history::Recorded;
use crate::ensemble::Ensemble;
use crate::names::{Name, Names, Text, Who};
use crate::resource::Resource;
use crate::stores::Stores;
use crate::zookeeper::{MultiResult, Request, Response, Write, ZooKeeper};

/// The servers of a world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Services {
    /// ZooKeeper: one server or several.
    pub ensemble: Ensemble,
    /// What the lock protects, in worlds that have it.
    pub resource: Option<Box<Resource>>,
    /// The stores for data.
    pub stores: Stores,
    /// The faults of the stores that may still happen, packed ([`Budget::pack`](super::Budget::pack)).
    pub faults: u32,
    /// What was called and answered so far, in worlds that keep it.
    pub history: Option<Box<Vec<Recorded>>>,
}

impl Services {
    /// The tree with all that is committed.
    pub fn zookeeper(&self) -> &ZooKeeper {
        &self.ensemble.leader
    }

    /// Restores the order of everything inside after names were changed.
    pub fn normalise(&mut self) {
        self.ensemble.normalise();
        self.stores.normalise();
    }

    /// Tells the judge of the resource which sequential node the leader has just created for the session.
    pub(super) fn note_created(&mut self, session: Who, request: &Request, response: &Response) {
        let Some(resource) = &mut self.resource else { return };
        for path in created(request, response) {
            resource.created(session, path, self.ensemble.leader.last_zxid());
        }
    }
}

/// The sequential nodes that a request has created.
fn created(request: &Request, response: &Response) -> Vec<Text> {
    let sequential = |write: &Write| matches!(write, Write::Create { mode, .. } if mode.is_sequential());
    let path = |result: &MultiResult| if let MultiResult::Created(path) = result { Some(*path) } else { None };
    match (request, response) {
        (Request::Write(write), Response::Created(path)) if sequential(write) => vec![*path],
        (Request::Multi(writes), Response::Multi(results)) => {
            let pairs = writes.iter().zip(results).filter(|(write, _)| sequential(write));
            pairs.filter_map(|(_, result)| path(result)).collect()
        }
        _ => Vec::new(),
    }
}

impl Names for Services {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.ensemble.names(visit);
        if let Some(resource) = &mut self.resource {
            resource.names(visit);
        }
        self.stores.names(visit);
        if let Some(history) = &mut self.history {
            history.names(visit);
        }
    }
}
