//! The delete that outlives the one who wanted it: Curator's `guaranteed()`, and its find-and-delete in the background.

use super::{Client, RetryPolicy};
use crate::names::join;
use crate::retry::PAUSE;
use crate::{Environment, ZkError, ZooKeeper};

/// What may have to be taken away.
#[derive(Clone, Debug)]
pub enum Remains {
    /// A node whose path is known.
    Node(String),
    /// A node of an unanswered create: its name starts with an id that nobody else has, and it may not exist.
    Protected {
        /// Path of the parent.
        parent: String,
        /// Start of the name.
        prefix: String,
    },
}

/// Takes the remains away in the background when it is dropped, unless it was disarmed: an interrupted call comes to
/// this. The background tries for ever in the session that the node belongs to; with the session the node goes.
pub struct CleanUp<E: Environment> {
    client: Client<E>,
    session: i64,
    remains: Option<Remains>,
}

impl<E: Environment> CleanUp<E> {
    /// Armed, over what the current session may leave.
    pub fn new(client: &Client<E>, remains: Remains) -> Self {
        let session = client.zookeeper().session_id();
        Self { client: client.clone(), session, remains: Some(remains) }
    }

    /// Lets everything be.
    pub fn disarm(mut self) {
        self.remains = None;
    }

    /// Deletes the node now, as often as the client's policy says. When that fails the background goes on, and the
    /// error is answered all the same: so says `guaranteed()`.
    ///
    /// # Errors
    /// That of the last try. A node that is gone is no error.
    pub async fn delete_now(mut self, place: &'static str, key: &[&str]) -> Result<(), ZkError> {
        let Some(Remains::Node(path)) = self.remains.clone() else {
            return Ok(());
        };
        let zk = self.client.zookeeper();
        let mut whole = key.to_vec();
        whole.push(&path);
        match self.client.call(place, &whole, || zk.delete(&path, None)).await {
            Ok(()) | Err(ZkError::NoNode) => {
                self.remains = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

impl<E: Environment> Drop for CleanUp<E> {
    fn drop(&mut self) {
        let Some(remains) = self.remains.take() else {
            return;
        };
        if self.client.zookeeper().session_id() != self.session {
            return;
        }
        let options = super::Options {
            // Who opens new sessions is the caller: the background ends with the session.
            policy: RetryPolicy::SessionFailed(Box::new(RetryPolicy::Forever { pause: PAUSE })),
            ..self.client.options().clone()
        };
        self.client.env().hand_over(|env| async move {
            // Nobody is there to be told of an error; only the session's end and a missing permission are left.
            let _ = Client::new(env, options).take_away(&remains).await;
        });
    }
}

impl<E: Environment> Client<E> {
    async fn take_away(&self, remains: &Remains) -> Result<(), ZkError> {
        let path = match remains {
            Remains::Node(path) => path.clone(),
            Remains::Protected { parent, prefix } => {
                let key = [parent.as_str(), prefix];
                match self.call("clean up: find", &key, || self.look_for(parent, prefix)).await? {
                    Some(name) => join(parent, &name),
                    None => return Ok(()),
                }
            }
        };
        let zk = self.zookeeper();
        self.call("clean up: delete", &[&path], || zk.delete(&path, None)).await
    }

    /// The child whose name starts with the prefix.
    pub(crate) async fn look_for(&self, parent: &str, prefix: &str) -> Result<Option<String>, ZkError> {
        let zk = self.zookeeper();
        if self.options().syncs_before_search {
            zk.sync(parent).await?;
        }
        match zk.children(parent).await {
            Ok(names) => Ok(names.into_iter().find(|name| name.starts_with(prefix))),
            Err(ZkError::NoNode) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
