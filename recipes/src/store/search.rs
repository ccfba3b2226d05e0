//! A search endpoint: each query is answered by itself, and the answers may overtake each other.

use std::future::Future;

use super::StoreError;

/// A client's handle.
pub trait Search: Clone {
    /// What is found for the text, as the name of a result list: the same text always has the same result. Dropping the future
    /// is the caller's "I do not care any more": the request is out, and its answer is thrown away.
    fn query(&self, text: &str) -> impl Future<Output = Result<String, StoreError>>;
}
