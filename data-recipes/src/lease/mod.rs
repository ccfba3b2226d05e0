//! A lease: a lock by PUT with an expiration, an owner's token, and a fencing number.
//!
//! PUT stores only if nothing is there, so of several clients one gets the lease; the expiration gives it back when its holder has died. The
//! holder is not told when that happens while it lives. So its release must delete its *own* lease only, and whatever the lease protects must
//! refuse what comes from a former holder.
//!
//! The **fencing number** is the version of the lease itself: the node gave it at the moment of the grant, and gives a higher one to every
//! later grant. A number that is drawn from a counter after the grant does not do ([`faulty::number_drawn_late`]). Versions start again when
//! the node starts again, and are not comparable between nodes (`semantics §6.2`): no lease is safe then.
//!
//! Source: `semantics §6.3`, §6.4.

pub mod faulty;

use std::time::Duration;

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Updated, Value, Version, doc};

/// A usual life.
pub const LIFE: Expiration = Expiration::After(Duration::from_secs(10));

/// How long to wait before another try.
pub const PAUSE: Duration = Duration::from_millis(50);

/// A lease that was granted. It may be over at any moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The key of the lease.
    pub key: String,
    /// The version of the lease: what it is released by, and its fencing number.
    pub version: Version,
}

impl Held {
    /// The fencing number: higher for every later grant of the same life of the node.
    pub fn number(&self) -> i64 {
        self.version.0.cast_signed()
    }
}

/// Waits until the lease is granted. `token` is what nobody else uses; `life` is how long it lives when it is not given back. Whoever gets no answer to a PUT looks whose the lease is.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn acquire<E: DataEnvironment>(
    env: &E,
    key: &str,
    token: &str,
    life: Expiration,
) -> Result<Held, StoreError> {
    let dht = env.dht();
    loop {
        env.checkpoint("lease: acquire", &[key, token]);
        let put = dht.put(key, token.into(), life).await;
        // The answer does not tell the version; and after no answer, or a refusal, the lease may be this client's own.
        match put {
            Ok(_) | Err(StoreError::Unknown) => match dht.get(key).await {
                Ok(Some(lease)) if lease.data.as_text().is_some_and(|owner| owner == token) => {
                    return Ok(Held { key: key.to_owned(), version: lease.version });
                }
                Ok(_) | Err(StoreError::Unknown | StoreError::Unavailable) => {}
                Err(error) => return Err(error),
            },
            Err(StoreError::Unavailable) => {}
            Err(error) => return Err(error),
        }
        env.sleep(PAUSE).await;
    }
}

/// Gives the lease back, if it is still this one. Whoever gets no answer may leave it to the expiration.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn release<E: DataEnvironment>(env: &E, held: &Held) -> Result<(), StoreError> {
    match env.dht().del_if(&held.key, held.version).await {
        Ok(_) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes what the lease protects, unless a later holder has written already: `false` then. The record carries the number of the holder
/// who wrote it, and is written only if it has not changed since it was read.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn write_fenced<E: DataEnvironment>(
    env: &E,
    record: &str,
    value: Value,
    number: i64,
) -> Result<bool, StoreError> {
    let dht = env.dht();
    loop {
        env.checkpoint("lease: write", &[record, &number.to_string()]);
        let written = match dht.get(record).await {
            Ok(Some(found)) if found.data.int("number") > number => return Ok(false),
            Ok(found) => {
                let data = doc([("number", number.into()), ("value", value.clone())]);
                match found {
                    Some(found) => dht.update(record, data, found.version).await.map(|up| up == Updated::Stored),
                    None => dht.put(record, data, Expiration::Never).await,
                }
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(StoreError::Unknown | StoreError::Unavailable) => env.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
    }
}
