//! A table as one would write it down first: maps of strings, a clock, and expired items that lie around until somebody looks.

use std::collections::BTreeMap;

use overtake_recipes::StoreError;
use overtake_recipes::store::Value;
use overtake_recipes::store::dht::{Expiration, Item, Request, Response, Updated, Version};

#[derive(Clone, Debug)]
pub struct Entry {
    pub data: Value,
    pub version: u64,
    /// The second at which it is over.
    pub deadline: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct Node {
    pub entries: BTreeMap<String, Entry>,
    pub given: u64,
    pub lost: bool,
}

#[derive(Debug)]
pub struct Naive {
    pub nodes: Vec<Node>,
    pub now: u64,
    /// Memcached's rules rather than the seed's.
    pub memcached: bool,
    pub largest: usize,
    /// Most items, without eviction.
    pub capacity: usize,
}

impl Naive {
    pub fn call(&mut self, request: &Request) -> Result<Response, StoreError> {
        let now = self.now;
        let (memcached, largest, capacity) = (self.memcached, self.largest, self.capacity);
        let node = &mut self.nodes[usize::from(request.node().0)];
        if node.lost {
            return Err(StoreError::Unavailable);
        }
        // Whatever is looked up and is over is dropped then.
        let over = |entry: &Entry| entry.deadline.is_some_and(|deadline| deadline <= now);
        node.entries.retain(|_, entry| !over(entry));
        let deadline = |until: &Expiration| match until {
            Expiration::Never => None,
            Expiration::After(life) => Some(now + life.as_secs()),
            Expiration::AtOnce => Some(now),
        };
        let size = |data: &Value| if let Value::List(list) = data { list.len() } else { 1 };
        let store = |node: &mut Node, key: &String, data: &Value, deadline| {
            if size(data) > largest {
                return Err(StoreError::TooLarge);
            }
            if node.entries.len() >= capacity {
                return Err(StoreError::OutOfMemory);
            }
            node.given += 1;
            let version = node.given;
            node.entries.insert(key.clone(), Entry { data: data.clone(), version, deadline });
            Ok(())
        };
        let read = |node: &Node, key: &String| {
            node.entries.get(key).map(|e| Item { data: e.data.clone(), version: Version(e.version) })
        };
        Ok(match request {
            Request::Set(_, key, data, until) => match store(node, key, data, deadline(until)) {
                Ok(()) => Response::Done,
                Err(error) => {
                    node.entries.remove(key);
                    return Err(error);
                }
            },
            Request::Put(_, key, data, until) => {
                let free = !node.entries.contains_key(key);
                if free {
                    store(node, key, data, deadline(until))?;
                }
                Response::Was(free)
            }
            Request::Replace(_, key, data, until) => {
                let there = node.entries.contains_key(key);
                if there {
                    store(node, key, data, deadline(until))?;
                }
                Response::Was(there)
            }
            Request::Get(_, key) => Response::Item(read(node, key)),
            Request::GetMany(_, keys) => Response::Items(keys.iter().map(|key| read(node, key)).collect()),
            Request::Del(_, key) => Response::Was(node.entries.remove(key).is_some()),
            Request::DelIf(_, key, version) => {
                let same = node.entries.get(key).is_some_and(|entry| entry.version == version.0);
                if same {
                    node.entries.remove(key);
                }
                Response::Was(same)
            }
            Request::Update(_, key, data, version, until) => {
                let Some(entry) = node.entries.get(key) else { return Ok(Response::Updated(Updated::Absent)) };
                if entry.version != version.0 {
                    return Ok(Response::Updated(Updated::Moved));
                }
                let kept = if memcached { None } else { entry.deadline };
                store(node, key, data, until.as_ref().map_or(kept, deadline))?;
                Response::Updated(Updated::Stored)
            }
            Request::Touch(_, key, until) => {
                let entry = node.entries.get_mut(key);
                Response::Was(entry.map(|entry| entry.deadline = deadline(until)).is_some())
            }
            Request::GetAndTouch(_, key, until) => {
                let item = read(node, key);
                if let Some(entry) = node.entries.get_mut(key) {
                    entry.deadline = deadline(until);
                }
                Response::Item(item)
            }
            Request::Increment(_, key, by) => {
                let Some(entry) = node.entries.get_mut(key) else { return Ok(Response::Number(None)) };
                let Value::Int(old) = entry.data else { return Err(StoreError::NotANumber) };
                let new = if memcached { (old + by).max(0) } else { old + by };
                node.given += 1;
                (entry.data, entry.version) = (Value::Int(new), node.given);
                Response::Number(Some(new))
            }
            Request::Append(_, key, elements) | Request::Prepend(_, key, elements) => {
                let Some(entry) = node.entries.get(key) else { return Ok(Response::Was(false)) };
                let (Value::List(list), Value::List(more)) = (&entry.data, elements) else {
                    return Err(StoreError::BadRequest);
                };
                let (first, then) = if matches!(request, Request::Append(..)) { (list, more) } else { (more, list) };
                let (deadline, list) = (entry.deadline, first.iter().chain(then).cloned().collect());
                store(node, key, &Value::List(list), deadline)?;
                Response::Was(true)
            }
            Request::Flush(_) => {
                node.entries.clear();
                Response::Done
            }
        })
    }
}
