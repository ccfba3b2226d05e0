//! A family of programs for the chapter: the same change made once to one document in different ways, by any number of clients.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{Documents as _, and, eq, inc};
use overtake_recipes::{DataEnvironment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Stores};

use crate::property::Property;
use crate::scenario::{Scenario, scenario};

/// The collection.
const CARTS: &str = "carts";

/// How a client changes the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Reads it, thinks, writes it as a whole: the first snippet of the slides.
    Replace,
    /// The same, if the version is still the one that was read; else it begins anew at once.
    Optimistic,
    /// In one atomic update, after having thought.
    Atomic,
}

impl Way {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Optimistic => "optimistic",
            Self::Atomic => "atomic update",
        }
    }
}

/// One change of the document.
async fn change(ctx: &Context, way: Way) -> Result<(), StoreError> {
    let (documents, id) = (ctx.documents(), 0);
    if way == Way::Atomic {
        ctx.work("think").await;
        return documents.update_one(CARTS, eq("_id", id), vec![inc("amount", 1)]).await.map(drop);
    }
    loop {
        let Some(mut cart) = documents.find_one(CARTS, eq("_id", id)).await? else { return Ok(()) };
        let version = cart.int("version");
        ctx.work("think").await;
        cart.set("amount", cart.int("amount") + 1);
        cart.set("version", version + 1);
        let filter = match way {
            Way::Optimistic => and([eq("_id", id), eq("version", version)]),
            _ => eq("_id", id),
        };
        if documents.replace_one(CARTS, filter, cart).await?.matched > 0 {
            return Ok(());
        }
    }
}

fn stores() -> Stores {
    let cart = doc([("_id", 0.into()), ("version", 0.into()), ("amount", 0.into())]);
    Stores { documents: Some(Documents::new().with(CARTS, cart)), ..Stores::default() }
}

/// So many clients, each of which adds one to the same document once.
pub fn once(way: Way, clients: usize) -> Scenario {
    let program = move |ctx: Context| async move { change(&ctx, way).await };
    let added = move |view: &overtake_sim::world::View<'_>| {
        let documents = view.stores().documents.as_ref().expect("a document store");
        documents.all(CARTS)[0].at("amount").and_then(|amount| amount.as_int()).unwrap_or(0)
    };
    scenario(format!("{}, {clients} clients at one cart", way.text()))
        .about("Each client reads the cart, thinks, and writes it with one more.")
        .source("seed 3, snippet 1")
        .clients(clients, program)
        .stores(stores())
        .property(Property::at_rest("every change is there", "semantics §7.5, snippet 1", move |view| {
            match added(view) {
                amount if amount == clients as i64 => Ok(()),
                amount => Err(format!("{clients} clients have added 1, the amount is {amount}")),
            }
        }))
}
