//! How a node's own numbering of names is tied to the numbers of a world.
//!
//! A node knows names by rank only: its sequence numbers are 0, 1, 2 … in their order, its foreign
//! owners 1, 2 … in order of appearance, its own client 0. A client in a world carries the node and a
//! [`Bind`] that says which numbers these are there. Renumbering a world so touches only bindings.

use smallvec::SmallVec;

use crate::names::{GONE, Name, Names, PER_CLIENT, slot_of, who};

/// The slot by which a client's own values name itself, so that equal clients are equal wherever they stand.
pub const OWN: usize = 0xFFF;

/// The world's numbers for a node's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bind {
    /// Sequence numbers, ascending except where [`GONE`].
    pub seq: SmallVec<[i32; 4]>,
    /// Zxids, ascending.
    pub zxid: SmallVec<[u32; 2]>,
    /// Slots of foreign owners, in order of appearance.
    pub who: SmallVec<[u16; 2]>,
}

/// A place in the order of the old names and the new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<T> {
    /// The node's name of that rank.
    Local(usize),
    /// A name that comes with the observation.
    New(T),
}

/// The names of a node together with those of an observation, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Merged {
    pub seq: Vec<Item<i32>>,
    pub zxid: Vec<Item<u32>>,
    /// Foreign slots: the node's, then the new ones.
    pub who: Vec<u16>,
}

/// Puts new values into the order of the bound ones. A bound name without a number keeps its place
/// among the bound names and counts as smaller than every newcomer.
fn merge<T: Copy + Ord>(bound: &[T], gone: Option<T>, mut new: Vec<T>) -> Vec<Item<T>> {
    new.sort_unstable();
    new.dedup();
    new.retain(|v| !bound.contains(v));
    let mut items: Vec<Item<T>> = (0..bound.len()).map(Item::Local).collect();
    for value in new {
        let larger = |item: &Item<T>| match item {
            Item::Local(i) => Some(bound[*i]) != gone && bound[*i] > value,
            Item::New(_) => false,
        };
        let at = items.iter().position(larger).unwrap_or(items.len());
        items.insert(at, Item::New(value));
    }
    items
}

impl Merged {
    pub fn new(bind: &Bind, obs: &mut impl Names) -> Self {
        let (mut seq, mut zxid) = (Vec::new(), Vec::new());
        let mut slots: Vec<u16> = bind.who.to_vec();
        obs.names(&mut |name| match name {
            Name::Seq(v) => seq.push(*v),
            Name::Zxid(v) if *v != 0 => zxid.push(*v),
            Name::Zxid(_) => {}
            Name::Who(w) => {
                let slot = slot_of(*w) as u16;
                if slot != OWN as u16 && !slots.contains(&slot) {
                    slots.push(slot);
                }
            }
        });
        Self { seq: merge(&bind.seq, Some(GONE), seq), zxid: merge(&bind.zxid, None, zxid), who: slots }
    }

    /// The position of a world's number in the order.
    fn rank<T: Copy + PartialEq>(items: &[Item<T>], bound: &[T], value: T) -> usize {
        let found = items.iter().position(|item| match item {
            Item::Local(i) => bound[*i] == value,
            Item::New(v) => *v == value,
        });
        found.expect("every name of the observation is in the order")
    }

    /// Replaces the world's numbers by positions in the order.
    pub fn encode(&self, bind: &Bind, obs: &mut impl Names) {
        obs.names(&mut |name| match name {
            Name::Seq(v) => *v = Self::rank(&self.seq, &bind.seq, *v) as i32,
            Name::Zxid(v) if *v != 0 => *v = 1 + Self::rank(&self.zxid, &bind.zxid, *v) as u32,
            Name::Zxid(_) => {}
            Name::Who(w) => {
                let slot = slot_of(*w) as u16;
                let local = self.who.iter().position(|s| *s == slot).map_or(0, |i| i + 1);
                *w = who(local, (*w % PER_CLIENT) as usize);
            }
        });
    }
}
