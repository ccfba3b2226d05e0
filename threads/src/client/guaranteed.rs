//! Curator's `guaranteed()` delete (§5.1, release), for what is given back.

use overtake_recipes::client::{CleanUp, Client, Options, Remains};

use super::{Env, Service};
use crate::error::Error;
use crate::sync::Threads;

/// Deletes the node as often as the policy says. When that fails the error is answered, and the background goes on for as
/// long as the session lives. A node that is gone is no error.
pub(crate) async fn delete_for_certain<S: Threads, V: Service>(
    env: Env<S, V>,
    place: &'static str,
    node: String,
) -> Result<(), Error> {
    let client = Client::new(env, Options::default());
    CleanUp::new(&client, Remains::Node(node)).delete_now(place, &[]).await.map_err(Error::Zk)
}
