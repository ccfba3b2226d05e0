//! Revocation (§5.1): asking a holder to let go. Nobody is forced.

use std::sync::Arc;

use overtake_recipes::lock::Unowned;
use overtake_recipes::names::{contenders, join};
use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};

use crate::client::{Client, Env, Service};
use crate::error::Error;
use crate::mutex::InterProcessMutex;
use crate::sync::Threads;

/// What is written to a node whose holder is asked to let go.
pub const REVOKE: &[u8] = b"__REVOKE__";

/// Asks whoever holds by the node to let go. A node that is gone is no error.
///
/// # Errors
/// When the service does not answer.
pub fn attempt_revoke<S: Threads, V: Service>(client: &Client<S, V>, node: &str) -> Result<(), Error> {
    let asked = client.run(|env| async move { env.zookeeper().set_data(node, REVOKE, None).await });
    match asked {
        Ok(_) | Err(ZkError::NoNode) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl<S: Threads, V: Service, L: Unowned<Env<S, V>>> InterProcessMutex<S, V, L> {
    /// Calls the listener, in the background, when somebody asks for the grant that the calling thread holds now. To be
    /// called after each grant that may be asked for.
    ///
    /// # Errors
    /// [`Error::NotOwner`].
    pub fn make_revocable(&self, listener: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
        let node = self.node().ok_or_else(|| Error::NotOwner { base: self.base().into() })?;
        let listener = Arc::new(listener);
        self.client().in_background(move |env, tasks| tasks.push(listen(env, node, listener)));
        Ok(())
    }

    /// The nodes of all who hold or wait, whoever they are, lowest number first.
    ///
    /// # Errors
    /// When the service does not answer.
    pub fn participant_nodes(&self) -> Result<Vec<String>, Error> {
        let base = self.base();
        match self.client().run(|env| async move { env.zookeeper().children(base).await }) {
            Ok(names) => Ok(contenders(names).iter().map(|name| join(base, name)).collect()),
            Err(ZkError::NoNode) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads the node again after each change, until it is gone.
async fn listen<S: Threads, V: Service>(env: Env<S, V>, node: String, listener: Arc<dyn Fn() + Send + Sync>) {
    let zk = env.zookeeper();
    loop {
        match zk.watch_data(&node).await {
            Ok((data, _, mut watch)) => {
                if data == REVOKE {
                    return listener();
                }
                watch.next().await;
            }
            Err(ZkError::ConnectionLoss) => env.sleep(overtake_recipes::retry::PAUSE).await,
            // The grant is gone.
            Err(_) => return,
        }
        if env.client().is_closed() {
            return;
        }
    }
}
