//! The scenarios on documents: snippets, optimistic and pessimistic locking, carts.

mod judge;

use std::collections::BTreeSet;

use judge::judge;
use overtake_data_models::property::no_program_fails;
use overtake_data_models::scenarios;
use overtake_data_recipes::optimistic::{a_hundred_attempts, add_with_version, backing_off, update};
use overtake_models::{Expected, Options, Verdict, check, scenario};
use overtake_recipes::Value;
use overtake_recipes::store::{Filter, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

#[test]
fn each_slip_of_the_snippets_is_found_and_its_repair_is_proved() {
    judge(&scenarios::snippets::scenarios());
}

#[test]
fn optimistic_locking_and_its_spoilt_twins_have_their_verdicts() {
    judge(&scenarios::optimistic::scenarios());
    judge(&scenarios::optimistic_slips::scenarios());
}

/// A store in which each attempt meets a conflict: the function that changes the document writes to it by the scheme itself. The talk's
/// policy gives up after the hundredth replace, not one before, and a policy of its own as it says.
#[test]
fn after_a_hundred_attempts_there_is_an_error() {
    for (policy, attempts) in [(a_hundred_attempts(), 100), (backing_off(4), 4)] {
        let conflicts = scenario("each attempt conflicts")
            .stores(scenarios::pairs::stores(Documents::new().with("c", doc([("version", 1.into()), ("x", 1.into())]))))
            .calls_are_steps()
            .client("adds", move |ctx: Context| {
                let policy = policy.clone();
                async move {
                    let adds = |mut item: Value| {
                        let ctx = ctx.clone();
                        async move {
                            let writes = add_with_version(&ctx, "c", Filter::All, 1);
                            ctx.keeping(&[&item.to_string()], writes).await.expect("the store answers");
                            item.set("x", item.int("x") + 1);
                            item
                        }
                    };
                    update(&ctx, "c", Filter::All, &policy, 1, adds).await.map(drop)
                }
            })
            .property(no_program_fails());
        let Verdict::Falsified(findings) = check(&conflicts, &Options::default()).unwrap().verdict else {
            panic!("it does not give up")
        };
        assert!(findings[0].because.contains("the attempts are used up"), "{}", findings[0].because);
        let replaces = findings[0].taken.iter().filter(|taken| taken.text.contains("→ replace one")).count();
        assert_eq!(replaces, attempts);
    }
}

/// The table of slips names scenarios that there are, and leaves none out.
#[test]
fn the_table_of_slips_and_the_scenarios_agree() {
    let source = include_str!("../src/scenarios/snippets/mod.rs");
    let rows = source.lines().filter_map(|line| line.strip_prefix("//! |"));
    let named: BTreeSet<&str> = rows
        .flat_map(|row| row.split('`'))
        .filter(|name| name.starts_with("snippet ") || name.starts_with("optimistic lock"))
        .collect();
    let all = [
        scenarios::snippets::scenarios(),
        scenarios::optimistic::scenarios(),
        scenarios::optimistic_slips::scenarios(),
    ]
    .concat();
    let faulty = all.iter().filter(|scenario| *scenario.expected() != Expected::Proved);
    let slips: BTreeSet<&str> = faulty.map(|scenario| scenario.name()).collect();
    let there: BTreeSet<&str> = all.iter().map(|scenario| scenario.name()).collect();
    assert_eq!(named.difference(&there).collect::<Vec<_>>(), [&""; 0], "named, and not there");
    assert_eq!(slips.difference(&named).collect::<Vec<_>>(), [&""; 0], "there, and not named");
}

#[test]
fn pessimistic_locking_and_carts_have_their_verdicts() {
    judge(&scenarios::two_locks::scenarios());
    judge(&scenarios::carts::scenarios());
}

/// The talk's picture, state by state: what each client reads, and what is in the database after each write.
#[test]
fn the_story_of_the_picture_is_the_picture() {
    let all = scenarios::optimistic::scenarios();
    let picture = all.iter().find(|scenario| scenario.name() == "optimistic lock: the picture").unwrap();
    let Verdict::Falsified(findings) = check(picture, &Options::default()).unwrap().verdict else {
        panic!("the picture is not found")
    };
    let story: Vec<&str> = findings[0].taken.iter().map(|taken| taken.text.as_str()).collect();
    let (find, replace) = ("find one of documents where _id = 1", "replace one of documents where _id = 1");
    assert_eq!(
        story,
        [
            format!("client 1 → {find}: {{_id: 1, version: 1, x: 1}}"),
            format!("client 2 → {find}: {{_id: 1, version: 1, x: 1}}"),
            format!("client 1 → {replace} and version = 1 by {{_id: 1, version: 2, x: 2}}: matched 1, modified 1"),
            format!("client 2 → {replace} and version = 1 by {{_id: 1, version: 2, x: 3}}: matched 0, modified 0"),
            format!("client 2 → {find}: {{_id: 1, version: 2, x: 2}}"),
            format!("client 2 → {replace} and version = 2 by {{_id: 1, version: 3, x: 4}}: matched 1, modified 1"),
        ]
    );
}
