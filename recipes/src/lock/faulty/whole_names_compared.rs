//! Contenders are ordered by the whole name.

use super::contend;
use crate::Environment;
use crate::lock::{Acquired, Contender, Lock, LockError, Queue};

/// *Wrong:* the names are sorted as texts, so the id in front of the number decides. A newcomer
/// with a small id sorts before the holder and is granted too.
///
/// *Seen:* <https://github.com/apache/zookeeper/pull/413> (O69, ZOOKEEPER-2931, where the id is
/// the session's); slip 21 of the recipe's text.
///
/// *Cure:* compare the number behind the name and nothing else.
#[derive(Clone)]
pub struct WholeNamesCompared<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for WholeNamesCompared<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        contend(&self.0, turn).await
    }
}

async fn turn<E: Environment>(contender: Contender<E>) -> Result<Option<Acquired>, LockError> {
    loop {
        let mut names = contender.list("faulty: list").await?;
        names.sort();
        match contender.position(&names) {
            Some(0) => return contender.granted().map(Some),
            Some(at) => {
                let predecessor = &names[at - 1];
                if let Some(mut watch) = contender.watch(predecessor).await? {
                    contender.wait(predecessor, &mut watch).await?;
                }
            }
            None => {
                contender.forget();
                return Ok(None);
            }
        }
    }
}
