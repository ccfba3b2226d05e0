//! What the variants of one implementation have in common, so that each says only what it differs in.

use std::time::Duration;

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// Without end.
    Forever,
    /// So long at most. Whether several waits share the time is the implementation's matter.
    For(Duration),
    /// Not at all: one look.
    None,
}

/// The three ways to acquire, of a tuple struct over something with `queue()` and `acquire(Patience)`.
macro_rules! acquire_calls {
    () => {
        fn queue(&self) -> &Queue<E> {
            self.0.queue()
        }

        async fn acquire(&self) -> Result<Acquired, LockError> {
            self.0.acquire(Patience::Forever).await?.ok_or(LockError::NotHeld)
        }

        async fn try_acquire(&self) -> Result<Option<Acquired>, LockError> {
            self.0.acquire(Patience::None).await
        }

        async fn acquire_timeout(&self, wait: std::time::Duration) -> Result<Option<Acquired>, LockError> {
            self.0.acquire(Patience::For(wait)).await
        }
    };
}

/// The calls of a tuple struct over Curator's mutex.
macro_rules! curator_calls {
    () => {
        acquire_calls!();

        async fn release(&self, _: Acquired) -> Result<(), LockError> {
            self.0.release().await
        }
    };
}

/// The calls of a tuple struct over kazoo's lock.
macro_rules! kazoo_calls {
    () => {
        acquire_calls!();

        async fn release(&self, _: Acquired) -> Result<(), LockError> {
            // `False` for a lock that is not held is no error in kazoo.
            self.0.release().await.map(drop)
        }
    };
}

/// The calls of a tuple struct over ZooKeeper's write lock.
macro_rules! write_lock_calls {
    () => {
        acquire_calls!();

        async fn release(&self, lock: Acquired) -> Result<(), LockError> {
            self.0.unlock(&lock.path).await
        }
    };
}
