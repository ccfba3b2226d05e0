//! O40, CURATOR-678: a release that loses its connection forgets the node.
//!
//! *Mechanism:* the delete is lost with the connection, the owner's entry is removed in any case, and nobody deletes the
//! node when the connection is back: it blocks everybody for as long as the session lives. *Source:*
//! <https://github.com/apache/curator/issues/1193>. *Violated:* no orphan node. *Repair:* the entry goes when the delete is
//! confirmed, and the delete is tried again when the connection is back.

use overtake_recipes::client::ConnectionState;
use overtake_recipes::lock::CuratorMutex;
use overtake_recipes::{Lock, ZkError};

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O40 release forgets",
        source: "https://github.com/apache/curator/issues/1193",
        about: "The connection breaks while a lock is released, and comes back in the same session.",
        violates: "no orphan node",
        class: "orphan node/stuck lock",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        let broken = Monitor::new("sign that the connection is broken", false);
        let connected = Monitor::new("count of reconnections", 0);
        let listens = connected.clone();
        client.listen(move |state| {
            if state == ConnectionState::Reconnected {
                listens.change(|times| *times += 1);
            }
        });
        stage.settle();
        let (now, breaks) = (broken.clone(), hub.clone());
        stage.thread("holder", move || {
            let granted = client.run(|env| async move { CuratorMutex::new(env, LOCK).acquire().await });
            let node = granted.expect("nobody else is there").path;
            // The release is one request: here is where a break of the connection makes a difference.
            let breaks_now = ["the connection stays", "the connection breaks before the release"];
            if Shuttle::choose_of(2, |which| breaks_now[which].into()) == 1 {
                breaks.disconnect(0);
                now.change(|broken| *broken = true);
            }
            let mut times = 0;
            while delete(&client, &node, None) == Err(ZkError::ConnectionLoss) && repaired {
                let mut seen = connected.lock();
                while *seen == times {
                    seen = connected.wait(seen);
                }
                times = *seen;
            }
        });
        let faulty = hub.clone();
        drop(Shuttle::spawn(Role::Daemon, "connection".into(), move || {
            let mut is_broken = broken.lock();
            while !*is_broken {
                is_broken = broken.wait(is_broken);
            }
            drop(is_broken);
            faulty.reconnect(0);
        }));
        stage.rest();
        no_orphan(stage, &hub);
    })
}
