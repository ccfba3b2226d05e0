//! Brings a state into the form that stands for it.

use super::super::Budget;
use super::super::reduce::{Masks, highest_is_dense, is_dense};
use super::{Engine, Words};

impl Engine<'_> {
    /// Silent deliveries done, names renumbered, clients sorted, as far as the reductions say.
    #[inline]
    pub(in crate::world) fn settle(&mut self, next: &mut Words, n: usize) {
        if self.reductions.deliver_first {
            let faults = if self.stores { self.world.services.get(next[1]).faults } else { 0 };
            let budget = Budget::unpack([next[0], faults]);
            let mut slot = 0;
            while slot < n - 2 {
                let cid = next[2 + slot];
                if self.may_go_first(cid, slot, next[1], budget) {
                    next[2 + slot] = self.delivered(cid).0;
                } else if self.stores && self.answer_may_go_first(cid, budget) {
                    next[2 + slot] = self.answered(cid, 0).0;
                } else {
                    slot += 1;
                }
            }
        }
        if self.reductions.renumber && !self.names_follow_service {
            let service = self.hot_service(next[1]).seq;
            let mut all = service;
            for &cid in &next[2..n] {
                all |= self.hot_client(cid).seq;
            }
            let seq = if self.reductions.forget_gone { service } else { all };
            let zxid = if self.world.setup.zxids { self.zxids(next, n) } else { 0 };
            if !(is_dense(seq) && is_dense(zxid) && all & !seq == 0) {
                self.renumber(next, n, Masks { seq, zxid });
            }
        }
        if self.reductions.symmetry {
            self.sort_clients(next, n);
        }
    }

    fn zxids(&mut self, next: &Words, n: usize) -> u64 {
        let service = self.service(next[1]).zxid;
        let clients = &next[2..n];
        clients.iter().fold(service, |all, &cid| all | self.client(cid).zxid)
    }

    fn renumber(&mut self, next: &mut Words, n: usize, keep: Masks) {
        let zxids = keep.zxid != 0;
        let seq = self.hot_service(next[1]).seq;
        let zxid = if zxids { self.service(next[1]).zxid } else { 0 };
        if !(highest_is_dense(seq, keep.seq) && highest_is_dense(zxid, keep.zxid)) {
            next[1] = self.rename_service(next[1], keep);
        }
        for word in &mut next[2..n] {
            let seq = self.hot_client(*word).seq;
            let zxid = if zxids { self.client(*word).zxid } else { 0 };
            if !(highest_is_dense(seq, keep.seq) && highest_is_dense(zxid, keep.zxid)) {
                *word = self.rename_client(*word, keep);
            }
        }
    }
}
