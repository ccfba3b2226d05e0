//! Histories that lead to a node, and the numbers they use.

use std::collections::BTreeSet;

use super::Naming;
use super::node::Obs;
use crate::names::{Name, Names, PER_CLIENT, slot_of, who};

/// Distance between the numbers that stand for names in representative histories.
pub(super) const SPREAD: i64 = 1000;

/// A history that leads to a node, with numbers of its own.
#[derive(Clone, Debug)]
pub(super) struct History {
    pub observations: Vec<Obs>,
    /// The numbers of the node's names, by rank.
    pub seq: Vec<i64>,
    pub zxid: Vec<i64>,
    pub who: Vec<u16>,
}

impl History {
    /// All sequence numbers, or all zxids, that occur.
    pub fn used(&self, seq: bool) -> BTreeSet<i64> {
        let mut used: BTreeSet<i64> = if seq { &self.seq } else { &self.zxid }.iter().copied().collect();
        for obs in &self.observations {
            obs.clone().names(&mut |name| match name {
                Name::Seq(v) if seq => drop(used.insert(i64::from(*v))),
                Name::Zxid(v) if !seq && *v != 0 => drop(used.insert(i64::from(*v))),
                _ => {}
            });
        }
        used
    }

    pub fn slots(&self) -> BTreeSet<u16> {
        let mut slots: BTreeSet<u16> = self.who.iter().copied().collect();
        for obs in &self.observations {
            obs.clone().names(&mut |name| {
                if let Name::Who(w) = name {
                    slots.insert(slot_of(*w) as u16);
                }
            });
        }
        slots
    }

    /// The same history with numbers `step` apart, in the same order, and the foreign slots reversed.
    pub fn respread(&self, naming: Naming, step: i64, shift: i64) -> Self {
        let mut to = self.clone();
        if !naming.literal_numbers {
            let (seqs, zxids) = (self.used(true), self.used(false));
            let spread = |used: &BTreeSet<i64>, v: i64| {
                let rank = used.range(..v).count() as i64;
                (rank + 1) * step + shift
            };
            to.seq.iter_mut().for_each(|v| *v = spread(&seqs, *v));
            to.zxid.iter_mut().for_each(|v| *v = spread(&zxids, *v));
            to.observations.names(&mut |name| match name {
                Name::Seq(v) => *v = spread(&seqs, i64::from(*v)) as i32,
                Name::Zxid(v) if *v != 0 => *v = spread(&zxids, i64::from(*v)) as u32,
                _ => {}
            });
        }
        if shift != 0 && !naming.literal_owners {
            let most = self.slots().into_iter().max().unwrap_or(0);
            let turned = |slot: u16| if slot == 0 { 0 } else { most + 1 - slot };
            to.who.iter_mut().for_each(|slot| *slot = turned(*slot));
            to.observations.names(&mut |name| {
                if let Name::Who(w) = name {
                    *w = who(turned(slot_of(*w) as u16) as usize, (*w % PER_CLIENT) as usize);
                }
            });
        }
        to
    }
}

/// Finds numbers for the new names between the old ones. `None` when there is no room.
pub(super) fn place_numbers(old: &[i64], places: &[u8], new: u8, used: &BTreeSet<i64>) -> Option<Vec<i64>> {
    let len = places.len() + new as usize;
    let mut numbers: Vec<Option<i64>> = vec![None; len];
    for (j, &at) in places.iter().enumerate() {
        numbers[at as usize] = Some(old[j]);
    }
    let top = used.last().copied().unwrap_or(0);
    let mut low = 0;
    for at in 0..len {
        if let Some(number) = numbers[at] {
            low = number;
            continue;
        }
        let mut above = numbers[at..].iter().copied().enumerate().filter_map(|(i, n)| Some((i, n?)));
        let number = match above.next() {
            None => top.max(low) + SPREAD,
            Some((gap, high)) => {
                let wish = low + (high - low) / (gap as i64 + 1);
                (wish.max(low + 1)..high).find(|n| !used.contains(n))?
            }
        };
        numbers[at] = Some(number);
        low = number;
    }
    numbers.into_iter().collect()
}

/// Whether two histories are one but for their numbers (then nothing was merged).
pub(super) fn same_shape(a: &[Obs], b: &[Obs]) -> bool {
    let strip = |obs: &Obs| {
        let mut obs = obs.clone();
        obs.names(&mut |name| match name {
            Name::Seq(v) => *v = 0,
            Name::Zxid(v) => *v = 0,
            Name::Who(w) => *w = 0,
        });
        obs
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| strip(a) == strip(b))
}
