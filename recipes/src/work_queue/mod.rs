//! The queue: items are put in at one end, and each is taken out once.
//!
//! The official recipe: to put, create a sequential node below the queue; to take, list the children and delete the lowest.
//! Whoever's delete answers NoNode has lost the race for that item and looks for the next.
//!
//! Three more words than the text has. Items are **persistent**: the text says ephemeral, and then they go with the session
//! of whoever put them. After a lost reply neither a create nor a delete can be repeated blindly, and looking for the item
//! does not help, because somebody else may have taken it: so each comes in one transaction with a **receipt**, an ephemeral
//! node under an id of its own, which answers NodeExists when the first try was applied. And taking comes in two kinds:
//!
//! - [`take`](WorkQueue::take) deletes, then hands out: an item is handled *at most once*, and lost if its consumer dies.
//! - [`process`](WorkQueue::process) claims the item by an ephemeral node, handles it, then deletes both: it is handled *at
//!   least once*, and again if its consumer dies in between.
pub mod faulty;
mod process;
mod receipt;

use receipt::once;

use crate::events::node_event;
use crate::lock::LockError;
use crate::names::{contenders, join};
use crate::retry::retry;
use crate::{CreateMode, Environment, Op, ZkError, ZooKeeper};

/// A queue, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait WorkQueue<E: Environment>: Sized {
    /// The queue under `path`, below which there must be `items`, `receipts` and `claims`. Sends nothing.
    fn new(env: E, path: &str) -> Self;

    /// The surroundings, and the path.
    fn parts(&self) -> (&E, &str);

    /// How items are created.
    fn item_mode() -> CreateMode {
        CreateMode::PersistentSequential
    }

    /// How claims are created.
    fn claim_mode() -> CreateMode {
        CreateMode::Ephemeral
    }

    /// The path of one of the nodes below the queue.
    fn below(&self, name: &str) -> String {
        join(self.parts().1, name)
    }

    /// Puts an item in, once.
    async fn put(&self, item: &str) -> Result<(), LockError> {
        let path = self.below("items/item-");
        let create = || Op::Create { path: path.clone(), data: item.into(), mode: Self::item_mode() };
        let receipt = self.below(&format!("receipts/{}", self.parts().0.unique_id()));
        Ok(once(self.parts().0, "queue: put", &[item], &receipt, create).await?)
    }

    /// Takes the first item out, waiting until there is one.
    async fn take(&self) -> Result<String, LockError> {
        let (env, items) = (self.parts().0, self.below("items"));
        let zk = env.zookeeper();
        let receipt = self.below(&format!("receipts/{}", env.unique_id()));
        loop {
            let (names, mut watch) = retry(env, "queue: list", &[&receipt], || zk.watch_children(&items)).await?;
            let Some(name) = contenders(names).into_iter().next() else {
                node_event(env, "queue: wait", &[&receipt], &mut watch).await?;
                continue;
            };
            let path = join(&items, &name);
            let item = match retry(env, "queue: read", &[&receipt, &name], || zk.get_data(&path)).await {
                Ok((item, _)) => String::from_utf8_lossy(&item).into_owned(),
                Err(ZkError::NoNode) => continue,
                Err(error) => return Err(error.into()),
            };
            if self.delete(&path, &item, &receipt).await? {
                return Ok(item);
            }
        }
    }

    /// Deletes an item. `false`: somebody else has it.
    async fn delete(&self, path: &str, item: &str, receipt: &str) -> Result<bool, LockError> {
        let delete = || Op::Delete { path: path.to_owned(), version: None };
        match once(self.parts().0, "queue: take", &[path, item], receipt, delete).await {
            Ok(()) => Ok(true),
            Err(ZkError::NoNode) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Claims the first item that nobody has claimed, waiting until there is one; handles it, and takes it out.
    /// When that fails, the claim is given back.
    async fn process(&self, handle: impl AsyncFn(&str) -> Result<(), LockError>) -> Result<(), LockError> {
        process::process(self, handle).await
    }
}

/// The recipe.
#[derive(Clone)]
pub struct ReceiptQueue<E: Environment> {
    env: E,
    path: String,
}

impl<E: Environment> WorkQueue<E> for ReceiptQueue<E> {
    fn new(env: E, path: &str) -> Self {
        Self { env, path: path.to_owned() }
    }

    fn parts(&self) -> (&E, &str) {
        (&self.env, &self.path)
    }
}
