//! The transaction that follows the recipe.

use super::TwoPhaseCommit;
use crate::Environment;

/// The recipe.
#[derive(Clone)]
pub struct Transaction<E: Environment> {
    env: E,
    path: String,
}

impl<E: Environment> TwoPhaseCommit<E> for Transaction<E> {
    fn new(env: E, path: &str) -> Self {
        Self { env, path: path.to_owned() }
    }

    fn parts(&self) -> (&E, &str) {
        (&self.env, &self.path)
    }
}
