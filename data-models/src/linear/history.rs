//! Reading a history.

use std::collections::HashMap;

use super::spec::{Spec, Word, plain};
use super::{Malformed, json};

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// What the object holds at first.
    Initially,
    /// A process calls.
    Call(Word),
    /// A process is answered.
    Return(Word),
}

/// A line.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub line: usize,
    pub what: What,
    /// The object, where there are several.
    pub key: Option<Word>,
    pub words: Vec<Word>,
}

fn malformed<T>(line: usize, what: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { line: Some(line), what: what.into() })
}

fn read_line(line: &str, keyed: bool) -> Result<(What, Vec<Word>), String> {
    if line.starts_with('{') {
        return json::read(line, keyed);
    }
    let words: Vec<Word> = line.split_whitespace().map(Word::from).collect();
    match &plain(&words)[..] {
        ["initially", ..] => Ok((What::Initially, words[1..].to_vec())),
        [process, "call", _, ..] => Ok((What::Call((*process).into()), words[2..].to_vec())),
        [process, "return", _, ..] => Ok((What::Return((*process).into()), words[2..].to_vec())),
        _ => Err(format!("{line:?} is no event; write `a call read`, `a return 1`, or `initially 0`")),
    }
}

/// Reads all events; with `keyed` the first argument of every call is the key.
pub(super) fn read(text: &str, keyed: bool) -> Result<Vec<Event>, Malformed> {
    let mut events = Vec::new();
    // What each process has called and not been answered: the line, and the key.
    let mut open: HashMap<Word, (usize, Option<Word>)> = HashMap::new();
    let mut began = false;
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let line = line.trim();
        let line = if line.starts_with('{') { line } else { line.split('#').next().unwrap_or_default().trim() };
        if line.is_empty() {
            continue;
        }
        let (what, mut words) = read_line(line, keyed).map_err(|what| Malformed { line: Some(number), what })?;
        let mut key = None;
        match &what {
            What::Initially => {
                if began {
                    return malformed(number, "`initially` stands in front of all calls");
                }
                if keyed {
                    if words.is_empty() {
                        return malformed(number, "with several keys it is `initially KEY VALUE`");
                    }
                    key = Some(words.remove(0));
                }
                if events.iter().any(|event: &Event| event.key == key) {
                    return malformed(number, "the same object begins twice");
                }
            }
            What::Call(process) => {
                began = true;
                if keyed {
                    if words.len() < 2 {
                        return malformed(number, "the call names no key; with several keys it is `a call read KEY`");
                    }
                    key = Some(words.remove(1));
                }
                if let Some((line, _)) = open.insert(process.clone(), (number, key.clone())) {
                    let what = format!("process {process} calls, but its call of line {line} has not returned");
                    return malformed(number, what);
                }
            }
            What::Return(process) => match open.remove(process) {
                Some((_, called)) => key = called,
                None => return malformed(number, format!("process {process} returns, but it has no call open")),
            },
        }
        events.push(Event { line: number, what, key, words });
    }
    if !began {
        return Err(Malformed { line: None, what: "there is no call in it, so there is nothing to check".into() });
    }
    Ok(events)
}

/// A call, and its answer if there is one.
#[derive(Clone, Debug)]
pub(super) struct Operation<O, A> {
    pub process: Word,
    /// Lines. They are moments, too.
    pub called: usize,
    pub returned: Option<usize>,
    pub op: O,
    pub answer: Option<A>,
    /// As they are written.
    pub call_text: String,
    pub answer_text: String,
}

/// The calls on one object, in the order of their lines.
#[derive(Clone, Debug)]
pub(super) struct History<S: Spec> {
    pub initial: S::State,
    pub operations: Vec<Operation<S::Op, S::Answer>>,
    /// What its moments are called: lines, events.
    pub unit: &'static str,
}

impl<S: Spec> History<S> {
    /// Of the events of one object.
    pub fn new(spec: &S, events: &[Event]) -> Result<Self, Malformed> {
        let at = |line: usize| move |what: String| Malformed { line: Some(line), what };
        let mut initial = spec.initially(&[]).map_err(at(0))?;
        let mut operations: Vec<Operation<S::Op, S::Answer>> = Vec::new();
        let mut open: HashMap<&Word, usize> = HashMap::new();
        let mut failed = Vec::new();
        for event in events {
            match &event.what {
                What::Initially => initial = spec.initially(&event.words).map_err(at(event.line))?,
                What::Call(process) => {
                    open.insert(process, operations.len());
                    operations.push(Operation {
                        process: process.clone(),
                        called: event.line,
                        returned: None,
                        op: spec.call(&event.words).map_err(at(event.line))?,
                        answer: None,
                        call_text: plain(&event.words).join(" "),
                        answer_text: String::new(),
                    });
                }
                What::Return(process) => {
                    let index = open.remove(process).expect("only what is open returns");
                    let operation = &mut operations[index];
                    match plain(&event.words)[..] {
                        ["unknown"] => {}
                        ["failed"] => failed.push(index),
                        _ => {
                            let answer = spec.answer(&operation.op, &event.words).map_err(at(event.line))?;
                            operation.answer = Some(answer);
                            operation.returned = Some(event.line);
                            operation.answer_text = plain(&event.words).join(" ");
                        }
                    }
                }
            }
        }
        failed.sort_unstable();
        failed.into_iter().rev().for_each(|index| drop(operations.remove(index)));
        Ok(Self { initial, operations, unit: "line" })
    }

    /// How many have no answer.
    pub fn unanswered(&self) -> usize {
        self.operations.iter().filter(|operation| operation.answer.is_none()).count()
    }
}
