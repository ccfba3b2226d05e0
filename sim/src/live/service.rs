//! What stands behind the wires of a live run.

use crate::names::Who;
use crate::zookeeper::{MultiResult, Notification, Reply, Request, Response, Stat, Write, ZooKeeper};

/// A deterministic server. In an ensemble each server has a copy and applies the same writes in the same order.
pub trait Service: Clone {
    /// Opens a session. Elsewhere than at the client's own server it has no connection, so it holds no watches there.
    fn open(&mut self, session: Who, local: bool) -> u32;

    /// Whether requests of the session are served.
    fn is_alive(&self, session: Who) -> bool;

    /// Serves a request, except [`Request::OpenSession`], as a whole; pushes the events that it causes.
    fn serve(&mut self, session: Who, request: &Request, events: &mut Vec<Notification>) -> Reply;
}

impl Service for ZooKeeper {
    fn open(&mut self, session: Who, local: bool) -> u32 {
        let zxid = self.open_session(session);
        if !local {
            self.disconnect(session);
        }
        zxid
    }

    fn is_alive(&self, session: Who) -> bool {
        ZooKeeper::is_alive(self, session)
    }

    #[inline]
    fn serve(&mut self, session: Who, request: &Request, events: &mut Vec<Notification>) -> Reply {
        self.apply(session, request, events)
    }
}

/// No service at all: every request is granted, nothing is kept, no watch fires. For measuring what is in front of one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

const EMPTY: Stat = Stat {
    czxid: 0,
    mzxid: 0,
    pzxid: 0,
    version: 0,
    cversion: 0,
    aversion: 0,
    owner: None,
    data_length: 0,
    children: 0,
};

impl Service for Echo {
    fn open(&mut self, _: Who, _: bool) -> u32 {
        0
    }

    fn is_alive(&self, _: Who) -> bool {
        true
    }

    #[inline]
    fn serve(&mut self, session: Who, request: &Request, _: &mut Vec<Notification>) -> Reply {
        let response = match request {
            Request::Write(Write::Create { path, .. }) => Response::Created(*path),
            Request::Write(Write::SetData { .. }) => Response::Set(EMPTY),
            Request::Multi(writes) => Response::Multi(vec![MultiResult::Done; writes.len()]),
            Request::Exists { .. } => Response::Exists(Some(EMPTY)),
            Request::GetData { .. } => Response::Data(None, EMPTY),
            Request::GetChildren { .. } => Response::Children(Vec::new()),
            Request::OpenSession => Response::Opened(session),
            Request::Write(Write::Delete { .. } | Write::Check { .. })
            | Request::Sync
            | Request::AddWatch { .. }
            | Request::RemoveWatches { .. }
            | Request::CloseSession => Response::Done,
        };
        Reply { zxid: 0, result: Ok(response) }
    }
}
