use overtake_models::property::*;
use overtake_models::scenarios::programs::once;
use overtake_models::*;
use overtake_recipes::lock::faulty::*;
use overtake_recipes::{ParentLock, PredecessorLock};

fn with(s: Scenario) -> Scenario {
    s.node("/lock").properties([
        at_most_one_live_holder(),
        grant_rests_on_own_live_node(),
        grants_in_order_of_creation(),
        no_wait_without_wake_up(),
        no_orphan_node("/lock"),
        no_orphan_watch(),
        no_program_fails(),
        somebody_holds(),
        somebody_waits(),
        everybody_is_done(),
    ])
}

#[test]
fn first() {
    let n: usize = std::env::var("N").map_or(3, |v| v.parse().unwrap());
    let mut all = vec![];
    for (e, d, c) in [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 1)] {
        all.push(
            with(scenario("predecessor").clients(n, once::<PredecessorLock<_>>))
                .expiries(e)
                .disconnects(d)
                .crashes(c),
        );
        all.push(
            with(scenario("parent").clients(n, once::<ParentLock<_>>))
                .expiries(e)
                .disconnects(d)
                .crashes(c),
        );
    }
    all.push(with(scenario("wake up").clients(3, once::<WakeUpTakenForMyTurn<_>>)).expiries(1));
    all.push(with(
        scenario("gone ignored").clients(2, once::<PredecessorGoneIgnored<_>>),
    ));
    all.push(with(
        scenario("async").clients(2, once::<SeedAsyncCreate<_>>),
    ));
    for s in all {
        let c = check(&s, &Options::default()).unwrap();
        println!(
            "{} [{}]: {} {} states {} transitions depth {} {:?} runs {}",
            s.name(),
            s.bounds(),
            c.verdict.word(),
            c.seen.states,
            c.seen.transitions,
            c.seen.depth,
            c.seen.time,
            c.program_runs
        );
        match &c.verdict {
            Verdict::Falsified(f) => {
                for f in f {
                    println!("{}", f.trace)
                }
            }
            Verdict::Held(w) | Verdict::Broken(w) => println!("   {w}"),
            _ => {}
        }
    }
}
