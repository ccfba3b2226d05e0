//! What the programs have in common: clients on a stage, plain calls, monitors.

use std::sync::Arc;
use std::time::Duration;

use overtake_recipes::lock::{CuratorMutex, Queue, Unowned};
use overtake_recipes::{Acquired, CreateMode, Environment, Lock, LockError, Watch, ZkError, ZooKeeper};

use crate::check::Stage;
use crate::client::{Client, Hub, Options};
use crate::simulated::Simulated;
use crate::sync::{Shuttle, Threads};

/// The clients of a stage.
pub type TestClient = Client<Shuttle, Simulated>;
/// Their hub.
pub type TestHub = Arc<Hub<Shuttle, Simulated>>;
/// A mutex on a stage.
pub type Mutex<T> = <Shuttle as Threads>::Mutex<T>;

/// The node that all is about.
pub const LOCK: &str = "/lock";

/// A hub with the node, and clients that are connected and have heard of it.
pub fn clients(stage: &Stage, number: usize) -> (TestHub, Vec<TestClient>) {
    clients_with(stage, number, Options::default())
}

/// As [`clients`], with other options.
pub fn clients_with(stage: &Stage, number: usize, options: Options) -> (TestHub, Vec<TestClient>) {
    clients_at(stage, number, &[LOCK], options)
}

/// As [`clients_with`], with these nodes instead.
pub fn clients_at(stage: &Stage, number: usize, nodes: &[&str], options: Options) -> (TestHub, Vec<TestClient>) {
    let hub = Hub::new(Simulated::new(number, nodes), number);
    let clients: Vec<TestClient> = (0..number).map(|place| Client::start(&hub, place, options)).collect();
    for client in &clients {
        ends(stage, client);
    }
    // The stories begin when everybody knows that the connection is there.
    stage.settle();
    (hub, clients)
}

/// The client ends with the execution.
pub fn ends(stage: &Stage, client: &TestClient) {
    let client = client.clone();
    stage.in_the_end(move || client.stop());
}

/// Creates a node with data.
pub fn create(client: &TestClient, path: &str, data: &str, mode: CreateMode) -> Result<String, ZkError> {
    client.run(|env| async move { env.zookeeper().create(path, data.as_bytes(), mode).await })
}

/// Deletes a node, of this version if one is given.
pub fn delete(client: &TestClient, path: &str, version: Option<i32>) -> Result<(), ZkError> {
    client.run(|env| async move { env.zookeeper().delete(path, version).await })
}

/// Sets data at a version, and answers the new one.
pub fn set(client: &TestClient, path: &str, data: &str, version: Option<i32>) -> Result<i32, ZkError> {
    let set = client.run(|env| async move { env.zookeeper().set_data(path, data.as_bytes(), version).await });
    set.map(|stat| stat.version)
}

/// The data of a node.
pub fn get(client: &TestClient, path: &str) -> Result<String, ZkError> {
    let got = client.run(|env| async move { env.zookeeper().get_data(path).await });
    got.map(|(data, _)| String::from_utf8_lossy(&data).into_owned())
}

/// The children of the node, lowest number first.
pub fn children(client: &TestClient, path: &str) -> Result<Vec<String>, ZkError> {
    let listed = client.run(|env| async move { env.zookeeper().children(path).await });
    listed.map(overtake_recipes::names::contenders)
}

/// Waits for the next event of the watch.
pub fn next<W: Watch>(client: &TestClient, mut watch: W) {
    client.run(|_| async move { watch.next().await });
}

/// The nodes under [`LOCK`], by the server's tree.
pub fn nodes(hub: &TestHub) -> Vec<String> {
    hub.with("looks at the nodes", |zk| zk.children(LOCK))
}

/// No node is left when everybody is done.
pub fn no_orphan(stage: &Stage, hub: &TestHub) {
    let left = nodes(hub);
    let because = || format!("everybody is done, and {} is still there", crate::client::short(&left.join(", ")));
    stage.holds(left.is_empty(), "no orphan node", because);
}

/// A monitor: what it guards, and where threads sleep on it.
pub struct Monitor<T: Send + 'static> {
    guarded: Mutex<T>,
    bell: <Shuttle as Threads>::Condvar,
}

/// A locked monitor.
pub type Locked<'a, T> = <Shuttle as Threads>::Guard<'a, T>;

impl<T: Send + 'static> Monitor<T> {
    /// A monitor called so.
    pub fn new(name: &'static str, value: T) -> Arc<Self> {
        Arc::new(Self { guarded: Shuttle::mutex(name, value), bell: Shuttle::condvar(name) })
    }

    /// Enters it.
    pub fn lock(&self) -> Locked<'_, T> {
        Shuttle::lock(&self.guarded)
    }

    /// Sleeps on it.
    pub fn wait<'a>(&'a self, locked: Locked<'a, T>) -> Locked<'a, T> {
        Shuttle::wait(&self.bell, locked)
    }

    /// Sleeps on it for a time. `true`: the time is up.
    pub fn wait_for_a_time<'a>(&'a self, locked: Locked<'a, T>) -> (Locked<'a, T>, bool) {
        Shuttle::wait_timeout(&self.bell, locked, std::time::Duration::from_secs(1))
    }

    /// Wakes all who sleep on it.
    pub fn notify(&self) {
        Shuttle::notify_all(&self.bell);
    }

    /// Changes what it guards, and wakes all who sleep on it.
    pub fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.lock());
        self.notify();
    }
}

/// Curator's mutex without retries: fewer steps, the same rules.
pub struct Impatient<E: Environment>(CuratorMutex<E>);

impl<E: Environment> Lock<E> for Impatient<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(CuratorMutex::without_retries(env, parent))
    }

    fn queue(&self) -> &Queue<E> {
        self.0.queue()
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        self.0.acquire().await
    }

    async fn try_acquire(&self) -> Result<Option<Acquired>, LockError> {
        self.0.try_acquire().await
    }

    async fn acquire_timeout(&self, wait: Duration) -> Result<Option<Acquired>, LockError> {
        self.0.acquire_timeout(wait).await
    }
}

impl<E: Environment> Unowned<E> for Impatient<E> {
    const REENTRY_NEEDS_THE_SESSION: bool = false;

    async fn give_back(&self, lock: Acquired) -> Result<(), LockError> {
        self.0.give_back(lock).await
    }
}
