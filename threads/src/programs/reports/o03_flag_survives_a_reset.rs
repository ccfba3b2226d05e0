//! O03, CURATOR-653: a latch that was reset goes on leading.
//!
//! *Mechanism:* after an outage the state listener resets: "I do not lead", delete the own node, create a new one. Between
//! the first two a list that was asked for earlier comes in on the event thread and finds the old node first: "I lead".
//! The list after the reset does not find the new node first, and that branch does not touch the flag. Meanwhile the other
//! candidate leads. *Source:* <https://github.com/apache/curator/issues/1169>. *Violated:* at most one leader. *Repair:*
//! every evaluation writes the flag.

use std::collections::VecDeque;
use std::sync::Arc;

use overtake_recipes::CreateMode;
use overtake_recipes::names::leaf;

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

struct Latch {
    client: TestClient,
    node: Mutex<String>,
    leads: Mutex<bool>,
    /// Lists on their way to the event thread; `None` is the last one.
    lists: Arc<Monitor<VecDeque<Option<Vec<String>>>>>,
}

impl Latch {
    fn create(&self) {
        let node = create(&self.client, "/lock/latch-", "", CreateMode::EphemeralSequential).expect("a node");
        *Shuttle::lock(&self.node) = leaf(&node).to_owned();
    }

    fn ask_for_a_list(&self) {
        let list = children(&self.client, LOCK).expect("a list");
        self.lists.change(|lists| lists.push_back(Some(list)));
    }

    /// On the event thread.
    fn evaluate(&self, list: &[String], repaired: bool) {
        let first = list.first() == Some(&*Shuttle::lock(&self.node));
        if first || repaired {
            *Shuttle::lock(&self.leads) = first;
        }
    }

    fn event_thread(&self, repaired: bool) {
        loop {
            let mut lists = self.lists.lock();
            while lists.is_empty() {
                lists = self.lists.wait(lists);
            }
            let list = lists.pop_front().flatten();
            drop(lists);
            match list {
                Some(list) => self.evaluate(&list, repaired),
                None => return,
            }
        }
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O03 flag survives a reset",
        source: "https://github.com/apache/curator/issues/1169",
        about: "A state listener resets a latch while an older list is on its way to the latch's event thread.",
        violates: "at most one leader",
        class: "mutual exclusion broken",
    }
    .pair(|stage, repaired| {
        let (_, clients) = clients(stage, 2);
        let latch = Arc::new(Latch {
            client: clients[0].clone(),
            node: Shuttle::mutex("node", String::new()),
            leads: Shuttle::mutex("flag", false),
            lists: Monitor::new("lists", VecDeque::new()),
        });
        latch.create();
        let other = create(&clients[1], "/lock/latch-", "", CreateMode::EphemeralSequential).expect("a node");
        latch.ask_for_a_list();
        let events = latch.clone();
        drop(Shuttle::spawn(Role::Daemon, "event thread of the latch".into(), move || events.event_thread(repaired)));
        let (closing, resets) = (latch.clone(), latch.clone());
        stage.in_the_end(move || closing.lists.change(|lists| lists.push_back(None)));
        stage.thread("state listener", move || {
            *Shuttle::lock(&resets.leads) = false;
            let old = Shuttle::lock(&resets.node).clone();
            delete(&resets.client, &format!("/lock/{old}"), None).expect("the old node");
            resets.create();
            resets.ask_for_a_list();
        });
        stage.rest_or(|_| "the reset does not end".into());
        let first = children(&clients[1], LOCK).expect("a list").remove(0);
        let other_leads = first == leaf(&other);
        let both = other_leads && *Shuttle::lock(&latch.leads);
        stage.holds(!both, "at most one leader", || "both candidates lead".into());
    })
}
