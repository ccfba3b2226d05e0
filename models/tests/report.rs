//! The report: the same on every run, whole, and loud where something is not as expected.

use overtake_models::manifest::check_for_expected;
use overtake_models::report::render;
use overtake_models::scenarios::locks::lock_properties;
use overtake_models::scenarios::{all, programs};
use overtake_models::{Checked, Options, Scenario, scenario};
use overtake_recipes::lock::faulty::SeedAsyncCreate;

fn checked(scenarios: &[Scenario], threads: usize) -> Vec<(Scenario, Checked)> {
    let mut options = Options::default();
    options.limits.threads = threads;
    scenarios.iter().map(|s| (s.clone(), check_for_expected(s, &options).expect("it makes a world"))).collect()
}

/// Small scenarios of every sort.
fn some() -> Vec<Scenario> {
    let names = [
        "predecessor lock",
        "predecessor lock, 4 clients",
        "predecessor lock, 1 expiry",
        "predecessor lock, 1 interrupt",
        "predecessor lock, everybody ends",
        "parent lock",
        "parent lock, 1 crash",
        "seed: async create",
        "predecessor gone between list and watch",
        "node left after a time-out",
        "polite lock",
        "O01 leader by a wake-up",
        "O01 leader by a wake-up, repaired",
        "O18 wait for a creation",
        "O18 wait for a creation, repaired",
    ];
    let all = all();
    let named = |name: &&str| all.iter().find(|s| s.name() == *name).unwrap_or_else(|| panic!("no {name:?}")).clone();
    names.iter().map(named).collect()
}

fn named(name: &str) -> Scenario {
    all().into_iter().find(|s| s.name() == name).expect("a scenario of that name")
}

#[test]
fn same_text_on_every_run_and_number_of_threads() {
    let some = some();
    let first = render(&checked(&some, 1));
    for threads in [1, 2, 2, 3] {
        assert!(render(&checked(&some, threads)) == first, "another report with {threads} threads");
    }
}

#[test]
fn every_section_is_there_and_whole() {
    let page = render(&checked(&some(), 2));
    let sections: Vec<&str> = page.lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# Report",
        "## Recipes and faults",
        "## Proofs",
        "## Public bug reports, found again",
        "## Mutations",
        "## Stories",
    ];
    assert_eq!(sections, expected);
    assert!(page.contains("cargo run --release -- report --write"));
    assert!(page.contains("15 scenarios: 9 proved"), "{}", &page[..1000]);
    assert!(page.contains("3 clients: [proved, 172 states](#predecessor-lock)"));
    assert!(page.contains("Reports: 2. Found again: 2. Repaired and proved: 2."));
    assert!(page.contains("6 faulty programs: every one is caught."));
    assert!(page.contains("cargo run --release -- replay tests/corpus/o01-leader-by-a-wake-up.trace"));
    assert!(page.contains("for ever"));
    assert!(!page.contains("NOT AS EXPECTED") && !page.contains("SURVIVES"));
    well_formed(&page);
}

#[test]
fn the_whole_page_is_well_formed() {
    let page = render(&checked(&all(), 1));
    assert!(!page.contains("NOT AS EXPECTED") && !page.contains("SURVIVES"));
    well_formed(&page);
}

#[test]
fn a_broken_promise_is_loud() {
    let page = render(&checked(&[wrongly_trusted()], 2));
    assert!(page.contains("**1 NOT AS EXPECTED**"));
    assert!(page.contains("## NOT AS EXPECTED"));
    assert!(page.contains("**[NOT AS EXPECTED: FALSIFIED](#story-of-seed-async-create)**"));
    assert!(page.contains("NOT AS EXPECTED: <b>seed: async create</b>"));
    assert!(!page.contains("replay tests/corpus"), "there is no trace of it in the corpus");
    well_formed(&page);
}

#[test]
fn a_survivor_is_loud() {
    let survivor = named("predecessor lock").called("spoilt").breaks("at most one live holder");
    let page = render(&checked(&[survivor], 2));
    assert!(page.contains("**1 NOT AS EXPECTED**"));
    assert!(page.contains("| **spoilt** | 3 clients | **SURVIVES: proved** |"));
    assert!(page.contains("**1 survives and must not**"));
    well_formed(&page);
}

#[test]
fn nothing_makes_a_page_too() {
    well_formed(&render(&[]));
}

/// A spoilt lock in a scenario that expects a proof.
fn wrongly_trusted() -> Scenario {
    scenario("seed: async create")
        .node(programs::LOCK)
        .clients(2, programs::once::<SeedAsyncCreate<_>>)
        .properties(lock_properties())
}

/// Tables have rows of equal length, blocks are closed, links lead somewhere.
fn well_formed(page: &str) {
    let mut open: Option<&str> = None;
    let mut columns: Option<usize> = None;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            open = match (open, language) {
                (None, "") => panic!("a block without a language is opened, or closed twice"),
                (None, language) => Some(language),
                (Some(_), "") => None,
                (Some(open), language) => panic!("{language:?} opened within {open:?}"),
            };
            continue;
        }
        if open.is_some() {
            continue;
        }
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let here = line.replace("\\|", "").matches('|').count();
        assert_eq!(*columns.get_or_insert(here), here, "{line}");
    }
    assert_eq!(open, None, "a block is not closed");
    for (opened, closed) in [("<details>", "</details>"), ("<summary>", "</summary>")] {
        assert_eq!(page.matches(opened).count(), page.matches(closed).count(), "{opened}");
    }
    let stories = page.matches("<details>").count();
    assert_eq!(page.matches("```mermaid\nsequenceDiagram\n").count(), stories, "a diagram for each story");
    for (at, _) in page.match_indices("](#") {
        let anchor = page[at + 3..].split(')').next().unwrap_or_default();
        let places = page.matches(&format!("<a id=\"{anchor}\"></a>")).count();
        assert_eq!(places, 1, "links to {anchor:?} lead to {places} places");
    }
}
