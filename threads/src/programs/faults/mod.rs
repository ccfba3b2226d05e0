//! The recipes under faults that strike at any moment, or not at all: the connection breaks and comes back, the session
//! expires. Each program has a twin that is spoilt in one thing, so that it is seen that the fault would do harm.
//!
//! They are not in the manifest: the twins are found by the systematic search, the programs themselves are sampled.
mod latch;
mod locks;
mod reentry;

use super::common::*;
use crate::check::{Program, Stage};

/// All of them, each with its twin.
pub fn all() -> Vec<Program> {
    let mut all = reentry::all();
    all.extend(locks::all());
    all.extend(latch::all());
    all
}

/// The connection of the first client breaks at some moment, or not at all, and comes back a moment later.
fn connection_breaks(stage: &Stage, hub: &TestHub, folder: &'static str) {
    let (hub, own) = (hub.clone(), *stage);
    stage.fault("the connection breaks", move || {
        hub.disconnect(0);
        if hub.with("looks at the nodes", |zk| !zk.children(folder).is_empty()) {
            own.reached("the connection broke while a node was there");
        }
        hub.reconnect(0);
    });
}

/// The session of the first client expires at some moment, or not at all; a moment later the client is told.
fn session_expires(stage: &Stage, hub: &TestHub, folder: &'static str) {
    let (hub, own) = (hub.clone(), *stage);
    stage.fault("the session expires", move || {
        if hub.with("looks at the nodes", |zk| !zk.children(folder).is_empty()) {
            own.reached("the session ended while a node was there");
        }
        hub.expire(0);
        hub.reconnect(0);
    });
}
