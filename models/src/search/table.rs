//! The set of visited states: 64-bit fingerprints in one open table, shared by all threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use memmap2::MmapMut;

/// Fingerprints of states, 8 bytes each. Grows between batches, when nobody else looks.
#[derive(Debug)]
pub struct Table {
    slots: Slots,
    len: AtomicUsize,
}

/// The table is doubled when more than 3/4 of it is full.
const FULL: (usize, usize) = (3, 4);

/// Zeroed slots in memory of their own: the kernel hands out zeroed pages only when they are touched, and large ones where
/// it can. Look-ups go all over the table, and with small pages most of them miss the address cache too.
#[derive(Debug)]
struct Slots {
    memory: MmapMut,
}

impl Slots {
    fn zeroed(len: usize) -> Self {
        let memory = MmapMut::map_anon(len * 8).unwrap_or_else(|error| {
            panic!("no memory for {len} states: {error}; lower --memory or the bounds of the scenario")
        });
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Self { memory }
    }

    /// The slots. One of two `unsafe` (the other is `prefetch`): large pages take a sixth off the time of a search of 8 million states.
    #[inline]
    #[allow(unsafe_code, reason = "a mapping is seen as atomics")]
    fn get(&self) -> &[AtomicU64] {
        let bytes: &[u8] = &self.memory;
        // SAFETY: the mapping is private to this value, page-aligned, a multiple of 8 bytes long, readable and writable
        // for as long as `self` lives, and nobody looks at it but through these atomics, for which every pattern of
        // bits is a value.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / 8) }
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

impl Table {
    /// A table with room for a few thousand states.
    pub fn new() -> Self {
        Self { slots: Slots::zeroed(1 << 13), len: AtomicUsize::new(0) }
    }

    #[inline]
    fn place(&self, fingerprint: u64) -> usize {
        (fingerprint >> 16) as usize & (self.slots.get().len() - 1)
    }

    /// Asks for the place of a fingerprint, so that a later [`insert`](Self::insert) does not wait for memory.
    #[inline]
    pub fn touch(&self, fingerprint: u64) {
        overtake_sim::world::prefetch(&self.slots.get()[self.place(fingerprint)]);
    }

    /// Adds a fingerprint (not 0); false when it was there.
    #[inline]
    pub fn insert(&self, fingerprint: u64) -> bool {
        let slots = self.slots.get();
        let mut at = self.place(fingerprint);
        loop {
            let found = slots[at].load(Ordering::Relaxed);
            if found == fingerprint {
                return false;
            }
            if found == 0 {
                match slots[at].compare_exchange(0, fingerprint, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return true,
                    Err(other) if other == fingerprint => return false,
                    Err(_) => {}
                }
            }
            at = (at + 1) & (slots.len() - 1);
        }
    }

    /// Adds to the count what a thread has inserted.
    pub fn count(&self, inserted: usize) {
        self.len.fetch_add(inserted, Ordering::Relaxed);
    }

    /// Number of fingerprints that threads have counted.
    pub fn states(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether that many more might fill it too far.
    pub fn must_grow(&self, more: usize) -> bool {
        (self.states() + more) * FULL.1 > self.slots.get().len() * FULL.0
    }

    /// Bytes held now.
    pub fn bytes(&self) -> usize {
        self.slots.get().len() * 8
    }

    /// Bytes held at the worst moment of growing.
    pub fn bytes_to_grow(&self) -> usize {
        self.bytes() * 3
    }

    /// Doubles the table.
    pub fn grow(&mut self) {
        let grown = Slots::zeroed(self.slots.get().len() * 2);
        let old = std::mem::replace(&mut self.slots, grown);
        for slot in old.get() {
            let fingerprint = slot.load(Ordering::Relaxed);
            if fingerprint != 0 {
                self.insert(fingerprint);
            }
        }
    }
}

/// The fingerprint of a row: 64 bits of two folded multiplications a pair of words, never 0. No bit is thrown away:
/// 0, of which there is one in 2^64, becomes 1.
#[inline]
pub fn fingerprint(row: &[u32]) -> u64 {
    #[inline]
    fn fold(a: u64, b: u64) -> u64 {
        let m = u128::from(a) * u128::from(b);
        (m as u64) ^ ((m >> 64) as u64)
    }
    let (mut a, mut b) = (0x9E37_79B9_7F4A_7C15u64, 0xD1B5_4A32_D192_ED03u64 ^ row.len() as u64);
    let mut mix = |four: [u32; 4]| {
        let word = |i: usize| u64::from(four[i]);
        let (lo, hi) = (word(0) | word(1) << 32, word(2) | word(3) << 32);
        a = fold(a ^ lo, 0xA076_1D64_78BD_642F ^ hi);
        b = fold(b ^ hi.rotate_left(32), 0xE703_7ED1_A0B4_28DB ^ lo.rotate_left(17));
    };
    let mut fours = row.chunks_exact(4);
    for four in &mut fours {
        mix([four[0], four[1], four[2], four[3]]);
    }
    let rest = fours.remainder();
    if !rest.is_empty() {
        mix(std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0)));
    }
    let hash = fold(a ^ 0x8EBC_6AF0_9C88_C6E3, b ^ 0x5899_65CC_7537_4CC3) ^ a.rotate_left(23);
    if hash == 0 { 1 } else { hash }
}

/// The odds that two of `states` states had one fingerprint, so that one of them was not looked at: n²/2⁶⁵.
pub fn collision_odds(states: usize) -> f64 {
    let n = states as f64;
    n * n / 2f64.powi(65)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_row_once_across_growth() {
        let mut table = Table::new();
        let mut inserted = 0;
        for round in 0..2 {
            for i in 0..100_000u32 {
                if table.must_grow(1) {
                    table.grow();
                }
                let new = table.insert(fingerprint(&[i, i / 7, 3]));
                assert_eq!(new, round == 0);
                table.count(usize::from(new));
                inserted += usize::from(new);
            }
        }
        assert_eq!((inserted, table.states()), (100_000, 100_000));
    }

    #[test]
    fn every_bit_of_a_row_reaches_the_fingerprint() {
        let row = [3, 70_000, 9, 1, 2, 3, 4];
        for word in 0..row.len() {
            for bit in 0..32 {
                let mut other = row;
                other[word] ^= 1 << bit;
                let changed = (fingerprint(&row) ^ fingerprint(&other)).count_ones();
                assert!((8..57).contains(&changed), "word {word} bit {bit} changes {changed} bits");
            }
        }
    }
}
