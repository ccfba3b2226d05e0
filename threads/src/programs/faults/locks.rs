//! Mutex, semaphore mutex, write lock and lease: one thread takes it and gives it back under a fault, and when all is over
//! another client takes it.

use overtake_recipes::CreateMode;

use super::{connection_breaks, session_expires};
use crate::check::{NO_HANG, Program, program};
use crate::client::{Env, Options};
use crate::error::Error;
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::programs::common::*;
use crate::read_write::InterProcessReadWriteLock;
use crate::semaphore::{InterProcessSemaphoreMutex, InterProcessSemaphoreV2};
use crate::simulated::Simulated;
use crate::sync::Shuttle;

/// What is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mutex,
    SemaphoreMutex,
    Write,
    Lease,
}

const KINDS: [Kind; 4] = [Kind::Mutex, Kind::SemaphoreMutex, Kind::Write, Kind::Lease];

/// Something that is held: its node, and how to give it back.
type Held = (Option<String>, Box<dyn FnOnce() -> Result<(), Error>>);

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Mutex => "mutex",
            Kind::SemaphoreMutex => "semaphore mutex",
            Kind::Write => "write lock",
            Kind::Lease => "lease",
        }
    }

    /// Where its nodes are.
    fn folder(self) -> &'static str {
        match self {
            Kind::Mutex | Kind::Write => LOCK,
            Kind::SemaphoreMutex | Kind::Lease => "/lock/leases",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Kind::Mutex => "lock-",
            Kind::Write => "write-",
            Kind::SemaphoreMutex | Kind::Lease => "lease-",
        }
    }

    /// The nodes that must be there.
    fn nodes(self) -> &'static [&'static str] {
        match self {
            Kind::Mutex | Kind::Write => &[LOCK],
            Kind::SemaphoreMutex | Kind::Lease => &[LOCK, "/lock/locks", "/lock/leases"],
        }
    }

    fn take(self, client: &TestClient) -> Result<Held, Error> {
        Ok(match self {
            Kind::Mutex => {
                let mutex = InterProcessMutex::<_, _, Impatient<Env<Shuttle, Simulated>>>::over(client, LOCK);
                mutex.acquire()?;
                (mutex.node(), Box::new(move || mutex.release()))
            }
            Kind::SemaphoreMutex => {
                let mutex = InterProcessSemaphoreMutex::new(client, LOCK);
                mutex.acquire()?;
                (mutex.node(), Box::new(move || mutex.release()))
            }
            Kind::Write => {
                let lock = InterProcessReadWriteLock::new(client, LOCK).write_lock();
                lock.acquire()?;
                (lock.node(), Box::new(move || lock.release()))
            }
            Kind::Lease => {
                let lease = InterProcessSemaphoreV2::new(client, LOCK, 1).acquire()?;
                (lease.node(), Box::new(move || lease.close()))
            }
        })
    }
}

pub(super) fn all() -> Vec<Program> {
    KINDS
        .into_iter()
        .flat_map(|kind| [breaks(kind, true), breaks(kind, false), expires(kind, true), expires(kind, false)])
        .collect()
}

/// A release on a broken connection is carried out later. The twin deletes once and lets it be.
fn breaks(kind: Kind, spoilt: bool) -> Program {
    let right = format!("{} on a connection that breaks", kind.name());
    let name = if spoilt { format!("{right}, deleted once") } else { right.clone() };
    let built = program(&name, move |stage| {
        let (hub, clients) = clients_at(stage, 2, kind.nodes(), Options::default());
        connection_breaks(stage, &hub, kind.folder());
        let (client, own) = (clients[0].clone(), *stage);
        stage.thread("worker", move || {
            let Ok((node, release)) = kind.take(&client) else { return own.reached("refused") };
            own.reached("granted");
            if spoilt {
                let _ = delete(&client, &node.expect("it is held"), None);
            } else if release().is_err() {
                own.reached("the release met the broken connection");
            }
        });
        stage.rest_or(|_| hub.who_waits());
        afterwards(stage, &clients[1], kind);
        stage.rest_or(|_| hub.who_waits());
    });
    let built = built
        .about("A thread takes it and gives it back while the connection breaks and comes back, in the same session. Then another client takes it.")
        .source("https://github.com/apache/curator/issues/1193");
    match spoilt {
        true => built.breaks(NO_HANG).fixed_by(&right),
        false => built.sometimes(&["granted", "the connection broke while a node was there", "the other had it"]),
    }
}

/// The end of a session takes its node along, whatever the thread was at. The twin's node belongs to no session.
fn expires(kind: Kind, spoilt: bool) -> Program {
    let right = format!("{} in a session that expires", kind.name());
    let name = if spoilt { format!("{right}, not ephemeral") } else { right.clone() };
    let built = program(&name, move |stage| {
        let (hub, clients) = clients_at(stage, 2, kind.nodes(), Options::default());
        session_expires(stage, &hub, kind.folder());
        let (client, own) = (clients[0].clone(), *stage);
        stage.thread("worker", move || {
            if spoilt {
                let path = format!("{}/{}", kind.folder(), kind.label());
                if let Ok(node) = create(&client, &path, "", CreateMode::PersistentSequential) {
                    let _ = delete(&client, &node, None);
                }
                return;
            }
            match kind.take(&client) {
                Ok((_, release)) => {
                    own.reached("granted");
                    // The node is gone, or it will be.
                    let _ = release();
                }
                Err(_) => own.reached("the session ended before it was granted"),
            }
        });
        stage.rest_or(|_| hub.who_waits());
        afterwards(stage, &clients[1], kind);
        stage.rest_or(|_| hub.who_waits());
    });
    let built = built
        .about("A thread takes it and gives it back while its session expires. Then another client takes it.")
        .source("semantics §3.5, https://zookeeper.apache.org/doc/current/recipes.html");
    let sometimes = [
        "granted",
        "the session ended before it was granted",
        "the session ended while a node was there",
        "the other had it",
    ];
    match spoilt {
        true => built.breaks(NO_HANG).fixed_by(&right),
        false => built.sometimes(&sometimes),
    }
}

/// Nobody else is there any more.
fn afterwards(stage: &crate::check::Stage, client: &TestClient, kind: Kind) {
    let (client, own) = (client.clone(), *stage);
    stage.thread("other", move || {
        let _held = kind.take(&client).expect("nothing goes wrong here");
        own.reached("the other had it");
    });
}
