//! The store written down a second time, in the plainest way: every operation is one step on flat documents, whose fields are
//! paths.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use overtake_recipes::StoreError;
use overtake_recipes::store::Value;
use overtake_recipes::store::documents::{Change, Filter, Op, Response, Returning, Sort, UpdateResult};

/// A document by paths: `o.p` is a field of its own.
pub type Flat = BTreeMap<String, Value>;

pub fn flatten(document: &Value) -> Flat {
    let mut flat = Flat::new();
    for (field, value) in document.as_doc().expect("a document") {
        match value.as_doc() {
            Some(inner) => flat.extend(inner.iter().map(|(f, v)| (format!("{field}.{f}"), v.clone()))),
            None => drop(flat.insert(field.to_string(), value.clone())),
        }
    }
    flat
}

#[derive(Debug, Default)]
pub struct Naive {
    pub documents: Vec<Flat>,
    pub unique: Vec<Vec<&'static str>>,
    pub next: i64,
}

fn rank(value: &Value) -> usize {
    let ranks = [
        matches!(value, Value::Null),
        matches!(value, Value::Int(_)),
        matches!(value, Value::Text(_)),
        matches!(value, Value::Doc(_)),
        matches!(value, Value::List(_)),
        matches!(value, Value::Bool(_)),
        matches!(value, Value::Date(_)),
    ];
    ranks.iter().position(|is| *is).expect("one of them")
}

/// By type first.
fn compare(a: &Value, b: &Value) -> Ordering {
    if let (Value::List(a), Value::List(b)) = (a, b) {
        let longest = a.len().max(b.len());
        let orders = (0..longest).map(|i| match (a.get(i), b.get(i)) {
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        return orders.fold(Ordering::Equal, Ordering::then);
    }
    rank(a).cmp(&rank(b)).then_with(|| a.cmp(b))
}

fn values(document: &Flat, field: &str) -> Vec<Value> {
    match document.get(field) {
        None => vec![],
        Some(Value::List(list)) => list.iter().cloned().chain([Value::List(list.clone())]).collect(),
        Some(value) => vec![value.clone()],
    }
}

fn is(document: &Flat, field: &str, to: &Value) -> bool {
    let found = values(document, field);
    found.contains(to) || (*to == Value::Null && found.is_empty())
}

pub fn holds(filter: &Filter, document: &Flat) -> bool {
    let some = |field: &str, to: &Value, wanted: fn(Ordering) -> bool| {
        values(document, field).iter().any(|v| rank(v) == rank(to) && wanted(compare(v, to)))
    };
    match filter {
        Filter::All => true,
        Filter::Eq(field, to) => is(document, field, to),
        Filter::Ne(field, to) => !is(document, field, to),
        Filter::Lt(field, to) => some(field, to, Ordering::is_lt),
        Filter::Lte(field, to) => some(field, to, Ordering::is_le),
        Filter::Gt(field, to) => some(field, to, Ordering::is_gt),
        Filter::Gte(field, to) => some(field, to, Ordering::is_ge),
        Filter::In(field, all) => all.iter().any(|to| is(document, field, to)),
        Filter::And(all) => !all.iter().any(|f| !holds(f, document)),
        Filter::Or(all) => all.iter().filter(|f| holds(f, document)).count() > 0,
    }
}

fn change(document: &Flat, changes: &[Change], inserts: bool) -> Result<Flat, StoreError> {
    let mut new = document.clone();
    let bad = Err(StoreError::BadRequest);
    for one in changes {
        match one {
            Change::Set(f, v) => drop(new.insert(f.to_string(), v.clone())),
            Change::Inc(f, n) => match new.get(f.as_ref()) {
                None => drop(new.insert(f.to_string(), Value::Int(*n))),
                Some(Value::Int(m)) => drop(new.insert(f.to_string(), Value::Int(m + n))),
                Some(_) => return Err(StoreError::NotANumber),
            },
            Change::Unset(f) => drop(new.remove(f.as_ref())),
            Change::Push(f, v) | Change::AddToSet(f, v) => {
                let list = new.entry(f.to_string()).or_insert(Value::List(vec![]));
                let Value::List(list) = list else { return bad };
                if matches!(one, Change::Push(..)) || !list.contains(v) {
                    list.push(v.clone());
                }
            }
            Change::Pull(f, v) => match new.get_mut(f.as_ref()) {
                None => {}
                Some(Value::List(list)) => list.retain(|e| e != v),
                Some(_) => return bad,
            },
            Change::SetOnInsert(f, v) => {
                if inserts {
                    new.insert(f.to_string(), v.clone());
                }
            }
            Change::CurrentDate(f) => drop(new.insert(f.to_string(), Value::Date(1_000))),
            Change::Max(f, v) => {
                if new.get(f.as_ref()).is_none_or(|present| compare(v, present).is_gt()) {
                    new.insert(f.to_string(), v.clone());
                }
            }
        }
    }
    Ok(new)
}

fn field(change: &Change) -> &str {
    match change {
        Change::Set(f, _) | Change::Inc(f, _) | Change::Unset(f) | Change::Push(f, _) | Change::AddToSet(f, _) => f,
        Change::Pull(f, _) | Change::SetOnInsert(f, _) | Change::CurrentDate(f) | Change::Max(f, _) => f,
    }
}

fn valid(changes: &[Change]) -> Result<(), StoreError> {
    let mut fields: Vec<_> = changes.iter().map(field).collect();
    fields.sort_unstable();
    fields.dedup();
    if fields.len() == changes.len() && !fields.is_empty() { Ok(()) } else { Err(StoreError::BadRequest) }
}

fn equalities(filter: &Filter) -> Vec<(String, Value)> {
    match filter {
        Filter::Eq(f, v) => vec![(f.to_string(), v.clone())],
        Filter::In(f, all) if all.len() == 1 => vec![(f.to_string(), all[0].clone())],
        Filter::And(all) => all.iter().flat_map(equalities).collect(),
        _ => vec![],
    }
}

impl Naive {
    fn found(&self, filter: &Filter, sort: Option<&Sort>) -> Vec<usize> {
        let mut found: Vec<usize> = (0..self.documents.len()).filter(|i| holds(filter, &self.documents[*i])).collect();
        if let Some(sort) = sort {
            let key = |i: &usize| self.documents[*i].get(sort.field.as_ref()).cloned().unwrap_or_default();
            found.sort_by(|a, b| {
                let order = compare(&key(a), &key(b));
                if sort.descending { order.reverse() } else { order }
            });
        }
        found
    }

    fn fits(&self, document: &Flat, except: Option<usize>) -> Result<(), StoreError> {
        let key = |d: &Flat, of: &[&str]| of.iter().map(|f| d.get(*f).cloned().unwrap_or_default()).collect::<Vec<_>>();
        for index in self.unique.iter().cloned().chain([vec!["_id"]]) {
            let others = self.documents.iter().enumerate().filter(|(i, _)| Some(*i) != except);
            if others.into_iter().any(|(_, other)| key(other, &index) == key(document, &index)) {
                return Err(StoreError::DuplicateKey);
            }
        }
        Ok(())
    }

    fn insert(&mut self, mut document: Flat) -> Result<Value, StoreError> {
        let mut next = self.next;
        if !document.contains_key("_id") {
            next += 1;
            while self.documents.iter().any(|d| d["_id"] == Value::Int(next)) {
                next += 1;
            }
            document.insert("_id".into(), Value::Int(next));
        }
        self.fits(&document, None)?;
        self.next = next;
        let id = document["_id"].clone();
        self.documents.push(document);
        Ok(id)
    }

    fn put(&mut self, at: usize, new: Flat) -> Result<bool, StoreError> {
        if new.get("_id") != self.documents[at].get("_id") {
            return Err(StoreError::BadRequest);
        }
        self.fits(&new, Some(at))?;
        let changed = self.documents[at] != new;
        self.documents[at] = new;
        Ok(changed)
    }

    fn one(
        &mut self,
        filter: &Filter,
        sort: Option<&Sort>,
        make: &dyn Fn(&Flat, bool) -> Result<Flat, StoreError>,
        seed: Flat,
        upsert: bool,
    ) -> Result<(UpdateResult, Option<Flat>, Option<Flat>), StoreError> {
        match self.found(filter, sort).first() {
            Some(&at) => {
                let before = self.documents[at].clone();
                let modified = self.put(at, make(&before, false)?)?;
                let result = UpdateResult { matched: 1, modified: modified.into(), upserted: None };
                Ok((result, Some(before), Some(self.documents[at].clone())))
            }
            None if upsert => {
                let new = make(&seed, true)?;
                if seed.contains_key("_id") && seed.get("_id") != new.get("_id") {
                    return Err(StoreError::BadRequest);
                }
                let id = self.insert(new)?;
                let result = UpdateResult { upserted: Some(id), ..UpdateResult::default() };
                Ok((result, None, self.documents.last().cloned()))
            }
            None => Ok((UpdateResult::default(), None, None)),
        }
    }

    /// The answer, its documents by paths.
    pub fn run(&mut self, op: &Op) -> Result<(Response, Vec<Flat>), StoreError> {
        let plain = |response| Ok((response, vec![]));
        let shown = |flat: Option<Flat>| Ok((Response::Document(None), flat.into_iter().collect()));
        match op {
            Op::Find(filter, sort) => {
                let all = self.found(filter, sort.as_ref()).into_iter().map(|i| self.documents[i].clone());
                Ok((Response::Documents(vec![]), all.collect()))
            }
            Op::Count(filter) => plain(Response::Count(self.found(filter, None).len() as u32)),
            Op::Insert(document) => {
                let id = self.insert(flatten(document))?;
                plain(Response::Inserted(id))
            }
            Op::UpdateOne(filter, changes, upsert) => {
                valid(changes)?;
                let seed = equalities(filter).into_iter().collect();
                let (result, ..) = self.one(filter, None, &|d, i| change(d, changes, i), seed, *upsert)?;
                plain(Response::Updated(result))
            }
            Op::FindAndModify(filter, sort, changes, returning, upsert) => {
                valid(changes)?;
                let seed = equalities(filter).into_iter().collect();
                let (_, before, after) =
                    self.one(filter, sort.as_ref(), &|d, i| change(d, changes, i), seed, *upsert)?;
                shown(if *returning == Returning::Before { before } else { after })
            }
            Op::Replace(filter, document, upsert) | Op::LegacyUpdate(filter, document, upsert) => {
                let new = flatten(document);
                if new.keys().any(|field| field.starts_with('$')) {
                    return Err(StoreError::BadRequest);
                }
                let exchange = |old: &Flat, _| {
                    let mut new = new.clone();
                    if let Some(id) = old.get("_id") {
                        let named = new.insert("_id".into(), id.clone());
                        if named.is_some_and(|named| named != *id) {
                            return Err(StoreError::BadRequest);
                        }
                    }
                    Ok(new)
                };
                let seed = equalities(filter).into_iter().filter(|(field, _)| field == "_id").collect();
                let (result, ..) = self.one(filter, None, &exchange, seed, *upsert)?;
                plain(Response::Updated(result))
            }
            Op::UpdateMany(filter, changes) => {
                valid(changes)?;
                let mut result = UpdateResult::default();
                for at in self.found(filter, None) {
                    let new = change(&self.documents[at], changes, false)?;
                    result.modified += u32::from(self.put(at, new)?);
                    result.matched += 1;
                }
                plain(Response::Updated(result))
            }
            Op::DeleteOne(filter) => {
                let first = self.found(filter, None).first().copied();
                first.iter().for_each(|at| drop(self.documents.remove(*at)));
                plain(Response::Count(first.is_some().into()))
            }
            Op::FindAndDelete(filter, sort) => {
                let first = self.found(filter, sort.as_ref()).first().copied();
                shown(first.map(|at| self.documents.remove(at)))
            }
            Op::DeleteMany(filter) => {
                let before = self.documents.len();
                self.documents.retain(|document| !holds(filter, document));
                plain(Response::Count((before - self.documents.len()) as u32))
            }
            other => unreachable!("{other:?} is not generated"),
        }
    }
}
