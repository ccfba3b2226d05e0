//! Requests that are sent again after a connection was lost.

use std::future::Future;
use std::time::Duration;

use crate::{Environment, ZkError};

/// How long to wait before a request is sent again.
pub const PAUSE: Duration = Duration::from_millis(100);

/// Whether the error leaves open what became of the request, while the session may live on.
pub fn is_loss(error: ZkError) -> bool {
    matches!(error, ZkError::ConnectionLoss | ZkError::SessionMoved)
}

/// Sends a request again until an answer comes. Only for requests that do no harm when they are
/// applied twice. `place` and `key` are the checkpoint before each sending.
pub async fn retry<E: Environment, T, F: Future<Output = Result<T, ZkError>>>(
    env: &E,
    place: &'static str,
    key: &[&str],
    mut request: impl FnMut() -> F,
) -> Result<T, ZkError> {
    loop {
        env.checkpoint(place, key);
        match request().await {
            Err(error) if is_loss(error) => env.sleep(PAUSE).await,
            answer => return answer,
        }
    }
}
