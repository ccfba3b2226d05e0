//! Serving requests, and the sweeper.

use overtake_recipes::{AddWatchMode, ZkError};
use overtake_sim::names::Who;
use overtake_sim::zookeeper::Request;

use super::naive::{Answer, Mode, Naive, Txn, error};

impl Naive {
    pub fn sweep(&mut self, path: &str) -> bool {
        let swept = self
            .tree
            .get(path)
            .is_some_and(|node| node.container && node.creates > 0 && self.children(path).is_empty());
        if swept {
            self.zxid += 1;
            self.apply_txn(Txn::Delete(path.to_owned()));
        }
        swept
    }

    // Requests.

    pub fn serve(&mut self, session: Who, request: &Request) -> String {
        if self.sessions.get(&session).is_none_or(|s| s.closing) {
            return error(ZkError::SessionExpired);
        }
        let answer = match request {
            Request::Write(write) => {
                self.zxid += 1;
                match self.prepare(session, write) {
                    Ok(txn) => Ok(self.apply_txn(txn)),
                    Err(code) => Err(error(code)),
                }
            }
            Request::Multi(writes) => self.multi(session, writes),
            Request::CloseSession => {
                self.close(session);
                Ok("done".to_owned())
            }
            Request::OpenSession => unreachable!("opened elsewhere"),
            Request::Sync => Ok("done".to_owned()),
            Request::Exists { path, watch } => {
                let path = path.to_string();
                if *watch {
                    self.watch_data(session, &path, Mode::Once);
                }
                Ok(match self.tree.contains_key(&path) {
                    true => format!("there {}", self.stat(&path)),
                    false => "missing".to_owned(),
                })
            }
            Request::GetData { path, watch } => self.reading(&path.to_string(), |this, path| {
                if *watch {
                    this.watch_data(session, path, Mode::Once);
                }
                let data = match &this.tree[path].data {
                    Some(data) => format!("\"{data}\""),
                    None => "null".to_owned(),
                };
                format!("{data} {}", this.stat(path))
            }),
            Request::GetChildren { path, watch } => self.reading(&path.to_string(), |this, path| {
                if *watch {
                    this.watch_child(session, path, Mode::Once);
                }
                format!("children [{}]", this.dealt_children(path).join(", "))
            }),
            Request::AddWatch { path, mode } => {
                let mode = match mode {
                    AddWatchMode::Persistent => Mode::Persistent,
                    AddWatchMode::PersistentRecursive => Mode::Recursive,
                };
                self.watch_data(session, &path.to_string(), mode);
                self.watch_child(session, &path.to_string(), mode);
                Ok("done".to_owned())
            }
            Request::RemoveWatches { path } => {
                let key = (path.to_string(), session);
                let data = self.data_watches.remove(&key).is_some();
                let child = self.child_watches.remove(&key).is_some();
                match data || child {
                    true => Ok("done".to_owned()),
                    false => Err(error(ZkError::NoWatcher)),
                }
            }
        };
        answer.unwrap_or_else(|code| code)
    }

    fn reading(&mut self, path: &str, read: impl Fn(&mut Self, &str) -> String) -> Answer {
        match self.tree.contains_key(path) {
            true => Ok(read(self, path)),
            false => Err(error(ZkError::NoNode)),
        }
    }

    /// Second, fourth, ... and then first, third, ...
    fn dealt_children(&self, path: &str) -> Vec<String> {
        let (mut even, mut odd) = (Vec::new(), Vec::new());
        for (at, child) in self.children(path).into_iter().enumerate() {
            let name = child.rsplit('/').next().unwrap().to_owned();
            if at % 2 == 0 {
                even.push(name);
            } else {
                odd.push(name);
            }
        }
        odd.extend(even);
        odd
    }
}
