//! The definition of linearizability, word by word and without any cleverness, and histories to try it on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use overtake_data_models::linear::Model;
use proptest::prelude::*;

/// Every object of every model at once. Versions are concrete here.
#[derive(Clone, Debug, Default)]
struct Object {
    /// Value and version, by key.
    cells: BTreeMap<String, (Option<String>, u64)>,
    /// The least version that the next store may get, by key.
    next: BTreeMap<String, u64>,
    count: i64,
    set: BTreeSet<String>,
    /// The versions that the history speaks of.
    mentioned: Rc<[u64]>,
}

fn yes_or_no(yes: bool) -> Vec<String> {
    vec![if yes { "yes" } else { "no" }.to_owned()]
}

impl Object {
    fn begin(self, model: Model, words: &[&str]) -> Vec<Self> {
        let object = self;
        match (model, words) {
            (_, []) => vec![object],
            (Model::Counter, [count]) => vec![Self { count: count.parse().unwrap(), ..object }],
            (Model::Set, elements) => {
                let elements = elements.iter().map(|word| word.trim_matches(['[', ']']).to_owned());
                vec![Self { set: elements.filter(|word| !word.is_empty()).collect(), ..object }]
            }
            (Model::Kv, [key, value]) => object.stores(key, value),
            (_, [value]) => object.stores("", value),
            _ => unreachable!("the generator writes no other"),
        }
        .into_iter()
        .collect()
    }

    /// The object with the value stored, for every version that makes a difference: of those that nobody speaks of, the least
    /// leaves most to choose later.
    fn stores(&self, key: &str, value: &str) -> Vec<Self> {
        let least = self.next.get(key).copied().unwrap_or(0);
        let store = |version: u64| {
            let mut object = self.clone();
            object.cells.insert(key.to_owned(), (Some(value.to_owned()), version));
            object.next.insert(key.to_owned(), version + 1);
            object
        };
        let other = (least..).find(|version| !self.mentioned.contains(version));
        let mentioned = self.mentioned.iter().copied().filter(|version| *version >= least);
        mentioned.chain(other).map(store).collect()
    }

    /// What may come of a call: the object after it, and the answers that are right.
    fn call(&self, model: Model, words: &[&str]) -> Vec<(Self, Vec<String>)> {
        let same = |answers: Vec<String>| vec![(self.clone(), answers)];
        match model {
            Model::Counter => match words {
                ["add", by] => {
                    let count = self.count + by.parse::<i64>().unwrap();
                    vec![(Self { count, ..self.clone() }, vec!["ok".into(), count.to_string()])]
                }
                _ => same(vec![self.count.to_string()]),
            },
            Model::Set => {
                let mut after = self.clone();
                match words {
                    ["add", element] => {
                        let was = yes_or_no(after.set.insert((*element).to_owned()));
                        vec![(after, [was, vec!["ok".into()]].concat())]
                    }
                    ["remove", element] => {
                        let was = yes_or_no(after.set.remove(*element));
                        vec![(after, [was, vec!["ok".into()]].concat())]
                    }
                    ["contains", element] => same(yes_or_no(self.set.contains(*element))),
                    _ => same(vec![format!("[{}]", self.set.iter().cloned().collect::<Vec<_>>().join(" "))]),
                }
            }
            Model::Register | Model::Cas | Model::Kv => {
                let mut words = words.to_vec();
                let key = if model == Model::Kv { words.remove(1) } else { "" };
                self.register(key, &words)
            }
        }
    }

    fn register(&self, key: &str, words: &[&str]) -> Vec<(Self, Vec<String>)> {
        let cell = self.cells.get(key).cloned().unwrap_or_default();
        let same = |answers: Vec<String>| vec![(self.clone(), answers)];
        let answered = |answers: Vec<String>| move |object: Self| (object, answers.clone());
        let stored =
            |value: &str, answers: Vec<String>| self.stores(key, value).into_iter().map(answered(answers)).collect();
        match (words, cell.0) {
            (["read"], None) => same(vec!["nil".into()]),
            (["read"], Some(value)) => same(vec![value.clone(), format!("{value} @{}", cell.1)]),
            (["write", value], _) => {
                let told = |object: Self| {
                    let version = object.cells[key].1;
                    (object, vec!["ok".into(), format!("ok @{version}")])
                };
                self.stores(key, value).into_iter().map(told).collect()
            }
            (["cas", old, new], Some(value)) if value == *old => stored(new, yes_or_no(true)),
            (["cas", ..], _) => same(yes_or_no(false)),
            (["put", value], None) => stored(value, yes_or_no(true)),
            (["put", _], Some(_)) => same(yes_or_no(false)),
            (["delete"], None) => same(yes_or_no(false)),
            (["delete"], Some(_)) => {
                let mut object = self.clone();
                object.cells.remove(key);
                vec![(object, yes_or_no(true))]
            }
            (["update", ..], None) => same(vec!["absent".into()]),
            (["update", value, version], Some(_)) if version.parse() == Ok(cell.1) => {
                stored(value, vec!["stored".into()])
            }
            (["update", ..], Some(_)) => same(vec!["moved".into()]),
            other => unreachable!("{other:?}"),
        }
    }
}

#[derive(Clone, Debug)]
struct Call {
    words: Vec<String>,
    called: usize,
    /// The moment and the answer.
    returned: Option<(usize, String)>,
}

/// Whether some order of the calls explains the history: every one is tried.
pub fn has_order(model: Model, text: &str) -> bool {
    let mut calls: Vec<(String, Call)> = Vec::new();
    let mut begin = Vec::new();
    for (moment, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["initially", ..] => begin.push(words[1..].to_vec()),
            [process, "call", ..] => {
                let words = words[2..].iter().map(|word| (*word).to_owned()).collect();
                calls.push((process.to_owned(), Call { words, called: moment, returned: None }));
            }
            [process, "return", "unknown"] => {
                let open = calls.iter_mut().rev().find(|(p, _)| p == process).expect("a call");
                open.0 = "gone".into();
            }
            [process, "return", ..] => {
                let (_, call) = calls.iter_mut().rev().find(|(p, _)| p == process).expect("a call");
                call.returned = Some((moment, words[2..].join(" ")));
            }
            _ => unreachable!("{line}"),
        }
    }
    let calls: Vec<Call> = calls.into_iter().map(|(_, call)| call).collect();
    let words = text.split_whitespace();
    let numbers = words.filter_map(|word| word.trim_start_matches('@').parse().ok());
    let object = Object { mentioned: numbers.collect::<BTreeSet<u64>>().into_iter().collect(), ..Object::default() };
    let begins = match &begin[..] {
        [] => vec![object],
        [words] => object.begin(model, words),
        _ => unreachable!("the generator writes one at most"),
    };
    begins.iter().any(|object| extends(model, object, &calls, &mut vec![false; calls.len()]))
}

fn extends(model: Model, object: &Object, calls: &[Call], done: &mut Vec<bool>) -> bool {
    if calls.iter().zip(&*done).all(|(call, done)| *done || call.returned.is_none()) {
        return true;
    }
    for at in 0..calls.len() {
        let too_late = |other: usize| {
            !done[other] && calls[other].returned.as_ref().is_some_and(|(returned, _)| *returned < calls[at].called)
        };
        if done[at] || (0..calls.len()).any(too_late) {
            continue;
        }
        let words: Vec<&str> = calls[at].words.iter().map(String::as_str).collect();
        for (after, answers) in object.call(model, &words) {
            if calls[at].returned.as_ref().is_none_or(|(_, answer)| answers.contains(answer)) {
                done[at] = true;
                let found = extends(model, &after, calls, done);
                done[at] = false;
                if found {
                    return true;
                }
            }
        }
    }
    false
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}

/// A call, by dice.
fn some_call(model: Model, dice: &mut Dice, values: usize) -> String {
    let value = |dice: &mut Dice| dice.below(values);
    let key = if model == Model::Kv { format!(" {}", ["x", "y"][dice.below(2)]) } else { String::new() };
    match (model, dice.below(6)) {
        (Model::Counter, 0..=3) => format!("add {}", 1 + dice.below(2)),
        (Model::Set, 0 | 1) => format!("add {}", value(dice)),
        (Model::Set, 2) => format!("remove {}", value(dice)),
        (Model::Set, 3) => format!("contains {}", value(dice)),
        (Model::Register, 0..=2) | (Model::Cas | Model::Kv, 0) => format!("write{key} {}", value(dice)),
        (Model::Register, 3) | (Model::Cas | Model::Kv, 1) => format!("cas{key} {} {}", value(dice), value(dice)),
        (Model::Cas | Model::Kv, 2) => format!("put{key} {}", value(dice)),
        (Model::Cas | Model::Kv, 3) => format!("update{key} {} {}", value(dice), dice.below(4)),
        (Model::Cas | Model::Kv, 4) if dice.below(2) == 0 => format!("delete{key}"),
        _ => format!("read{key}"),
    }
}

/// A history as it is recorded from one object that is used by several processes at once: each call takes effect at some
/// moment before it returns; of those whose answers are lost, some take effect later, some never.
pub fn run(model: Model, processes: usize, calls: usize, lost: f64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut object = Object { mentioned: (0..5).collect(), ..Object::default() };
    let mut text = String::new();
    // What each process has called, and what it will be answered once it has taken effect.
    let mut open: Vec<Option<(String, Option<String>)>> = vec![None; processes];
    let mut lost_calls: Vec<String> = Vec::new();
    let mut left = calls;
    while left > 0 || open.iter().any(Option::is_some) {
        let mut apply = |call: &str, dice: &mut Dice| {
            let words: Vec<&str> = call.split(' ').collect();
            let mut ends = object.call(model, &words);
            let (after, mut answers) = ends.swap_remove(dice.below(ends.len()));
            object = after;
            answers.retain(|answer| model != Model::Register || !answer.contains('@'));
            answers.swap_remove(dice.below(answers.len()))
        };
        if !lost_calls.is_empty() && dice.below(4) == 0 {
            let call = lost_calls.swap_remove(dice.below(lost_calls.len()));
            apply(&call, &mut dice);
        }
        let at = dice.below(processes);
        match open[at].take() {
            None if left > 0 => {
                left -= 1;
                let call = some_call(model, &mut dice, 5);
                writeln!(text, "p{at} call {call}").unwrap();
                open[at] = Some((call, None));
            }
            None => {}
            Some((call, None)) if (dice.below(1000) as f64) < lost * 1000.0 => {
                writeln!(text, "p{at} return unknown").unwrap();
                if dice.below(2) == 0 {
                    lost_calls.push(call);
                }
            }
            Some((call, None)) => {
                let answer = apply(&call, &mut dice);
                open[at] = Some((call, Some(answer)));
            }
            Some((_, Some(answer))) => writeln!(text, "p{at} return {answer}").unwrap(),
        }
    }
    text
}

/// The same with a read at the end that saw what nobody wrote.
pub fn lie(history: &str) -> String {
    format!("{history}liar call read\nliar return 999\n")
}

/// An answer that the call could have in some history, by dice.
fn some_answer(call: &str, model: Model, dice: &mut Dice) -> String {
    let value = dice.below(3);
    let version = dice.below(4);
    let verb = call.split(' ').next().expect("a verb");
    match (model, verb, dice.below(4)) {
        (_, _, 0) if dice.below(3) == 0 => "unknown".into(),
        (Model::Counter, "add", 0..=2) | (Model::Set, "add" | "remove", 0 | 1) => "ok".into(),
        (Model::Counter, ..) => dice.below(5).to_string(),
        (Model::Set, "read", which) => ["[]", "[0]", "[1]", "[0 1]"][which].into(),
        (Model::Cas | Model::Kv, "write", 0) => format!("ok @{version}"),
        (_, "write", _) => "ok".into(),
        (Model::Cas | Model::Kv, "read", 0 | 1) => format!("{value} @{version}"),
        (_, "read", 2) => "nil".into(),
        (_, "read", _) => value.to_string(),
        (_, "update", which) => ["stored", "stored", "moved", "absent"][which].into(),
        (_, _, which) => ["yes", "yes", "yes", "no"][which].into(),
    }
}

fn made_up(model: Model, calls: usize, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    if dice.below(2) == 0 {
        text += match model {
            Model::Kv => "initially x 0\n",
            Model::Set => "initially [0]\n",
            _ => "initially 1\n",
        };
    }
    let mut open: Vec<Option<String>> = vec![None; 3];
    let mut left = calls;
    while left > 0 {
        let at = dice.below(3);
        match open[at].take() {
            None => {
                left -= 1;
                let call = some_call(model, &mut dice, 3);
                writeln!(text, "p{at} call {call}").unwrap();
                open[at] = Some(call);
            }
            Some(call) => writeln!(text, "p{at} return {}", some_answer(&call, model, &mut dice)).unwrap(),
        }
    }
    for (at, call) in open.into_iter().enumerate() {
        if let Some(call) = call.filter(|_| dice.below(4) > 0) {
            writeln!(text, "p{at} return {}", some_answer(&call, model, &mut dice)).unwrap();
        }
    }
    text
}

/// A recorded history in which one answer is exchanged for another.
fn falsified(model: Model, calls: usize, seed: u64) -> String {
    let text = run(model, 3, calls, 0.1, seed);
    let mut dice = Dice(seed ^ 1);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let answers: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains(" return ")).collect();
    let at = answers[dice.below(answers.len())];
    let process = lines[at].split(' ').next().expect("a process").to_owned();
    let head = format!("{process} call ");
    let call = lines[..at].iter().rev().find_map(|line| line.strip_prefix(&head)).expect("its call").to_owned();
    lines[at] = format!("{process} return {}", some_answer(&call, model, &mut dice));
    lines.join("\n") + "\n"
}

/// Small histories: made up, or recorded and falsified.
pub fn histories() -> impl Strategy<Value = (Model, String)> {
    let model = prop::sample::select(&Model::ALL[..]);
    (model, 1usize..7, any::<bool>(), any::<u64>()).prop_map(|(model, calls, recorded, seed)| {
        (model, if recorded { falsified(model, calls, seed) } else { made_up(model, calls, seed) })
    })
}
