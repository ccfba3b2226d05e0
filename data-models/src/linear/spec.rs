//! What an object does when one process at a time uses it.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// A value: a word of the history.
pub(super) type Word = Arc<str>;

/// An object, used by one process at a time.
pub(super) trait Spec {
    /// What it holds.
    type State: Clone + Eq + Hash + Debug;
    /// What is asked of it.
    type Op: Clone + PartialEq + Debug;
    /// What it answers.
    type Answer: Clone + Debug;

    /// What the object holds at first, from the words behind `initially`; none when there is no such line.
    fn initially(&self, words: &[Word]) -> Result<Self::State, String>;

    /// Reads a call.
    fn call(&self, words: &[Word]) -> Result<Self::Op, String>;

    /// Reads the answer to a call.
    fn answer(&self, op: &Self::Op, words: &[Word]) -> Result<Self::Answer, String>;

    /// What the object holds after the call, if it can answer so; with no answer, after the effect that the call has if it
    /// has any.
    fn step(&self, state: &Self::State, op: &Self::Op, answer: Option<&Self::Answer>) -> Option<Self::State>;

    /// What the object holds: `it holds 1`.
    fn holds(&self, state: &Self::State) -> String;

    /// What the answer to the call needs: `it must hold 1`.
    fn needs(&self, op: &Self::Op, answer: &Self::Answer) -> String;
}

/// A sentence on a call that the model does not have.
pub(super) fn unknown_call<T>(words: &[Word], calls: &str) -> Result<T, String> {
    Err(format!("{:?} is no call of this model; it has {calls}", words.join(" ")))
}

/// A sentence on an answer that the call cannot have.
pub(super) fn unknown_answer<T>(words: &[Word], call: &str, answers: &str) -> Result<T, String> {
    Err(format!("{:?} is no answer to a {call}; it answers {answers}, or unknown, or failed", words.join(" ")))
}

/// The words as plain text, to be matched.
pub(super) fn plain(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| &**word).collect()
}
