//! Re-entry after the end of the session (§5.7, 1): a thread that holds acquires again, when another thread of its process has
//! opened the next session.

use std::sync::Arc;
use std::time::Duration;

use overtake_recipes::Lock;
use overtake_recipes::lock::CheckedCuratorMutex;

use crate::check::{Program, program};
use crate::client::Env;
use crate::error::Error;
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::owners::{Owners, Released};
use crate::programs::common::*;
use crate::simulated::Simulated;
use crate::sync::Shuttle;

type Checked = CheckedCuratorMutex<Env<Shuttle, Simulated>>;

const HAS_A_NODE: &str = "who re-enters has a node";
const RIGHT: &str = "re-entry over the end of a session, checked";

pub(super) fn all() -> Vec<Program> {
    let shipped = |client: &TestClient| Arc::new(InterProcessMutex::new(client, LOCK)) as Arc<dyn InterProcessLock<_>>;
    let checked = |client: &TestClient| {
        Arc::new(InterProcessMutex::<_, _, Checked>::over(client, LOCK)) as Arc<dyn InterProcessLock<_>>
    };
    let late = |client: &TestClient| {
        Arc::new(SessionReadLate { client: client.clone(), owners: Owners::new() }) as Arc<dyn InterProcessLock<_>>
    };
    vec![
        again("re-entry over the end of a session, as shipped", shipped).breaks(HAS_A_NODE).fixed_by(RIGHT),
        again("re-entry over the end of a session, checked late", late).breaks(HAS_A_NODE).fixed_by(RIGHT),
        again(RIGHT, checked).sometimes(&["held in the first session", "held in the next session"]),
    ]
}

fn again(
    name: &str,
    make: impl Fn(&TestClient) -> Arc<dyn InterProcessLock<Shuttle>> + Send + Sync + 'static,
) -> Program {
    program(name, move |stage| {
        let (hub, clients) = clients(stage, 1);
        let (client, faulty) = (clients[0].clone(), hub.clone());
        let before = clients[0].session();
        let over = Monitor::new("next session", false);
        let tells = over.clone();
        stage.thread("session", move || {
            faulty.expire(0);
            faulty.reconnect(0);
            client.connect().expect("the connection is there");
            tells.change(|over| *over = true);
        });
        let (mutex, client, own) = (make(&clients[0]), clients[0].clone(), *stage);
        stage.thread("worker", move || {
            if mutex.acquire().is_err() {
                return;
            }
            if client.session() == before {
                own.reached("held in the first session");
            }
            let mut is_over = over.lock();
            while !*is_over {
                is_over = over.wait(is_over);
            }
            drop(is_over);
            // From here on nothing goes wrong any more: whoever holds has a node.
            if mutex.acquire().is_err() {
                return;
            }
            own.holds(!nodes(&hub).is_empty(), HAS_A_NODE, || "it holds again, and no node is there".into());
            own.reached("held in the next session");
        });
        stage.rest();
    })
    .source("Z150, semantics §5.7")
    .about(
        "A thread acquires a lock while its session ends and another thread of the process opens the next one. When that is \
         over, it acquires once more.",
    )
}

/// The checked mutex with one slip: in which session the grant was made is read when the grant is there already.
struct SessionReadLate {
    client: TestClient,
    owners: Owners<Shuttle, i64>,
}

impl InterProcessLock<Shuttle> for SessionReadLate {
    fn acquire(&self) -> Result<(), Error> {
        if self.owners.own().is_some_and(|hold| hold.granted == self.client.session()) && self.owners.again() {
            return Ok(());
        }
        self.owners.forget();
        let granted = self.client.run(|env| async move { Checked::new(env, LOCK).acquire().await });
        granted.map_err(|error| Error::of(error, LOCK))?;
        self.owners.hold(self.client.session());
        Ok(())
    }

    fn acquire_timeout(&self, _: Duration) -> Result<bool, Error> {
        self.acquire().map(|()| true)
    }

    fn release(&self) -> Result<(), Error> {
        match self.owners.release() {
            Released::NotOwner => Err(Error::NotOwner { base: LOCK.into() }),
            Released::Still(_) => Ok(()),
            Released::Last(_) => {
                self.owners.forget();
                Ok(())
            }
        }
    }

    fn is_acquired_in_this_process(&self) -> bool {
        self.owners.anybody()
    }
}
