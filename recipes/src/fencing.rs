//! Writing under a lock: what keeps out a holder that has been overtaken, and what only looks as if it did.
//!
//! A holder that is paused for longer than its session lives is a holder no more, and nothing inside its process says so when
//! it wakes (§3.7). So the write itself has to be judged, by the resource ([`FencedResource`]) or, where the data is in
//! ZooKeeper, by the transaction that writes it ([`guarded_create`]).

use crate::lock::{Acquired, LockError, fencing_token};
use crate::names::suffix;
use crate::retry::{PAUSE, is_loss, retry};
use crate::{CreateMode, Environment, FencedResource, Op, Stale, Token, ZkError, ZooKeeper};

/// What became of a write.
pub type Written = Result<(), Stale>;

/// Writes with the czxid of the lock node: it grows from grant to grant, whatever becomes of the lock's parent.
pub async fn write_with_czxid<E: Environment>(
    env: &E,
    resource: &impl FencedResource,
    held: &Acquired,
) -> Result<Written, LockError> {
    let token = Token::Czxid(fencing_token(env, held).await?);
    Ok(resource.write(&held.path, token).await)
}

/// Raises a counter in ZooKeeper and writes with its new value. Nobody but a holder whose session lives can raise it.
pub async fn write_with_counter<E: Environment>(
    env: &E,
    resource: &impl FencedResource,
    held: &Acquired,
    counter: &str,
) -> Result<Written, LockError> {
    let zk = env.zookeeper();
    // Raised twice when a reply is lost: a token may be left out, but none is given twice.
    let raised = retry(env, "fencing: raise the counter", &[&held.path], || zk.set_data(counter, b"", None)).await?;
    Ok(resource.write(&held.path, Token::Counter(raised.version.into())).await)
}

/// Creates a node under the condition that the lock node is still there, in one transaction: `false` when it is not.
/// For data in ZooKeeper itself (§1.7). Works in any session, so that a new one can tell that the old one's lock is gone.
pub async fn guarded_create<E: Environment>(
    env: &E,
    held: &Acquired,
    path: &str,
    data: &[u8],
    mode: CreateMode,
) -> Result<bool, ZkError> {
    let check = Op::Check { path: held.path.clone(), version: None };
    let create = Op::Create { path: path.into(), data: data.to_vec(), mode };
    match env.zookeeper().multi(vec![check, create]).await {
        Ok(_) => Ok(true),
        Err(ZkError::NoNode) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Ways of writing that do not keep an overtaken holder out. Each is a twin of one above, for the checker to catch.
pub mod faulty {
    use super::*;

    /// Shows nothing to the resource.
    ///
    /// *Wrong:* believes that holding the lock is enough. *Seen:* everywhere. *Cure:* [`write_with_czxid`].
    pub async fn write_without_token(resource: &impl FencedResource, held: &Acquired) -> Written {
        resource.write(&held.path, Token::None).await
    }

    /// Looks whether the lock node is still there, and then writes.
    ///
    /// *Wrong:* the pause may come between the look and the write. *Seen:* as advice in forums ("check that you are still
    /// connected before you write"). *Cure:* [`write_with_czxid`].
    pub async fn write_after_a_look<E: Environment>(
        env: &E,
        resource: &impl FencedResource,
        held: &Acquired,
    ) -> Result<Written, LockError> {
        fencing_token(env, held).await?;
        Ok(resource.write(&held.path, Token::None).await)
    }

    /// Shows the number behind the lock node's name.
    ///
    /// *Wrong:* the numbers start again when the lock's parent is created again (§1.3), so that a later holder may have the
    /// lower one. *Seen:* CURATOR-537. *Cure:* [`write_with_czxid`].
    pub async fn write_with_suffix(resource: &impl FencedResource, held: &Acquired) -> Written {
        let number =
            suffix(&held.path).and_then(|number| i32::try_from(number).ok()).expect("a lock node ends in its number");
        resource.write(&held.path, Token::Suffix(number)).await
    }

    /// Looks whether the lock node is still there, and then creates the node.
    ///
    /// *Wrong:* two calls where one transaction is needed. *Cure:* [`guarded_create`].
    pub async fn create_after_a_look<E: Environment>(
        env: &E,
        held: &Acquired,
        path: &str,
        data: &[u8],
        mode: CreateMode,
    ) -> Result<bool, ZkError> {
        let zk = env.zookeeper();
        if zk.exists(&held.path).await?.is_none() {
            return Ok(false);
        }
        // The caller's write is wanted even if the connection, or the session, ends in between.
        loop {
            env.checkpoint("fencing: create after a look", &[&held.path]);
            match zk.create(path, data, mode).await {
                Err(error) if is_loss(error) => env.sleep(PAUSE).await,
                Err(ZkError::SessionExpired) => zk.connect().await?,
                created => return created.map(|_| true),
            }
        }
    }
}
