//! What may go wrong between a client and its service, each as one step.

use overtake_recipes::SessionState;

use super::hub::{Hub, Link, Watching, part};
use super::request::{Faults, Frame, Rewatch, Table};
use crate::sync::{Part, Threads};

impl<S: Threads, V: Faults> Hub<S, V> {
    /// The connection of a client breaks.
    pub fn disconnect(&self, client: usize) {
        let mut told = Vec::new();
        let parts = [Part::read(part::TREE), Part::written(part::link(client))];
        let mut shared = self.lock(&parts, || format!("the connection of client {} breaks", client + 1));
        if shared.members[client].link == Link::Up {
            shared.members[client].link = Link::Down;
            shared.members[client].fired_while_down = 0;
            shared.service.disconnect(client);
            shared.send(client, Frame::Session(SessionState::Disconnected), &mut told);
        }
        self.wrote_to(&told);
        drop(shared);
        self.ring(&told);
    }

    /// A client reaches the service again: in its session, or to be told that it is over.
    pub fn reconnect(&self, client: usize) {
        let mut told = Vec::new();
        let parts = [part::link(client), part::inbox(client)].map(Part::written);
        let parts = [parts[0], parts[1], Part::read(part::TREE)];
        let mut shared = self.lock(&parts, || format!("client {} reaches the server again", client + 1));
        let mut over = false;
        if shared.members[client].link == Link::Down {
            let one_shot = |it: &&mut Watching| it.table != Table::Session;
            let watches: Vec<Rewatch> =
                shared.members[client].watches.iter().filter(one_shot).map(|it| (it.table, it.path.clone())).collect();
            let mut events = Vec::new();
            over = !shared.service.reconnect(client, &watches, &mut events);
            let state = if over { SessionState::Expired } else { SessionState::Connected };
            shared.members[client].link = if over { Link::Off } else { Link::Up };
            shared.put(events, &mut told);
            shared.send(client, Frame::Session(state), &mut told);
        }
        self.wrote_to(&told);
        if over {
            self.publish(client, 0);
        }
        drop(shared);
        self.ring(&told);
        S::notify_all(&self.clocks[client]);
    }

    /// The session of a client ends at the service. The client learns of it when it [reconnects](Self::reconnect).
    pub fn expire(&self, client: usize) {
        let mut told = Vec::new();
        let parts = [part::TREE, part::link(client)].map(Part::written);
        let mut shared = self.lock(&parts, || format!("the session of client {} expires", client + 1));
        let mut events = Vec::new();
        shared.service.expire(client, &mut events);
        shared.put(events, &mut told);
        if shared.members[client].link == Link::Up {
            shared.members[client].link = Link::Down;
            shared.members[client].fired_while_down = 0;
            shared.send(client, Frame::Session(SessionState::Disconnected), &mut told);
        }
        self.wrote_to(&told);
        drop(shared);
        self.ring(&told);
    }

    /// The client takes its session for lost by its own clock. At the service it lives on, with its nodes, until
    /// [`expire_former`](Self::expire_former).
    pub fn give_up_session(&self, client: usize) {
        let mut told = Vec::new();
        let what = || format!("client {} gives its session up by its own clock", client + 1);
        let mut shared = self.lock(&[Part::read(part::TREE), Part::written(part::link(client))], what);
        shared.service.give_up_session(client);
        shared.members[client].link = Link::Off;
        shared.send(client, Frame::Session(SessionState::Expired), &mut told);
        self.wrote_to(&told);
        self.publish(client, 0);
        drop(shared);
        self.ring(&told);
        // Its timers run again: no connection is broken any more.
        S::notify_all(&self.clocks[client]);
    }

    /// The session that the client gave up last ends at the service.
    pub fn expire_former(&self, client: usize) {
        let mut told = Vec::new();
        let what = || format!("the former session of client {} expires", client + 1);
        let mut shared = self.lock(&[Part::written(part::TREE)], what);
        let mut events = Vec::new();
        shared.service.expire_former(client, &mut events);
        shared.put(events, &mut told);
        self.wrote_to(&told);
        drop(shared);
        self.ring(&told);
    }

    /// The next request of the client is served, but its reply is lost with the connection.
    pub fn lose_next_reply(&self, client: usize) {
        let what = || format!("the next reply to client {} will be lost", client + 1);
        self.lock(&[Part::written(part::link(client))], what).members[client].lose_next_reply = true;
    }

    /// Somebody deletes a node.
    pub fn delete(&self, path: &str) {
        let mut told = Vec::new();
        let mut shared = self.lock(&[Part::written(part::TREE)], || format!("somebody deletes {path}"));
        let mut events = Vec::new();
        shared.service.delete(path, &mut events);
        shared.put(events, &mut told);
        self.wrote_to(&told);
        drop(shared);
        self.ring(&told);
    }
}
