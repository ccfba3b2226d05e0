//! Steps that the programs of the reports share. They are right; what is wrong stands in the reports.

use overtake_recipes::names::{contenders, join};
use overtake_recipes::zookeeper::{CreateMode, EventKind, SessionState, Watch, WatchedEvent};
use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

/// Creates an ephemeral sequential node and answers its path.
pub async fn enqueue(ctx: &Context, path: &str) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    zk.create(path, b"", CreateMode::EphemeralSequential).await
}

/// The paths of the numbered children, lowest number first.
pub async fn line(ctx: &Context, parent: &str) -> Result<Vec<String>, ZkError> {
    Ok(in_line(parent, ctx.zookeeper().children(parent).await?))
}

/// The paths of the numbered names, lowest number first.
pub fn in_line(parent: &str, names: Vec<String>) -> Vec<String> {
    let names = contenders(names);
    names.iter().map(|name| join(parent, name)).collect()
}

/// Where a path stands in the line.
pub fn place(line: &[String], path: &str) -> Option<usize> {
    line.iter().position(|other| other == path)
}

/// The node event of a watch; `None` when the session is over first. Broken connections do not matter to it.
pub async fn node_event(watch: &mut impl Watch) -> Option<EventKind> {
    loop {
        match watch.next().await {
            WatchedEvent::Node { kind, .. } => return Some(kind),
            WatchedEvent::Session(SessionState::Expired) => return None,
            WatchedEvent::Session(_) => {}
        }
    }
}

/// Waits until the node is gone, or until its data or the session has changed.
pub async fn wait_for(ctx: &Context, path: &str) -> Result<(), ZkError> {
    match ctx.zookeeper().watch_data(path).await {
        Ok((_, _, mut watch)) => {
            node_event(&mut watch).await;
            Ok(())
        }
        Err(ZkError::NoNode) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Waits until the own node is the first in line. `false`: it is gone.
pub async fn turn(ctx: &Context, parent: &str, own: &str) -> Result<bool, ZkError> {
    loop {
        let line = line(ctx, parent).await?;
        match place(&line, own) {
            Some(0) => return Ok(true),
            Some(at) => wait_for(ctx, &line[at - 1]).await?,
            None => return Ok(false),
        }
    }
}

/// Holds by the node, works, and takes the node away.
pub async fn hold(ctx: &Context, own: &str) -> Result<(), ZkError> {
    ctx.mark_with("holds", own);
    ctx.work("work").await;
    ctx.unmark("holds");
    ctx.zookeeper().delete(own, None).await
}

/// Whether the error says that the connection or the session was lost.
pub fn is_lost(error: ZkError) -> bool {
    matches!(error, ZkError::ConnectionLoss | ZkError::SessionExpired)
}

/// A client whose connection or session is lost gives up; it has told its caller.
pub fn give_up_if_lost(result: Result<(), ZkError>) -> Result<(), ZkError> {
    match result {
        Err(error) if is_lost(error) => Ok(()),
        other => other,
    }
}

/// Waits until the connection is back, in a new session when the old one is over.
pub async fn reconnect(ctx: &Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        match zk.sync("/").await {
            Err(ZkError::ConnectionLoss) => {}
            Err(ZkError::SessionExpired) => return zk.connect().await,
            answer => return answer,
        }
    }
}

/// Makes the request again until the connection holds. For requests that may be applied twice.
pub async fn insist<T, F: Future<Output = Result<T, ZkError>>>(mut request: impl FnMut() -> F) -> Result<T, ZkError> {
    loop {
        match request().await {
            Err(ZkError::ConnectionLoss) => {}
            answer => return answer,
        }
    }
}

/// Deletes the node for certain: until the connection holds, and whether or not the last try had done it.
pub async fn delete_surely(ctx: &Context, path: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    match insist(|| zk.delete(path, None)).await {
        Err(ZkError::NoNode) => Ok(()),
        answer => answer,
    }
}

/// The start of a path that nobody else uses.
pub fn own_prefix(ctx: &Context, parent: &str) -> String {
    join(parent, &format!("{}-", ctx.unique_id()))
}

/// The numbered node whose path starts with the prefix.
pub async fn find(ctx: &Context, parent: &str, prefix: &str) -> Result<Option<String>, ZkError> {
    let line = insist(|| line(ctx, parent)).await?;
    Ok(line.into_iter().find(|path| path.starts_with(prefix)))
}

/// Creates an ephemeral sequential node; when the reply is lost, looks for it before it creates another.
pub async fn enqueue_once(ctx: &Context, parent: &str, prefix: &str) -> Result<String, ZkError> {
    loop {
        match enqueue(ctx, prefix).await {
            Err(ZkError::ConnectionLoss) => {}
            answer => return answer,
        }
        if let Some(path) = find(ctx, parent, prefix).await? {
            return Ok(path);
        }
    }
}
