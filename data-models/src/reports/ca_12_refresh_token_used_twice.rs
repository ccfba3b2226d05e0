//! CA-12, GluuFederation/oxAuth#1909: concurrent calls use one refresh token.
//!
//! *Mechanism:* both read that the token is there, both issue new tokens, both delete it; nobody looks at what the second delete answers.
//! *Smallest configuration:* 2 clients, one key. *Source:* <https://github.com/GluuFederation/oxAuth/issues/1909>. *Violated:* a refresh
//! token issues at most once. *Repair:* "my delete has removed it" is the claim.
//!
//! Translated: the token is a key of the hash table; issuing is a step of the program.

use overtake_recipes::store::{DataEnvironment, Dht as _};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

const TOKEN: &str = "refresh token";

async fn refresh(ctx: Context, delete_claims: bool) -> Ended {
    let valid = match delete_claims {
        true => ctx.dht().del(TOKEN).await?,
        false => ctx.dht().get(TOKEN).await?.is_some(),
    };
    if !valid {
        ctx.mark("refused");
        return Ok(());
    }
    ctx.work("issue").await;
    ctx.mark("issued");
    if !delete_claims {
        ctx.dht().del(TOKEN).await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, delete_claims| {
        scenario(name)
            .about("Two calls find the refresh token, and both issue new tokens before either has deleted it.")
            .source("https://github.com/GluuFederation/oxAuth/issues/1909")
            .stores(table(Dht::seed(1).with(TOKEN, "valid")))
            .clients(2, move |ctx| refresh(ctx, delete_claims))
            .properties([
                see::at_most(1, &["issued"], "a refresh token issues once", "GluuFederation/oxAuth#1909"),
                no_program_fails(),
                somebody_is(&["issued"], "somebody gets new tokens"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-12 refresh token used twice", false)
            .breaks("a refresh token issues once")
            .fixed_by("CA-12 refresh token used twice, repaired"),
        world("CA-12 refresh token used twice, repaired", true),
    ]
}
