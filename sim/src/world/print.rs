//! Hashes of values that are the same in every run and on every machine: the numbers of a row are not, since they count
//! what a process has met so far.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::{CRASHED, World};

impl World {
    /// A hash of what the service is that stands behind the number (the second word of a row).
    pub fn service_print(&self, zid: u32) -> u64 {
        FxBuildHasher.hash_one(self.services.get(zid))
    }

    /// A hash of what the client is that stands behind the number (a word of a row from the third on). Which place it
    /// has is not in it.
    pub fn client_print(&self, cid: u32) -> u64 {
        let mut client = self.clients.get(cid).clone();
        let node = if client.node == CRASHED { 0 } else { self.automaton.print(client.node) };
        client.node = 0;
        FxBuildHasher.hash_one((node, client))
    }
}
