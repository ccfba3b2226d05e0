//! The create that finds its node again when the reply is lost: Curator's protected mode (§4.3).

use super::clean_up::{CleanUp, Remains};
use super::{Client, Tries};
use crate::names::{join, leaf};
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// One protected create: an id, the session that it was first sent in, and what to do with a node that is left.
struct Protected<E: Environment> {
    prefix: String,
    session: i64,
    guard: CleanUp<E>,
}

impl<E: Environment> Client<E> {
    /// Creates `parent/_c_<id>-<label><number>` and answers its name; the parent is made as a container where it is
    /// missing.
    ///
    /// After a failed try it looks for the id. A node that is found is adopted when the session is still the one of the
    /// first try; the node of a former session is deleted, and a new one made under a new id. When all tries fail, and
    /// when the future is dropped, the node is searched and deleted in the background.
    ///
    /// # Errors
    /// Whatever ends the retries.
    pub async fn create_protected(
        &self,
        parent: &str,
        label: &str,
        mode: CreateMode,
        key: &[&str],
    ) -> Result<String, ZkError> {
        let zk = self.zookeeper();
        let mut tries = self.tries();
        let mut sent = self.protect(parent);
        loop {
            let session = format!("{:x}", sent.session);
            let whole = [&[sent.prefix.as_str(), session.as_str()], key].concat();
            tries.checkpoint("protected: create", &whole);
            let error = match zk.create(&join(parent, &format!("{}{label}", sent.prefix)), b"", mode).await {
                Ok(path) => {
                    sent.guard.disarm();
                    return Ok(leaf(&path).to_owned());
                }
                Err(ZkError::NoNode) => {
                    let made = self.call("protected: parent", &whole, || async {
                        match zk.create(parent, b"", CreateMode::Container).await {
                            Err(ZkError::NodeExists) => Ok(String::new()),
                            answer => answer,
                        }
                    });
                    made.await?;
                    continue;
                }
                Err(error) => error,
            };
            if let Some(name) = self.find_again(error, parent, &mut sent, &mut tries, key).await? {
                sent.guard.disarm();
                return Ok(name);
            }
        }
    }

    /// Looks for the node of the failed try. `None`: there is none, and the create is to be sent again.
    async fn find_again(
        &self,
        mut error: ZkError,
        parent: &str,
        sent: &mut Protected<E>,
        tries: &mut Tries<E>,
        key: &[&str],
    ) -> Result<Option<String>, ZkError> {
        loop {
            let session = format!("{:x}", sent.session);
            let prefix = sent.prefix.clone();
            let whole = [&[prefix.as_str(), session.as_str()], key].concat();
            if !tries.again(error, "protected: connect", &whole).await {
                return Err(error);
            }
            tries.checkpoint("protected: find", &whole);
            match self.look_for(parent, &prefix).await {
                Ok(Some(name)) if self.zookeeper().session_id() == sent.session => return Ok(Some(name)),
                Ok(Some(name)) => {
                    // Of a former session: it goes any moment, and must not be taken for one's own (CURATOR-498).
                    drop(CleanUp::new(self, Remains::Node(join(parent, &name))));
                    *sent = self.protect(parent);
                    return Ok(None);
                }
                Ok(None) => {
                    if self.zookeeper().session_id() != sent.session {
                        *sent = self.protect(parent);
                    }
                    return Ok(None);
                }
                Err(again) => error = again,
            }
        }
    }

    fn protect(&self, parent: &str) -> Protected<E> {
        let prefix = format!("_c_{}-", self.env().unique_id());
        let remains = Remains::Protected { parent: parent.to_owned(), prefix: prefix.clone() };
        Protected { prefix, session: self.zookeeper().session_id(), guard: CleanUp::new(self, remains) }
    }
}
