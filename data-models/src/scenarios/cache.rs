//! A cache in front of a store: who fills it meets who empties it.

use overtake_data_recipes::cache::{ROWS, faulty, leased, versioned};
use overtake_models::{Scenario, scenario};
use overtake_recipes::StoreError;
use overtake_recipes::store::{Value, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Stores, outside};
use overtake_sim::world::View;

use crate::property::*;

const KEY: &str = "article";
const SOURCE: &str = "pattern P8; Nishtala et al. 2013, §3.2.1";
const FITS: &str = "the cache fits the store";

/// How it is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    PlainFill,
    FillIfAbsent,
    InvalidateFirst,
    Leased,
    Versioned,
}

async fn read(ctx: &Context, way: Way) -> Result<i64, StoreError> {
    let row = match way {
        Way::PlainFill => faulty::plain_fill::read(ctx, KEY).await?,
        Way::FillIfAbsent => faulty::fill_if_absent::read(ctx, KEY).await?,
        Way::InvalidateFirst | Way::Leased => leased::read(ctx, KEY).await?,
        Way::Versioned => versioned::read(ctx, KEY).await?,
    };
    Ok(row.int("version"))
}

async fn reader(ctx: Context, way: Way) -> Result<(), StoreError> {
    read(&ctx, way).await.map(drop)
}

/// Writes the row, and then looks at what it has written.
async fn writer(ctx: Context, way: Way) -> Result<(), StoreError> {
    ctx.mark("writing");
    match way {
        Way::InvalidateFirst => faulty::invalidate_first::write(&ctx, KEY, "new".into()).await?,
        Way::Versioned => versioned::write(&ctx, KEY, "new".into()).await?,
        _ => leased::write(&ctx, KEY, "new".into()).await?,
    }
    ctx.unmark("writing");
    ctx.mark_with("wrote", "2");
    let version = read(&ctx, way).await?;
    ctx.mark_with("read", &version.to_string());
    Ok(())
}

/// The row that the cache has; a marker, and a version alone, are none.
fn cached(view: &View<'_>) -> Option<Value> {
    hash_table(view).value(KEY).filter(|entry| entry.at("value").is_some())
}

/// While nobody writes, what is in the cache is what is in the store.
fn the_cache_fits_the_store() -> Property {
    Property::always(FITS, SOURCE, |view| {
        let store = view.stores().documents.as_ref().expect("the world has a document store");
        let row = store.one(ROWS, "_id", KEY).cloned().map(outside).unwrap_or_default();
        match cached(view) {
            Some(cached) if cached != row && !view.clients().any(|client| client.is_marked("writing")) => {
                Err(format!("nobody writes, the store has {row}, and the cache {cached}"))
            }
            _ => Ok(()),
        }
    })
}

fn world(name: &str, about: &str, way: Way) -> Scenario {
    let row = doc([("_id", KEY.into()), ("value", "old".into()), ("version", 1.into())]);
    scenario(name)
        .about(about)
        .source(SOURCE)
        .stores(Stores {
            documents: Some(Documents::new().with(ROWS, row)),
            dht: Some(Dht::seed(1)),
            ..Stores::default()
        })
        .client("reader", move |ctx| reader(ctx, way))
        .client("writer", move |ctx| writer(ctx, way))
        .properties([
            the_cache_fits_the_store(),
            read_your_writes(),
            no_program_fails(),
            Property::sometimes("the old row is in the cache", |view| {
                cached(view).is_some_and(|entry| entry.int("version") == 1)
            }),
            Property::sometimes("the new row is in the cache", |view| {
                cached(view).is_some_and(|entry| entry.int("version") == 2)
            }),
            everybody_is_done(),
        ])
}

/// What is faulty, and two cures, the second with its limit.
pub fn scenarios() -> Vec<Scenario> {
    let about = "A reader misses, and puts into the cache what it has read from the store. A writer writes to the store, and takes \
                 what is in the cache out.";
    vec![
        world("cache, plain fill", about, Way::PlainFill).breaks(FITS).fixed_by("cache, fill by lease"),
        world(
            "cache, fill if absent",
            "As with a plain fill, but the reader puts the row in only if nothing is there. What was taken out looks like what was \
             never there.",
            Way::FillIfAbsent,
        )
        .breaks(FITS)
        .fixed_by("cache, fill by lease"),
        world(
            "cache, invalidated first",
            "The writer takes the old row out of the cache before it writes the new one. The reader fills by lease, which is still good.",
            Way::InvalidateFirst,
        )
        .breaks(FITS)
        .fixed_by("cache, fill by lease"),
        world(
            "cache, fill by lease",
            "A miss leaves a marker, and the row takes the place of that very marker or is not put in.",
            Way::Leased,
        )
        .property(Property::sometimes("a fill comes too late for its marker", |view| {
            let fills = view.client(0).calls().iter().any(|call| call.starts_with("UPDATE"));
            fills && hash_table(view).value(KEY).is_none()
        })),
        world(
            "cache, fill by version",
            "The writer leaves the row's version in the cache, and nobody puts in what is older.",
            Way::Versioned,
        ),
        world("cache, fill by lease, evicted", "Whatever is in the cache may be evicted, the marker too.", Way::Leased)
            .evictions(2),
        world(
            "cache, fill by version, evicted",
            "The version that the writer left is evicted, and the reader puts in what it has read long ago.",
            Way::Versioned,
        )
        .evictions(2)
        .breaks(FITS)
        .fixed_by("cache, fill by lease, evicted"),
    ]
}
