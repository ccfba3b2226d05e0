//! A counter.

use super::spec::{Spec, Word, plain, unknown_answer, unknown_call};

/// A counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Op {
    Add(i64),
    Read,
}

impl Spec for Counter {
    type State = i64;
    type Op = Op;
    /// The number, where it is told.
    type Answer = Option<i64>;

    fn initially(&self, words: &[Word]) -> Result<i64, String> {
        match plain(words)[..] {
            [] => Ok(0),
            [number] => number.parse().map_err(|_| format!("{number:?} is no whole number")),
            _ => Err("a counter begins with one number".into()),
        }
    }

    fn call(&self, words: &[Word]) -> Result<Op, String> {
        match plain(words)[..] {
            ["add", by] => by.parse().map(Op::Add).map_err(|_| format!("{by:?} is no whole number")),
            ["read"] => Ok(Op::Read),
            _ => unknown_call(words, "add N, read"),
        }
    }

    fn answer(&self, op: &Op, words: &[Word]) -> Result<Option<i64>, String> {
        match (op, &plain(words)[..]) {
            (Op::Add(_), ["ok"]) => Ok(None),
            (Op::Add(_), [number]) if number.parse::<i64>().is_ok() => Ok(number.parse().ok()),
            (Op::Add(_), _) => unknown_answer(words, "add", "ok or the new number"),
            (Op::Read, [number]) if number.parse::<i64>().is_ok() => Ok(number.parse().ok()),
            (Op::Read, _) => unknown_answer(words, "read", "a whole number"),
        }
    }

    fn step(&self, at: &i64, op: &Op, answer: Option<&Option<i64>>) -> Option<i64> {
        let after = if let Op::Add(by) = op { at.checked_add(*by)? } else { *at };
        answer.copied().flatten().is_none_or(|told| told == after).then_some(after)
    }

    fn holds(&self, at: &i64) -> String {
        format!("it is at {at}")
    }

    fn needs(&self, op: &Op, answer: &Option<i64>) -> String {
        match (op, answer) {
            (Op::Add(by), Some(told)) => match told.checked_sub(*by) {
                Some(before) => format!("the counter must be at {before}"),
                None => "the counter must be at a number that there is not".into(),
            },
            (Op::Read, Some(told)) => format!("the counter must be at {told}"),
            (_, None) => "nothing".into(),
        }
    }
}
