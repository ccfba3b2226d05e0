//! One node: a map with a counter of versions, and what each operation does to it (`semantics §6.1` to `§6.4`).

use std::cmp::Ordering;

use overtake_recipes::StoreError;
use overtake_recipes::store::Texts;
use overtake_recipes::store::dht::{self as wire, Expiration, Request, Response, Updated, Version};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

use super::rules::{Rules, Versions};
use crate::names::{Name, Names, Text};
use crate::stores::Value;

/// An item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// Its key.
    pub key: Text,
    /// What is stored.
    pub data: Value,
    /// Its version.
    pub version: u64,
    /// How long it lives. Never [`Expiration::AtOnce`].
    pub until: Expiration,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeState {
    /// Sorted by [`order`].
    items: Vec<Item>,
    /// The last version given out in this life.
    given: u64,
    lost: bool,
    /// The keys from the least to the most recently used; empty where nothing asks for that.
    used: Vec<Text>,
}

/// By what a key is without its names, then by these: kept by a renaming that keeps their order.
fn order(a: Text, b: Text) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    a.shape().cmp(&b.shape()).then(a.seq.cmp(&b.seq)).then(a.who.cmp(&b.who))
}

impl NodeState {
    /// All items, by key.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The item of a key.
    pub fn item(&self, key: Text) -> Option<&Item> {
        self.items.iter().find(|item| item.key == key)
    }

    /// Whether calls do not reach it.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The last version given out in this life; 0 when there was none, or when items count for themselves.
    pub fn given(&self) -> u64 {
        self.given
    }

    pub(super) fn lose(&mut self) {
        self.lost = true;
    }

    pub(super) fn come_back(&mut self) {
        self.lost = false;
    }

    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// Whether a restart would be seen.
    pub(super) fn is_fresh(&self) -> bool {
        *self == Self::default()
    }

    /// Takes an item away.
    pub(super) fn remove(&mut self, key: Text) -> bool {
        self.used.retain(|used| *used != key);
        let before = self.items.len();
        self.items.retain(|item| item.key != key);
        self.items.len() < before
    }

    pub(super) fn normalise(&mut self) {
        // Names that were made one leave items with one key: what else they are decides then.
        let print = |item: &Item| FxBuildHasher.hash_one(item);
        self.items.sort_by(|a, b| order(a.key, b.key).then_with(|| print(a).cmp(&print(b))));
    }

    /// An operation that needs one step.
    pub(super) fn apply(&mut self, rules: &Rules, request: &Request<Text>) -> Result<Response<Text>, StoreError> {
        use Request::*;
        let stores = matches!(request, Set(..) | Put(..) | Replace(..) | Update(..));
        if let Some(key) = key(request) {
            if stores && key.full().len() > rules.longest_key {
                return Err(StoreError::BadRequest);
            }
            self.use_key(rules, key);
        }
        Ok(match request {
            Set(_, key, data, until) => match self.store(rules, *key, data, *until) {
                Ok(()) => Response::Done,
                Err(error) => {
                    // So that no stale data stays (M38).
                    self.remove(*key);
                    return Err(error);
                }
            },
            Put(_, key, data, until) => match self.item(*key) {
                Some(_) => Response::Was(false),
                None => self.store(rules, *key, data, *until).map(|()| Response::Was(true))?,
            },
            Replace(_, key, data, until) => match self.item(*key) {
                Some(_) => self.store(rules, *key, data, *until).map(|()| Response::Was(true))?,
                None => Response::Was(false),
            },
            Get(_, key) => Response::Item(self.read(*key)),
            GetMany(_, keys) => Response::Items(keys.iter().map(|key| self.read_one(rules, *key)).collect()),
            Del(_, key) => Response::Was(self.remove(*key)),
            DelIf(_, key, version) => {
                let same = self.item(*key).is_some_and(|item| item.version == version.0);
                Response::Was(same && self.remove(*key))
            }
            Update(_, key, data, version, until) => Response::Updated(match self.item(*key) {
                None => Updated::Absent,
                Some(item) if item.version != version.0 => Updated::Moved,
                Some(item) => {
                    let old = if rules.update_keeps { item.until } else { Expiration::Never };
                    self.store(rules, *key, data, until.unwrap_or(old))?;
                    Updated::Stored
                }
            }),
            Touch(_, key, until) => Response::Was(self.touch(*key, *until)),
            GetAndTouch(_, key, until) => {
                let item = self.read(*key);
                self.touch(*key, *until);
                Response::Item(item)
            }
            Increment(_, key, by) => Response::Number(match self.item(*key).map(|item| item.data.as_int()) {
                None => None,
                Some(None) => return Err(StoreError::NotANumber),
                Some(Some(old)) => {
                    let new = old.wrapping_add(*by);
                    let new = if rules.floor { new.max(0) } else { new };
                    self.change(rules, *key, Value::Int(new));
                    Some(new)
                }
            }),
            Append(_, key, elements) | Prepend(_, key, elements) => match self.item(*key).map(|item| &item.data) {
                None => Response::Was(false),
                Some(Value::List(list)) => {
                    let Value::List(elements) = elements else { return Err(StoreError::BadRequest) };
                    let front = matches!(request, Prepend(..));
                    let list = if front { [&elements[..], &list[..]] } else { [&list[..], &elements[..]] };
                    let list = Value::List(list.concat());
                    self.has_room(rules, *key, &list)?;
                    self.change(rules, *key, list);
                    Response::Was(true)
                }
                Some(_) => return Err(StoreError::BadRequest),
            },
            Flush(_) => {
                self.items.clear();
                self.used.clear();
                Response::Done
            }
        })
    }

    /// One key of a batch.
    pub(super) fn read_one(&mut self, rules: &Rules, key: Text) -> Option<wire::Item<Text>> {
        self.use_key(rules, key);
        self.read(key)
    }

    fn read(&self, key: Text) -> Option<wire::Item<Text>> {
        self.item(key).map(|item| wire::Item { data: item.data.clone(), version: Version(item.version) })
    }

    fn touch(&mut self, key: Text, until: Expiration) -> bool {
        let Some(item) = self.items.iter_mut().find(|item| item.key == key) else { return false };
        item.until = until;
        if until == Expiration::AtOnce {
            self.remove(key);
        }
        true
    }

    /// Stores an item, in place of the old one if there is any.
    pub(super) fn store(
        &mut self,
        rules: &Rules,
        key: Text,
        data: &Value,
        until: Expiration,
    ) -> Result<(), StoreError> {
        self.has_room(rules, key, data)?;
        let at = self.items.binary_search_by(|item| order(item.key, key));
        let version = self.next_version(rules, at.ok().map(|at| self.items[at].version));
        if until == Expiration::AtOnce {
            self.remove(key);
            return Ok(());
        }
        let item = Item { key, data: data.clone(), version, until };
        match at {
            Ok(at) => self.items[at] = item,
            Err(at) => {
                let full = rules.capacity.is_some_and(|capacity| self.items.len() >= capacity);
                self.items.insert(at, item);
                if full {
                    self.remove(self.used[0]);
                }
                if keeps_order_of_use(rules) {
                    self.used.push(key);
                }
            }
        }
        Ok(())
    }

    /// New data and a new version, all else as it was.
    fn change(&mut self, rules: &Rules, key: Text, data: Value) {
        let at = self.items.iter().position(|item| item.key == key).expect("it was looked up");
        let version = self.next_version(rules, Some(self.items[at].version));
        let item = &mut self.items[at];
        (item.data, item.version) = (data, version);
    }

    /// Whether the data can be stored. The old item gives its room back only when the new one is stored.
    fn has_room(&self, rules: &Rules, key: Text, data: &Value) -> Result<(), StoreError> {
        let size = data.as_list().map_or(1, <[Value]>::len);
        if rules.largest.is_some_and(|largest| size > largest) {
            return Err(StoreError::TooLarge);
        }
        let full = rules.capacity.is_some_and(|capacity| self.items.len() >= capacity);
        match full && (!rules.evicts || rules.capacity == Some(0) && self.item(key).is_none()) {
            true => Err(StoreError::OutOfMemory),
            false => Ok(()),
        }
    }

    fn next_version(&mut self, rules: &Rules, old: Option<u64>) -> u64 {
        match rules.versions {
            Versions::OfItem => old.unwrap_or(0) + 1,
            Versions::OfNode => {
                self.given += 1;
                self.given
            }
            Versions::Below(values) => {
                self.given = self.given % values + 1;
                self.given
            }
        }
    }

    fn use_key(&mut self, rules: &Rules, key: Text) {
        if keeps_order_of_use(rules) && self.item(key).is_some() {
            self.used.retain(|used| *used != key);
            self.used.push(key);
        }
    }
}

/// Whether it matters which item was used last.
fn keeps_order_of_use(rules: &Rules) -> bool {
    rules.evicts && rules.capacity.is_some()
}

/// The key that a request looks up.
fn key(request: &Request<Text>) -> Option<Text> {
    use Request::*;
    match request {
        Set(_, key, ..)
        | Put(_, key, ..)
        | Replace(_, key, ..)
        | Get(_, key)
        | Del(_, key)
        | DelIf(_, key, _)
        | Update(_, key, ..)
        | Touch(_, key, _)
        | GetAndTouch(_, key, _)
        | Increment(_, key, _)
        | Append(_, key, _)
        | Prepend(_, key, _) => Some(*key),
        GetMany(..) | Flush(_) => None,
    }
}

impl Names for NodeState {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        for item in &mut self.items {
            item.key.names(visit);
            item.data.texts(&mut |text| text.names(visit));
        }
        self.used.names(visit);
    }
}
