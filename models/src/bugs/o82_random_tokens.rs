//! O82, awslabs/amazon-dynamodb-lock-client#1: record versions are random ids and cannot fence.
//!
//! *Mechanism:* each grant has a fresh random id as its version. A client pauses beyond its lease; another takes
//! over and acts on the outside resource; the first wakes and acts on it too. The resource cannot order two random
//! ids. *Smallest configuration:* 2 clients, 1 resource, 1 pause. *Source:*
//! <https://github.com/awslabs/amazon-dynamodb-lock-client/issues/1>. *Violated:* the tokens of successive grants
//! increase, so that the resource can refuse the older. *Repair:* a counter for each lock.
//!
//! Translated from DynamoDB: clients and resource are those of O83; the token is the name of the granted node, which
//! begins with a unique id and ends with the lock's counter. The resource compares the one or the other.

use overtake_recipes::Environment;
use overtake_recipes::names::suffix;
use overtake_sim::program::Context;

use super::o83_pause_between_grant_and_use::{LOCK, Newer, STORAGE, client};
use super::properties_b::deposed_leaders_are_refused;
use super::requests::give_up_if_expired;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, newer: Newer| {
        let program = move |ctx: Context| async move {
            let label = format!("{}-", ctx.unique_id());
            give_up_if_expired(client(ctx, &label, newer).await)
        };
        scenario(name)
            .about(
                "The holder of an ended lease writes after its successor. The resource compares their tokens, which are \
                 random, and may take the older for the newer.",
            )
            .source("https://github.com/awslabs/amazon-dynamodb-lock-client/issues/1")
            .node(LOCK)
            .node(STORAGE)
            .clients(2, program)
            .literal_owners()
            .expiries(1)
            .properties([
                deposed_leaders_are_refused(STORAGE),
                no_program_fails(),
                somebody_is(&["wrote"], "a client writes"),
                somebody_is(&["refused"], "a write is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O82 random tokens", |last, token| last > token)
            .breaks("deposed leaders are refused")
            .fixed_by("O82 random tokens, repaired"),
        world("O82 random tokens, repaired", |last, token| suffix(last) > suffix(token)),
    ]
}
