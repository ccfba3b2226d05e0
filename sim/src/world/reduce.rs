//! Renumbering of names and sorting of interchangeable clients.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::Services;
use super::client::{CRASHED, Client};
use super::engine::{Engine, Words};
use super::{MOST_CLIENTS, World};
use crate::names::{GONE, Name, Names, slot_of, who};
use crate::program::OWN;

/// Which numbers occur: bit `v` for sequence number `v`, bit `v - 1` for zxid `v`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Masks {
    /// Sequence numbers.
    pub seq: u64,
    /// Zxids.
    pub zxid: u64,
}

/// Whether the numbers are 0, 1, 2 … without a hole.
#[inline]
pub fn is_dense(mask: u64) -> bool {
    mask & mask.wrapping_add(1) == 0
}

/// Whether every number of `own` is in `keep` and is its own rank there.
#[inline]
pub fn highest_is_dense(own: u64, keep: u64) -> bool {
    if own == 0 {
        return true;
    }
    let below = u64::MAX >> own.leading_zeros();
    keep & below == below
}

fn rank(keep: u64, bit: u32) -> Option<u32> {
    (keep >> bit & 1 == 1).then(|| (keep & ((1u64 << bit) - 1)).count_ones())
}

fn rename(value: &mut impl Names, keep: Masks) {
    value.names(&mut |name| match name {
        Name::Seq(v) if *v != GONE => *v = rank(keep.seq, *v as u32).map_or(GONE, |r| r as i32),
        Name::Zxid(v) if *v != 0 => {
            *v = 1 + rank(keep.zxid, *v - 1).expect("all zxids that occur are kept");
        }
        _ => {}
    });
}

fn masks(value: &mut impl Names) -> Masks {
    let mut masks = Masks::default();
    value.names(&mut |name| {
        let (number, mask, what) = match name {
            Name::Seq(v) if *v != GONE => (i64::from(*v), &mut masks.seq, "sequence numbers"),
            Name::Zxid(v) if *v != 0 => (i64::from(*v) - 1, &mut masks.zxid, "zxids"),
            _ => return,
        };
        assert!(
            (0..64).contains(&number),
            "more than 64 {what} are in use at once: lower the number of clients or rounds, or switch renumbering off"
        );
        *mask |= 1 << number;
    });
    masks
}

fn permute(value: &mut impl Names, to: &[u8]) {
    value.names(&mut |name| {
        if let Name::Who(w) = name
            && slot_of(*w) < MOST_CLIENTS
            && slot_of(*w) < to.len()
        {
            *w = who(to[slot_of(*w)] as usize, *w as usize % 16);
        }
    });
}

/// A client to be sorted: group, what it is, how the server looks from it, its number, its slot.
type Place = (u8, u64, u64, u32, u8);

impl Engine<'_> {
    /// What the other clients say of the client at the slot.
    fn spoken_of(&mut self, order: &[Place], slot: usize) -> u64 {
        let mut sum = 0u64;
        for &(_, key, view, cid, _) in order {
            if self.client(cid).foreign >> slot & 1 == 0 {
                continue;
            }
            let said = match self.mentions.get(&(cid, slot as u8)) {
                Some(&said) => said,
                None => {
                    let mut client = self.world.clients.get(cid).clone();
                    client.names(&mut |name| {
                        if let Name::Who(w) = name
                            && slot_of(*w) != OWN
                        {
                            let place = if slot_of(*w) == slot { OWN - 2 } else { OWN - 1 };
                            *w = who(place, *w as usize % 16);
                        }
                    });
                    let said = self.content(client);
                    self.mentions.insert((cid, slot as u8), said);
                    said
                }
            };
            sum = sum.wrapping_add(FxBuildHasher.hash_one((said, key, view)));
        }
        sum
    }

    /// A hash of what a client is, the same in every run: the number of its node is not.
    fn content(&self, mut client: Client) -> u64 {
        let node = if client.node == CRASHED { 0 } else { self.world.automaton.print(client.node) };
        client.node = 0;
        FxBuildHasher.hash_one((node, client))
    }

    pub(super) fn client_masks(&self, client: &Client) -> (Masks, u16, u64) {
        let numbers = if self.reductions.renumber { masks(&mut client.clone()) } else { Masks::default() };
        if !self.reductions.symmetry {
            return (numbers, 0, 0);
        }
        let mut foreign = 0u16;
        let mut bare = client.clone();
        bare.names(&mut |name| {
            if let Name::Who(w) = name
                && slot_of(*w) != OWN
            {
                foreign |= 1 << slot_of(*w);
                *w = who(OWN - 1, *w as usize % 16);
            }
        });
        (numbers, foreign, self.content(bare))
    }

    pub(super) fn service_masks(&self, service: &Services) -> Masks {
        if self.reductions.renumber { masks(&mut service.clone()) } else { Masks::default() }
    }

    /// For each client, how the service looks from its place.
    pub(super) fn service_views(&self, service: &Services) -> SmallVec<[u64; 8]> {
        if !self.reductions.symmetry {
            return SmallVec::new();
        }
        let view = |slot: usize| {
            let mut seen = service.clone();
            seen.names(&mut |name| {
                if let Name::Who(w) = name {
                    let place = if slot_of(*w) == slot { OWN } else { OWN - 1 };
                    *w = who(place, *w as usize % 16);
                }
            });
            seen.normalise();
            let mut hasher = rustc_hash::FxHasher::default();
            seen.hash(&mut hasher);
            std::hash::Hasher::finish(&hasher)
        };
        (0..self.world().setup().clients.len()).map(view).collect()
    }

    pub(super) fn rename_client(&mut self, cid: u32, keep: Masks) -> u32 {
        if let Some(&to) = self.renamed.get(&(cid, keep)) {
            return to;
        }
        let world: &World = self.world;
        let mut client = world.clients.get(cid).clone();
        rename(&mut client, keep);
        let to = world.clients.intern(client);
        self.renamed.insert((cid, keep), to);
        to
    }

    pub(super) fn rename_service(&mut self, zid: u32, keep: Masks) -> u32 {
        if let Some(&to) = self.renamed_services.get(&(zid, keep)) {
            return to;
        }
        let world: &World = self.world;
        let mut service = world.services.get(zid).clone();
        rename(&mut service, keep);
        service.normalise();
        let to = world.services.intern(service);
        self.renamed_services.insert((zid, keep), to);
        to
    }

    /// Sorts the clients of each group; the service's and the other clients' names follow.
    pub(super) fn sort_clients(&mut self, next: &mut Words, n: usize) {
        let clients = n - 2;
        let mut order: SmallVec<[Place; MOST_CLIENTS]> = SmallVec::new();
        let mut foreign = 0;
        for slot in 0..clients {
            let cid = next[2 + slot];
            let info = self.client(cid);
            let key = info.sort_key;
            foreign |= info.foreign;
            let view = self.service(next[1]).views[slot];
            order.push((self.groups[slot], key, view, cid, slot as u8));
        }
        if foreign != 0 {
            // Clients that are alike may still differ in who speaks of them.
            let spoken: SmallVec<[u64; MOST_CLIENTS]> = (0..clients).map(|s| self.spoken_of(&order, s)).collect();
            order.iter_mut().for_each(|o| o.2 = o.2.wrapping_add(spoken[o.4 as usize]));
        }
        order.sort_by_key(|o| (o.0, o.1, o.2));
        let alike = |a: &Place, b: &Place| (a.0, a.1, a.2) == (b.0, b.1, b.2);
        let slots: Slots = order.iter().map(|o| o.4).collect();
        let mut ties: SmallVec<[(usize, usize); 2]> = SmallVec::new();
        let mut from = 0;
        for at in 1..=clients {
            if at == clients || !alike(&order[from], &order[at]) {
                if at - from > 1 {
                    ties.push((from, at));
                }
                from = at;
            }
        }
        let foreign = foreign != 0;
        self.arrange(next, &slots, foreign);
        if !ties.is_empty() {
            self.break_ties(next, clients, &ties, foreign);
        }
    }

    /// Puts the clients into that order of their slots; the service's and the other clients' names follow.
    fn arrange(&mut self, next: &mut Words, order: &[u8], foreign: bool) {
        if order.iter().enumerate().all(|(at, slot)| *slot as usize == at) {
            return;
        }
        let mut to: Slots = SmallVec::from_elem(0, order.len());
        for (at, slot) in order.iter().enumerate() {
            to[*slot as usize] = at as u8;
        }
        let code = to.iter().fold(0u64, |code, &at| code << 4 | u64::from(at));
        let world: &World = self.world;
        next[1] = match self.permuted.get(&(next[1], code, true)) {
            Some(&zid) => zid,
            None => {
                let mut service = world.services.get(next[1]).clone();
                permute(&mut service, &to);
                service.normalise();
                let zid = world.services.intern(service);
                self.permuted.insert((next[1], code, true), zid);
                zid
            }
        };
        let before = *next;
        for (at, slot) in order.iter().enumerate() {
            let mut cid = before[2 + *slot as usize];
            if foreign && self.client(cid).foreign != 0 {
                cid = match self.permuted.get(&(cid, code, false)) {
                    Some(&cid) => cid,
                    None => {
                        let mut client = world.clients.get(cid).clone();
                        permute(&mut client, &to);
                        let renamed = world.clients.intern(client);
                        self.permuted.insert((cid, code, false), renamed);
                        renamed
                    }
                };
            }
            next[2 + at] = cid;
        }
    }

    /// Clients that the sort could not tell apart: where changing places changes the state, the least of all arrangements
    /// stands for them, so that each class of states has one.
    fn break_ties(&mut self, next: &mut Words, clients: usize, ties: &[(usize, usize)], foreign: bool) {
        let identity: Slots = (0..clients as u8).collect();
        let mut open: SmallVec<[(usize, usize); 2]> = SmallVec::new();
        for &(from, to) in ties {
            let turns = (from..to - 1).any(|at| {
                let mut order = identity.clone();
                order.swap(at, at + 1);
                let mut turned = *next;
                self.arrange(&mut turned, &order, foreign);
                turned != *next
            });
            if turns {
                open.push((from, to));
            }
        }
        let arrangements = open.iter().flat_map(|(from, to)| 1..=to - from).product::<usize>();
        if open.is_empty() || arrangements > MOST_ARRANGEMENTS {
            return;
        }
        let base = *next;
        let mut least = base;
        each_arrangement(&mut identity.clone(), &open, &mut |order| {
            let mut other = base;
            self.arrange(&mut other, order, foreign);
            if other < least {
                least = other;
            }
        });
        *next = least;
    }
}

/// Most arrangements that are compared to find the least: six clients that nothing tells apart. Beyond that a class of states
/// may have several that stand for it, which costs states and nothing else.
const MOST_ARRANGEMENTS: usize = 720;

/// The slots in an order.
type Slots = SmallVec<[u8; MOST_CLIENTS]>;

/// Calls `visit` with every arrangement of the ranges.
fn each_arrangement(order: &mut Slots, ranges: &[(usize, usize)], visit: &mut impl FnMut(&[u8])) {
    let Some((&(from, to), rest)) = ranges.split_first() else {
        visit(order);
        return;
    };
    if to - from < 2 {
        each_arrangement(order, rest, visit);
        return;
    }
    for at in from..to {
        order.swap(from, at);
        let mut smaller: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        smaller.push((from + 1, to));
        smaller.extend_from_slice(rest);
        each_arrangement(order, &smaller, visit);
        order.swap(from, at);
    }
}
