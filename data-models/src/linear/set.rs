//! A set.

use std::collections::BTreeSet;

use super::spec::{Spec, Word, plain, unknown_answer, unknown_call};

/// A set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Op {
    Add(Word),
    Remove(Word),
    Contains(Word),
    Read,
}

#[derive(Clone, Debug)]
pub(super) enum Answer {
    Ok,
    Was(bool),
    Elements(BTreeSet<Word>),
}

/// `[a b]`, or without the brackets.
fn elements(words: &[Word]) -> BTreeSet<Word> {
    let text = plain(words).join(" ");
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(&text);
    inner.split([' ', ',']).filter(|word| !word.is_empty()).map(Word::from).collect()
}

fn listed(set: &BTreeSet<Word>) -> String {
    let words: Vec<&str> = set.iter().map(|word| &**word).collect();
    if words.is_empty() { "nothing".into() } else { words.join(", ") }
}

impl Spec for Set {
    type State = BTreeSet<Word>;
    type Op = Op;
    type Answer = Answer;

    fn initially(&self, words: &[Word]) -> Result<BTreeSet<Word>, String> {
        Ok(elements(words))
    }

    fn call(&self, words: &[Word]) -> Result<Op, String> {
        match plain(words)[..] {
            ["add", _] => Ok(Op::Add(words[1].clone())),
            ["remove", _] => Ok(Op::Remove(words[1].clone())),
            ["contains", _] => Ok(Op::Contains(words[1].clone())),
            ["read"] => Ok(Op::Read),
            _ => unknown_call(words, "add E, remove E, contains E, read"),
        }
    }

    fn answer(&self, op: &Op, words: &[Word]) -> Result<Answer, String> {
        match (op, &plain(words)[..]) {
            (Op::Read, _) => Ok(Answer::Elements(elements(words))),
            (Op::Add(_) | Op::Remove(_), ["ok"]) => Ok(Answer::Ok),
            (_, ["yes"]) => Ok(Answer::Was(true)),
            (_, ["no"]) => Ok(Answer::Was(false)),
            (Op::Contains(_), _) => unknown_answer(words, "contains", "yes or no"),
            (Op::Add(_), _) => unknown_answer(words, "add", "ok, yes or no"),
            (Op::Remove(_), _) => unknown_answer(words, "remove", "ok, yes or no"),
        }
    }

    fn step(&self, set: &BTreeSet<Word>, op: &Op, answer: Option<&Answer>) -> Option<BTreeSet<Word>> {
        let mut after = set.clone();
        let was = match op {
            Op::Add(element) => after.insert(element.clone()),
            Op::Remove(element) => after.remove(element),
            Op::Contains(element) => set.contains(element),
            Op::Read => return answer.is_none_or(|a| matches!(a, Answer::Elements(e) if e == set)).then_some(after),
        };
        answer.is_none_or(|answer| if let Answer::Was(told) = answer { *told == was } else { true }).then_some(after)
    }

    fn holds(&self, set: &BTreeSet<Word>) -> String {
        format!("it holds {}", listed(set))
    }

    fn needs(&self, op: &Op, answer: &Answer) -> String {
        match (op, answer) {
            (Op::Read, Answer::Elements(set)) => format!("the object must hold {}", listed(set)),
            (Op::Remove(e) | Op::Contains(e), Answer::Was(true)) | (Op::Add(e), Answer::Was(false)) => {
                format!("{e} must be in it")
            }
            (Op::Remove(e) | Op::Contains(e), Answer::Was(false)) | (Op::Add(e), Answer::Was(true)) => {
                format!("{e} must not be in it")
            }
            _ => "nothing".into(),
        }
    }
}
