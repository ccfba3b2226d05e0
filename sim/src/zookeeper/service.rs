//! Serving requests.

use overtake_recipes::ZkError;

use super::protocol::{Failure, MultiResult, Notification, Reply, Request, Response, Write};
use super::watches::{Mode, Table};
use super::{ZooKeeper, order, permissions};
use crate::names::{Text, Who};

impl ZooKeeper {
    /// Serves one request of the session, as a whole. The events that it causes are pushed to `out`;
    /// those for the session's own connection come before the reply (§2.2, Z63, Z72).
    ///
    /// A session that is closing or gone is answered `SessionExpired`, without any effect (§3.5). A
    /// session that is alive but not connected is one whose request got through before the connection
    /// broke (§4.2): the request takes effect, but no watch can be set.
    ///
    /// # Panics
    /// On [`Request::OpenSession`] of a session that there is.
    pub fn apply(&mut self, session: Who, request: &Request, out: &mut Vec<Notification>) -> Reply {
        let result = if *request == Request::OpenSession {
            self.open_session(session);
            Ok(Response::Opened(session))
        } else if self.is_alive(session) {
            self.serve(session, request, out)
        } else {
            Err(single(ZkError::SessionExpired))
        };
        Reply { zxid: self.last_zxid, result }
    }

    /// As [`apply`](Self::apply), for a session that is over and whose end a faulty server has not noticed (ZOOKEEPER-1208).
    pub fn apply_unchecked(&mut self, session: Who, request: &Request, out: &mut Vec<Notification>) -> Reply {
        let result = self.serve(session, request, out);
        Reply { zxid: self.last_zxid, result }
    }

    /// The answer to a write of a session that another server has (§3.6); no Java client is ever told so.
    pub fn moved(&self) -> Reply {
        Reply { zxid: self.last_zxid, result: Err(single(ZkError::SessionMoved)) }
    }

    fn serve(&mut self, session: Who, request: &Request, out: &mut Vec<Notification>) -> Result<Response, Failure> {
        match request {
            Request::Write(write) => {
                // A write that fails costs a zxid too (§1.1, Z33).
                let zxid = self.next_zxid();
                self.write(session, write, zxid, &mut Vec::new(), out)
                    .map(|result| match result {
                        MultiResult::Created(path) => Response::Created(path),
                        MultiResult::Set(stat) => Response::Set(stat),
                        MultiResult::Done => Response::Done,
                    })
                    .map_err(single)
            }
            Request::Multi(writes) => self.multi(session, writes, out),
            Request::CloseSession => {
                self.close(session, out);
                Ok(Response::Done)
            }
            Request::OpenSession => unreachable!("served before the session is looked up"),
            _ => self.read(session, request).map_err(single),
        }
    }

    /// All or none, with one zxid in either case (§1.7, Z37-Z47).
    fn multi(&mut self, session: Who, writes: &[Write], out: &mut Vec<Notification>) -> Result<Response, Failure> {
        let zxid = self.next_zxid();
        let (nodes, watches, events) = (self.nodes.clone(), self.watches.clone(), out.len());
        let mut wrapped = Vec::new();
        let mut results = Vec::with_capacity(writes.len());
        for write in writes {
            match self.write(session, write, zxid, &mut wrapped, out) {
                Ok(result) => results.push(result),
                Err(error) => {
                    (self.nodes, self.watches) = (nodes, watches);
                    out.truncate(events);
                    let mut members = vec![None; results.len()];
                    members.push(Some(error));
                    members.resize(writes.len(), Some(ZkError::RuntimeInconsistency));
                    return Err(Failure { error, members });
                }
            }
        }
        Ok(Response::Multi(results))
    }

    /// Requests that take no zxid (Z34).
    fn read(&mut self, session: Who, request: &Request) -> Result<Response, ZkError> {
        match *request {
            Request::Exists { path, watch } => {
                // Also on a missing node (Z48).
                if watch {
                    self.watch(session, path, Table::Data, Mode::OneShot);
                }
                Ok(Response::Exists(self.node(path)))
            }
            Request::GetData { path, watch } => {
                let at = self.readable(path)?;
                if watch {
                    self.watch(session, path, Table::Data, Mode::OneShot);
                }
                let node = &self.nodes[at];
                Ok(Response::Data(node.data, node.stat()))
            }
            Request::GetChildren { path, watch } => {
                let at = self.readable(path)?;
                if watch {
                    self.watch(session, path, Table::Child, Mode::OneShot);
                }
                Ok(Response::Children(order::deal(&self.sorted_children(at))))
            }
            Request::AddWatch { path, mode } => {
                self.add_watch(session, path, mode);
                Ok(Response::Done)
            }
            Request::RemoveWatches { path } => {
                if self.remove_watches(session, path) {
                    Ok(Response::Done)
                } else {
                    Err(ZkError::NoWatcher)
                }
            }
            // With one server there is nothing to wait for (§1.8).
            _ => Ok(Response::Done),
        }
    }

    fn readable(&self, path: Text) -> Result<usize, ZkError> {
        let at = self.find(path).ok_or(ZkError::NoNode)?;
        if self.nodes[at].allows(permissions::READ) { Ok(at) } else { Err(ZkError::NoAuth) }
    }

    /// A create with an empty access control list, which no [`Request`] can express: refused before the
    /// parent is looked up (§1.6, Z17). For tests.
    #[doc(hidden)]
    pub fn create_without_acl(&mut self, session: Who, path: Text) -> Reply {
        let error = if !self.is_alive(session) {
            ZkError::SessionExpired
        } else {
            self.next_zxid();
            if !path.to_string().contains('/') || order::has_nul(path) {
                ZkError::BadArguments
            } else {
                ZkError::InvalidAcl
            }
        };
        Reply { zxid: self.last_zxid, result: Err(single(error)) }
    }
}

/// The failure of a request that is no multi.
fn single(error: ZkError) -> Failure {
    Failure { error, members: Vec::new() }
}
