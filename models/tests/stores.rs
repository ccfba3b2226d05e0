//! Worlds with stores: calls in flight, answers that overtake, calls that outlive their callers.

use overtake_models::property::Property;
use overtake_models::{Expected, Options, Scenario, Verdict, check, scenario};
use overtake_recipes::DataEnvironment;
use overtake_recipes::store::Search as _;
use overtake_sim::program::Context;
use overtake_sim::stores::{Search, Stores};

/// Types "a", then "ab", and shows whatever arrives.
async fn shows_what_arrives(ctx: Context) {
    let mut open = Vec::new();
    for input in ["a", "ab"] {
        ctx.mark_with("typed", input);
        let (search, shown) = (ctx.search(), ctx.clone());
        open.push(ctx.spawn_task(async move {
            if let Ok(result) = search.query(input).await {
                shown.mark_with("shows", &result);
            }
        }));
        ctx.work("type").await;
    }
    for task in open {
        task.await;
    }
}

fn shows_the_last_input() -> Property {
    Property::at_rest("the display belongs to the last input", "seed 3: one look-up could overtake the other", |view| {
        let client = view.client(0);
        let (typed, shows) = (client.mark("typed").flatten(), client.mark("shows").flatten());
        if typed == shows { Ok(()) } else { Err(format!("{typed:?} is typed, {shows:?} is shown")) }
    })
}

fn search(name: &str) -> Scenario {
    scenario(name)
        .client("user", shows_what_arrives)
        .stores(Stores { search: Some(Search), ..Stores::default() })
        .property(shows_the_last_input())
}

#[test]
fn answers_may_overtake_each_other() {
    let scenario = search("look-ups").breaks("the display belongs to the last input");
    let checked = check(&scenario, &Options::default()).unwrap();
    let Verdict::Falsified(property) = &checked.verdict else { panic!("{:?}", checked.verdict) };
    assert_eq!(*scenario.expected(), Expected::Falsified("the display belongs to the last input"));
    println!("{property:?}");
}
