//! Where a run ends, in the numbering of the node that it ends in.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use super::automaton::{Naming, Node};
use super::node::{NodeKey, Obs};
use super::run::RunEnd;
use crate::names::{Name, Names, PER_CLIENT, slot_of, who};

/// The canonical form of where a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Landing {
    pub key: NodeKey,
    pub sent: SmallVec<[u8; 2]>,
    pub made: u8,
    pub seq: SmallVec<[u8; 6]>,
    pub zxid: SmallVec<[u8; 2]>,
    pub who: SmallVec<[u8; 2]>,
}

/// Brings the end of a run into the node's own numbering. `Err` names a number that came from nowhere.
pub(super) fn landing(
    naming: Naming,
    end: RunEnd,
    slot: usize,
    seq: &[i64],
    zxid: &[i64],
    slots: &[u16],
) -> Result<Landing, String> {
    let RunEnd { mut key, sent, made, .. } = end;
    let (mut seqs, mut zxids) = (BTreeSet::new(), BTreeSet::new());
    let mut whos: Vec<u16> = Vec::new();
    key.names(&mut |name| match name {
        Name::Seq(v) => drop(seqs.insert(i64::from(*v))),
        Name::Zxid(v) if *v != 0 => drop(zxids.insert(i64::from(*v))),
        Name::Zxid(_) => {}
        Name::Who(w) => {
            let s = slot_of(*w) as u16;
            if s != slot as u16 && !whos.contains(&s) {
                whos.push(s);
            }
        }
    });
    if naming.literal_numbers {
        (seqs, zxids) = (BTreeSet::new(), BTreeSet::new());
    }
    if naming.literal_owners {
        whos.clear();
    }
    let seqs: Vec<i64> = seqs.into_iter().collect();
    let zxids: Vec<i64> = zxids.into_iter().collect();
    key.names(&mut |name| match name {
        Name::Seq(v) if !naming.literal_numbers => {
            *v = seqs.binary_search(&i64::from(*v)).expect("collected") as i32;
        }
        Name::Zxid(v) if !naming.literal_numbers && *v != 0 => {
            *v = 1 + zxids.binary_search(&i64::from(*v)).expect("collected") as u32;
        }
        Name::Who(w) if !naming.literal_owners => {
            let s = slot_of(*w) as u16;
            let local = whos.iter().position(|o| *o == s).map_or(0, |i| i + 1);
            *w = who(local, (*w % PER_CLIENT) as usize);
        }
        _ => {}
    });
    fn sources<T: PartialEq + std::fmt::Display, const N: usize>(
        names: &[T],
        from: &[T],
    ) -> Result<SmallVec<[u8; N]>, String>
    where
        [u8; N]: smallvec::Array<Item = u8>,
    {
        let source = |name: &T| match from.iter().position(|f| f == name) {
            Some(i) => Ok(i as u8),
            None => Err(format!("{name}")),
        };
        names.iter().map(source).collect()
    }
    Ok(Landing {
        seq: sources(&seqs, seq)?,
        zxid: sources(&zxids, zxid)?,
        who: sources(&whos, slots)?,
        key,
        sent,
        made,
    })
}

/// Whether each name inside the marks is still the one it was. `moved` says which sequence number of the node each one of
/// the next node was.
pub(super) fn same_marks(node: &Node, landing: &Landing, moved: &[Option<usize>]) -> bool {
    let list = |key: &NodeKey| {
        let mut names = Vec::new();
        for (_, value) in &key.marks {
            let mut value = *value;
            value.names(&mut |name| match name {
                Name::Seq(v) => names.push((0, *v as usize)),
                Name::Who(w) => names.push((1, slot_of(*w))),
                Name::Zxid(_) => {}
            });
        }
        names
    };
    let (before, after) = (list(&node.key), list(&landing.key));
    after.iter().zip(before).all(|(&(kind, now), (_, old))| match (kind, now) {
        (0, now) => moved.get(now).is_none_or(|m| *m == Some(old)),
        // The client itself, or a foreign owner: the node's own come first in the order.
        (_, 0) => old == 0,
        (_, now) => landing.who.get(now - 1).is_none_or(|&source| old > 0 && usize::from(source) == old - 1),
    })
}

/// Puts the literal numbers (or owners) back into an encoded observation.
pub(super) fn restore(encoded: &mut Obs, literal: &mut Obs, numbers: bool) {
    let mut kept = Vec::new();
    literal.names(&mut |name| {
        kept.push(match name {
            Name::Seq(v) => i64::from(*v),
            Name::Zxid(v) => i64::from(*v),
            Name::Who(w) => i64::from(*w),
        });
    });
    let mut kept = kept.into_iter();
    encoded.names(&mut |name| {
        let value = kept.next().expect("as many names as before");
        match name {
            Name::Seq(v) if numbers => *v = value as i32,
            Name::Zxid(v) if numbers => *v = value as u32,
            Name::Who(w) if !numbers => *w = value as u16,
            _ => {}
        }
    });
}
