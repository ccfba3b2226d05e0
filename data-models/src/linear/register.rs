//! A register: one value, or none, which may have a version.

use std::collections::BTreeSet;

use super::spec::{Spec, Word, plain, unknown_answer, unknown_call};

/// A register.
#[derive(Clone, Debug)]
pub(super) struct Register {
    versions: bool,
}

impl Register {
    /// Read, write, and compare-and-set by value.
    pub fn by_value() -> Self {
        Self { versions: false }
    }

    /// A value that may be absent, and has a version.
    pub fn with_versions() -> Self {
        Self { versions: true }
    }
}

/// What is held, and what is known of its version. Versions grow with each store, by how much nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Held {
    value: Option<Word>,
    /// With a value: the version is this one if it is known, and at least this one if not. Without: the next is at least this.
    least: u64,
    known: bool,
    /// Versions of at least `least` that it is known not to be.
    not: BTreeSet<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Op {
    Write(Word),
    Read,
    Cas(Word, Word),
    Put(Word),
    Delete,
    Update(Word, u64),
    /// Only if something is there.
    Replace(Word),
    /// Only if the version is that.
    DeleteIf(u64),
    /// To a number; one that falls below 0 is not stopped there, as memcached's is.
    Add(i64),
    /// Another life: nothing that is seen changes.
    Touch,
    Append(Word),
    Prepend(Word),
}

#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// With the new version, where it is told.
    Ok(Option<u64>),
    Value(Option<Word>, Option<u64>),
    Was(bool),
    /// The new number, where there is one.
    Number(Option<i64>),
    Stored,
    Moved,
    Absent,
}

/// Two values one behind the other: lists as lists, words as texts.
fn joined(first: &str, then: &str) -> Word {
    let inner = |text: &str| text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).map(str::to_owned);
    match (inner(first), inner(then)) {
        (Some(first), Some(then)) => {
            let parts: Vec<&str> = [&*first, &*then].into_iter().filter(|part| !part.is_empty()).collect();
            format!("[{}]", parts.join(", ")).into()
        }
        _ => format!("{first}{then}").into(),
    }
}

fn version(word: &str) -> Option<u64> {
    word.strip_prefix('@')?.parse().ok()
}

impl Held {
    /// The same if the version can be this one, which is known then.
    fn at(&self, version: u64) -> Option<Self> {
        let can =
            if self.known { version == self.least } else { version >= self.least && !self.not.contains(&version) };
        can.then(|| Self { value: self.value.clone(), least: version, known: true, not: BTreeSet::new() })
    }

    /// The same if the version can be another one.
    fn not_at(&self, version: u64) -> Option<Self> {
        let mut other = self.clone();
        if self.known {
            return (version != self.least).then_some(other);
        }
        if version >= self.least {
            other.not.insert(version);
        }
        Some(other)
    }

    fn next(&self, value: Option<Word>, versions: bool) -> Self {
        let least = self.least + u64::from(versions && self.value.is_some());
        Self { value, least, known: false, not: BTreeSet::new() }
    }
}

impl Register {
    fn store(&self, held: &Held, value: &Word) -> Held {
        held.next(Some(value.clone()), self.versions)
    }
}

impl Spec for Register {
    type State = Held;
    type Op = Op;
    type Answer = Answer;

    fn initially(&self, words: &[Word]) -> Result<Held, String> {
        let held = |value: &Word| Held { value: Some(value.clone()), ..Held::default() };
        match words {
            [] => Ok(Held::default()),
            [nil] if &**nil == "nil" => Ok(Held::default()),
            [value] => Ok(held(value)),
            [value, at] if self.versions && version(at).is_some() => {
                Ok(held(value).at(version(at).expect("a version")).expect("nothing speaks against it"))
            }
            _ => Err("the object begins with one value (and a version, as in `initially 1 @7`)".into()),
        }
    }

    fn call(&self, words: &[Word]) -> Result<Op, String> {
        Ok(match (&plain(words)[..], self.versions) {
            (["write", _], _) => Op::Write(words[1].clone()),
            (["read"], _) => Op::Read,
            (["cas", _, _], _) => Op::Cas(words[1].clone(), words[2].clone()),
            (["put", _], true) => Op::Put(words[1].clone()),
            (["delete"], true) => Op::Delete,
            (["delete", at], true) => Op::DeleteIf(version(at).ok_or_else(|| format!("{at:?} is no version: @7 is"))?),
            (["replace", _], true) => Op::Replace(words[1].clone()),
            (["add", by], true) => Op::Add(by.parse().map_err(|_| format!("{by:?} is no whole number"))?),
            (["touch"], true) => Op::Touch,
            (["append", _], true) => Op::Append(words[1].clone()),
            (["prepend", _], true) => Op::Prepend(words[1].clone()),
            (["update", _, at], true) => {
                let version = version(at).or_else(|| at.parse().ok());
                Op::Update(words[1].clone(), version.ok_or_else(|| format!("{at:?} is no version: a number is"))?)
            }
            (_, false) => return unknown_call(words, "write V, read, cas OLD NEW"),
            (_, true) => {
                let calls = "write V, read, cas OLD NEW, put V, delete, update V VERSION, replace V, delete @VERSION, add N, \
                             touch, append V, prepend V";
                return unknown_call(words, calls);
            }
        })
    }

    fn answer(&self, op: &Op, words: &[Word]) -> Result<Answer, String> {
        let yes_or_no = |call| match plain(words)[..] {
            ["yes"] => Ok(Answer::Was(true)),
            ["no"] => Ok(Answer::Was(false)),
            _ => unknown_answer(words, call, "yes or no"),
        };
        match (op, &plain(words)[..]) {
            (Op::Write(_), ["ok"]) => Ok(Answer::Ok(None)),
            (Op::Write(_), ["ok", at]) if self.versions && version(at).is_some() => Ok(Answer::Ok(version(at))),
            (Op::Write(_), _) => unknown_answer(words, "write", "ok"),
            (Op::Read, ["nil"]) => Ok(Answer::Value(None, None)),
            (Op::Read, [_]) => Ok(Answer::Value(Some(words[0].clone()), None)),
            (Op::Read, [_, at]) if self.versions && version(at).is_some() => {
                Ok(Answer::Value(Some(words[0].clone()), version(at)))
            }
            (Op::Read, _) => unknown_answer(words, "read", "one value (and its version, as in 1 @7) or nil"),
            (Op::Cas(..), _) => yes_or_no("cas"),
            (Op::Put(_), _) => yes_or_no("put"),
            (Op::Delete | Op::DeleteIf(_), _) => yes_or_no("delete"),
            (Op::Replace(_), _) => yes_or_no("replace"),
            (Op::Touch, _) => yes_or_no("touch"),
            (Op::Append(_), _) => yes_or_no("append"),
            (Op::Prepend(_), _) => yes_or_no("prepend"),
            (Op::Add(_), ["nil"]) => Ok(Answer::Number(None)),
            (Op::Add(_), [number]) if number.parse::<i64>().is_ok() => Ok(Answer::Number(number.parse().ok())),
            (Op::Add(_), _) => unknown_answer(words, "add", "the new number, or nil"),
            (Op::Update(..), ["stored"]) => Ok(Answer::Stored),
            (Op::Update(..), ["moved"]) => Ok(Answer::Moved),
            (Op::Update(..), ["absent"]) => Ok(Answer::Absent),
            (Op::Update(..), _) => unknown_answer(words, "update", "stored, moved or absent"),
        }
    }

    fn step(&self, held: &Held, op: &Op, answer: Option<&Answer>) -> Option<Held> {
        let same = || held.clone();
        let there = held.value.is_some();
        // Whether the call had its effect: what the answer says, or else what it has if it can.
        let effect = |can: bool| match answer {
            Some(Answer::Was(was)) if *was != can => None,
            _ => Some(can),
        };
        match op {
            Op::Write(value) => {
                let stored = self.store(held, value);
                if let Some(Answer::Ok(Some(version))) = answer { stored.at(*version) } else { Some(stored) }
            }
            Op::Read => match answer {
                Some(Answer::Value(value, _)) if *value != held.value => None,
                Some(Answer::Value(Some(_), Some(version))) => held.at(*version),
                _ => Some(same()),
            },
            Op::Cas(old, new) => {
                effect(held.value.as_ref() == Some(old)).map(|done| if done { self.store(held, new) } else { same() })
            }
            Op::Put(value) => effect(!there).map(|done| if done { self.store(held, value) } else { same() }),
            Op::Delete => effect(there).map(|done| if done { held.next(None, self.versions) } else { same() }),
            Op::Replace(value) => effect(there).map(|done| if done { self.store(held, value) } else { same() }),
            Op::DeleteIf(version) => match answer {
                // Either nothing is there, or something with another version.
                Some(Answer::Was(false)) if there => held.not_at(*version),
                Some(Answer::Was(false)) => Some(same()),
                Some(_) if !there => None,
                Some(_) => held.at(*version).map(|held| held.next(None, self.versions)),
                None if !there => Some(same()),
                None => Some(held.at(*version).map_or_else(same, |held| held.next(None, self.versions))),
            },
            Op::Touch => effect(there).map(|_| same()),
            Op::Append(more) | Op::Prepend(more) => effect(there).map(|done| match &held.value {
                Some(value) if done && matches!(op, Op::Append(_)) => self.store(held, &joined(value, more)),
                Some(value) if done => self.store(held, &joined(more, value)),
                _ => same(),
            }),
            Op::Add(by) => {
                let sum = held.value.as_ref().and_then(|value| value.parse::<i64>().ok()?.checked_add(*by));
                match answer {
                    Some(Answer::Number(None)) => (!there).then(same),
                    Some(Answer::Number(told)) if *told != sum => None,
                    _ => Some(sum.map_or_else(same, |sum| self.store(held, &sum.to_string().into()))),
                }
            }
            Op::Update(value, version) => match answer {
                Some(Answer::Absent) => (!there).then(same),
                Some(Answer::Moved) => there.then(|| held.not_at(*version)).flatten(),
                Some(_) => there.then(|| held.at(*version)).flatten().map(|held| self.store(&held, value)),
                None if !there => Some(same()),
                None => Some(held.at(*version).map_or_else(same, |held| self.store(&held, value))),
            },
        }
    }

    fn holds(&self, held: &Held) -> String {
        match &held.value {
            None => "it holds nothing".into(),
            Some(value) if held.known => format!("it holds {value} with version {}", held.least),
            Some(value) if self.versions && held.least > 0 => {
                format!("it holds {value} with a version of at least {}", held.least)
            }
            Some(value) => format!("it holds {value}"),
        }
    }

    fn needs(&self, op: &Op, answer: &Answer) -> String {
        match (op, answer) {
            (Op::Read, Answer::Value(None, _)) => "the object must hold nothing".into(),
            (Op::Read, Answer::Value(Some(value), None)) => format!("the object must hold {value}"),
            (Op::Read, Answer::Value(Some(value), Some(version))) => {
                format!("the object must hold {value} with version {version}")
            }
            (Op::Cas(old, _), Answer::Was(true)) => format!("the object must hold {old}"),
            (Op::Cas(old, _), _) => format!("the object must hold something other than {old}"),
            (Op::Put(_), Answer::Was(true)) | (Op::Delete, Answer::Was(false)) | (Op::Update(..), Answer::Absent) => {
                "the object must hold nothing".into()
            }
            (Op::Touch | Op::Append(_) | Op::Prepend(_) | Op::Replace(_), Answer::Was(false))
            | (Op::Add(_), Answer::Number(None)) => "the object must hold nothing".into(),
            (Op::Add(by), Answer::Number(Some(told))) => match told.checked_sub(*by) {
                Some(before) => format!("the object must hold {before}"),
                None => "the object must hold a number that there is not".into(),
            },
            (Op::DeleteIf(version), Answer::Was(false)) => {
                format!("the object must hold nothing, or something with another version than {version}")
            }
            (Op::DeleteIf(version), _) => format!("the object must hold something with version {version}"),
            (Op::Put(_) | Op::Delete | Op::Touch | Op::Append(_) | Op::Prepend(_) | Op::Replace(_) | Op::Add(_), _) => {
                "the object must hold something".into()
            }
            (Op::Update(_, version), Answer::Moved) => {
                format!("the object must hold something with another version than {version}")
            }
            (Op::Update(_, version), _) => format!("the object must hold something with version {version}"),
            (Op::Write(_), Answer::Ok(Some(version))) => format!("its last version must be less than {version}"),
            (Op::Write(_) | Op::Read, _) => "nothing".into(),
        }
    }
}
