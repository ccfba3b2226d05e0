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
    let Verdict::Falsified(findings) = &checked.verdict else { panic!("{:?}", checked.verdict) };
    assert_eq!(*scenario.expected(), Expected::Falsified(findings[0].property));
    let last = findings[0].taken.last().unwrap();
    assert_eq!(last.text, "user ← answer to search a: results of a");
}

mod groups {
    use overtake_models::Verdict;
    use overtake_models::search::Limits;
    use overtake_recipes::store::{Dht as _, Expiration, Updated, Value};
    use overtake_recipes::{DataEnvironment, Environment};
    use overtake_sim::program::Context;
    use overtake_sim::stores::{Dht, Stores};
    use overtake_sim::world::Reductions;

    use super::*;

    async fn add(ctx: Context, compares: bool) {
        let (dht, me) = (ctx.dht(), ctx.unique_id());
        loop {
            ctx.checkpoint("get", &[&me]);
            let group = dht.get("group").await.unwrap().unwrap();
            let mut list = group.data.strings();
            ctx.work("modify").await;
            list.push(me.clone());
            if !compares {
                dht.set("group", list.into(), Expiration::Never).await.unwrap();
                break;
            }
            if dht.update("group", list.into(), group.version).await.unwrap() == Updated::Stored {
                break;
            }
        }
        ctx.mark("added");
    }

    fn all_are_in(clients: usize) -> Property {
        Property::at_rest("all are in", "peers", move |view| {
            let list = view.stores().dht.as_ref().unwrap().value("group").unwrap();
            let members = list.strings().len();
            if members == clients { Ok(()) } else { Err(format!("{members} of {clients} are in")) }
        })
    }

    fn cas(clients: usize, compares: bool) -> Scenario {
        scenario("group")
            .clients(clients, move |ctx| add(ctx, compares))
            .stores(Stores { dht: Some(Dht::seed(1).with("group", Vec::<Value>::new())), ..Stores::default() })
            .calls_are_steps()
            .properties([
                all_are_in(clients),
                Property::sometimes("somebody adds", |view| view.client(0).is_marked("added")),
            ])
    }

    fn states(clients: usize, reductions: Reductions) -> usize {
        let options = Options { reductions, limits: Limits { threads: 1, ..Limits::default() }, ..Options::default() };
        let checked = check(&cas(clients, true), &options).unwrap();
        assert!(matches!(checked.verdict, Verdict::Proved), "{:?}", checked.verdict);
        checked.seen.states
    }

    /// Distinct states on which Spin, TLC, stateright and a hand-written search agree, and the classes under symmetry.
    #[test]
    fn counts_of_the_peers() {
        let counts: Vec<usize> = (3..=5).map(|n| states(n, Reductions::NONE)).collect();
        assert_eq!(counts, [150, 1_409, 16_528]);
        let counts: Vec<usize> = (3..=7).map(|n| states(n, Reductions::ALL)).collect();
        assert_eq!(counts, [33, 88, 232, 609, 1_596]);
    }
}

mod histories {
    use overtake_sim::stores::Call;
    use overtake_sim::world::intervals;

    use super::*;

    /// A recorded world holds each call with its answer, in the order in which they came.
    #[test]
    fn a_history_has_the_calls_and_their_answers() {
        let told = |view: &overtake_sim::world::View<'_>| {
            let intervals = intervals(view.history());
            let asked: Vec<String> = intervals.iter().map(|interval| interval.call.to_string()).collect();
            let answered: Vec<usize> = intervals.iter().filter_map(|i| Some(i.answer.as_ref()?.0)).collect();
            (asked, answered)
        };
        let whole = Property::at_rest("every call is answered", "the order of events", move |view| {
            let (asked, answered) = told(view);
            let overtaken = answered.first() > answered.last();
            match (asked == ["search a", "search ab"], answered.len()) {
                (true, 2) if overtaken == (view.client(0).mark("shows") != view.client(0).mark("typed")) => Ok(()),
                _ => Err(format!("{asked:?} {answered:?}")),
            }
        });
        let overtakes = Property::sometimes("an answer overtakes another", move |view| {
            let (_, answered) = told(view);
            answered.len() == 2 && answered[0] > answered[1]
        });
        let scenario = scenario("look-ups, recorded")
            .client("user", shows_what_arrives)
            .stores(Stores { search: Some(Search), ..Stores::default() })
            .records_calls()
            .properties([whole, overtakes]);
        let checked = check(&scenario, &Options::default()).unwrap();
        assert!(matches!(checked.verdict, Verdict::Proved), "{:?}", checked.verdict);
        let first = checked.world.view(checked.world.initial());
        let made = intervals(first.history());
        assert!(matches!(made[0].call, Call::Search(_)) && made[0].answer.is_none());
    }
}
