//! The answer to the delete is not looked at.

use crate::lock::LockError;
use crate::work_queue::{WorkQueue, once};
use crate::{Environment, Op, ZkError};

/// *Wrong:* two consumers read the same item and delete it; the second is told that it is gone, and handles it all the same.
///
/// *Seen:* the official text does not say that the delete decides who has the item.
///
/// *Cure:* whoever is told NoNode looks for the next item.
#[derive(Clone)]
pub struct AnswerIgnored<E: Environment>(E, String);

impl<E: Environment> WorkQueue<E> for AnswerIgnored<E> {
    at_a_path!();

    async fn delete(&self, path: &str, item: &str, receipt: &str) -> Result<bool, LockError> {
        let delete = || Op::Delete { path: path.to_owned(), version: None };
        match once(&self.0, "faulty: take", &[path, item], receipt, delete).await {
            Ok(()) | Err(ZkError::NoNode) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}
