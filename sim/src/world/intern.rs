//! Values as numbers, and tables keyed by numbers.

use std::hash::{BuildHasher, Hash};
use std::sync::Mutex;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

const SHARDS: usize = 16;

/// Gives each distinct value a number; shared by all threads, read without a lock.
#[derive(Debug)]
pub struct Interner<T> {
    items: boxcar::Vec<T>,
    shards: [Mutex<HashTable<u32>>; SHARDS],
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { items: boxcar::Vec::new(), shards: Default::default() }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of the value, and whether it is new.
    pub fn intern(&self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let mut shard = self.shards[(hash >> 60) as usize].lock().expect("interner");
        if let Some(&id) = shard.find(hash, |&id| self.items[id as usize] == value) {
            return id;
        }
        let id = self.items.push(value) as u32;
        shard.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&self.items[id as usize]));
        id
    }

    /// The value with the number.
    pub fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.items.count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Asks for a value that will be needed soon, so that reading it does not wait for memory.
///
/// One of two `unsafe` (the other is the visited set's mapping). A plain read does not do: the processor cannot retire it and
/// stalls behind it (a third of the time of a search went there). A prefetch has no effect that could be observed and cannot fault.
#[inline]
#[allow(unsafe_code, reason = "a prefetch takes a pointer")]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address: *const T = value;
        // SAFETY: the pointer comes from a reference, and a prefetch reads nothing.
        unsafe { _mm_prefetch(address.cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// A table from a 64-bit key to a small value, private to a thread: open addressing, one or two cache lines a hit.
/// Key `u64::MAX` is not allowed.
#[derive(Debug)]
pub struct Memo<V = u32> {
    entries: Vec<(u64, V)>,
    len: usize,
}

impl<V: Copy + Default> Default for Memo<V> {
    fn default() -> Self {
        Self { entries: vec![(u64::MAX, V::default()); 1 << 8], len: 0 }
    }
}

impl<V: Copy + Default> Memo<V> {
    #[inline]
    fn place(&self, key: u64) -> usize {
        let hash = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> 20) as usize & (self.entries.len() - 1)
    }

    /// The value under the key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<V> {
        let mut at = self.place(key);
        loop {
            let (k, value) = self.entries[at];
            if k == key {
                return Some(value);
            }
            if k == u64::MAX {
                return None;
            }
            at = (at + 1) & (self.entries.len() - 1);
        }
    }

    /// Asks for the place of a key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.entries[self.place(key)]);
    }

    /// Puts a value under a key that is not there yet.
    pub fn insert(&mut self, key: u64, value: V) {
        if (self.len + 1) * 3 > self.entries.len() * 2 {
            let grown = vec![(u64::MAX, V::default()); self.entries.len() * 2];
            let old = std::mem::replace(&mut self.entries, grown);
            for (k, v) in old.into_iter().filter(|e| e.0 != u64::MAX) {
                self.put(k, v);
            }
        }
        self.len += 1;
        self.put(key, value);
    }

    fn put(&mut self, key: u64, value: V) {
        let mut at = self.place(key);
        while self.entries[at].0 != u64::MAX {
            at = (at + 1) & (self.entries.len() - 1);
        }
        self.entries[at] = (key, value);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.entries.len() * size_of::<(u64, V)>()
    }
}

/// What threads have worked out, so that none works it out again: a table under a few locks, asked only where a thread's
/// own [`Memo`] has no answer.
#[derive(Debug)]
pub struct Shared<V> {
    shards: [Mutex<FxHashMap<(u8, u64), V>>; SHARDS],
}

impl<V> Default for Shared<V> {
    fn default() -> Self {
        Self { shards: Default::default() }
    }
}

impl<V: Clone> Shared<V> {
    fn shard(&self, key: (u8, u64)) -> &Mutex<FxHashMap<(u8, u64), V>> {
        &self.shards[(FxBuildHasher.hash_one(key) >> 60) as usize]
    }

    /// The value under the key.
    pub fn get(&self, key: (u8, u64)) -> Option<V> {
        self.shard(key).lock().expect("shared table").get(&key).cloned()
    }

    /// Puts a value under a key.
    pub fn insert(&self, key: (u8, u64), value: V) {
        self.shard(key).lock().expect("shared table").insert(key, value);
    }
}
