//! The official recipes beside the lock: each right one is proved with exactly so many states, and each spoilt one violates
//! the property that it names and no property that is not listed beside it.

use overtake_models::scenarios::{barriers, leadership, queues, read_write, semaphore, two_phase_commit};
use overtake_models::{Expected, Options, Scenario, Verdict, check};

/// The scenarios end with these verdicts: `Ok` with the number of states, `Err` with the violated properties.
fn assert_verdicts(scenarios: &[Scenario], expected: &[(&str, Result<usize, &[&str]>)]) {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (at, scenario) in scenarios.iter().enumerate() {
        let mut options = Options::default();
        options.limits.every_property = true;
        let checked = check(scenario, &options).unwrap();
        let got = match &checked.verdict {
            Verdict::Proved => Ok(checked.seen.states),
            Verdict::Falsified(findings) => Err(findings.iter().map(|f| f.property).collect::<Vec<_>>()),
            Verdict::Held(why) | Verdict::Broken(why) => {
                wrong.push(format!("{}: {why}", scenario.name()));
                continue;
            }
        };
        table += &match &got {
            Ok(states) => format!("            (\"{}\", Ok({states})),\n", scenario.name()),
            Err(violated) => format!("            (\"{}\", Err(&{violated:?})),\n", scenario.name()),
        };
        let as_named = match scenario.expected() {
            Expected::Proved => got.is_ok(),
            Expected::Falsified(property) => got.as_ref().is_err_and(|violated| violated.contains(property)),
        };
        let got = got.as_ref().map_err(Vec::as_slice);
        let as_listed = expected
            .get(at)
            .is_some_and(|(name, verdict)| *name == scenario.name() && got == verdict.as_ref().map_err(|v| *v));
        if !as_named || !as_listed {
            wrong.push(format!("{}: {got:?}, it says {:?}", scenario.name(), scenario.expected()));
        }
    }
    assert!(wrong.is_empty() && scenarios.len() == expected.len(), "{}\n\n{table}", wrong.join("\n"));
}

#[test]
fn read_write_locks() {
    assert_verdicts(
        &read_write::scenarios(),
        &[
            ("read-write lock", Ok(718)),
            ("read-write lock, 3 readers and a writer", Ok(9042)),
            ("read-write lock, 2 readers and 2 writers", Ok(5493)),
            ("read-write lock, 1 expiry", Ok(17853)),
            ("read-write lock, 2 writers, 1 expiry", Ok(211683)),
            ("read-write lock, 1 disconnect", Ok(75268)),
            ("read-write lock, 1 crash", Ok(3633)),
            ("read-write lock, downgrade", Ok(3620)),
            ("read-write lock, upgrade", Ok(672)),
            ("read-write lock, container swept", Ok(1070)),
            ("reader watches its neighbour", Err(&["readers wait for writers only"])),
            ("reader watches the first writer", Err(&["wake-ups per release"])),
            ("reader follows a reader", Err(&["shared grants in order", "readers and writers apart"])),
            ("writer minds writers only", Err(&["shared grants in order", "readers and writers apart"])),
            ("reader wakes as owner", Err(&["shared grants in order", "readers and writers apart"])),
            ("downgrade at the end of the queue", Err(&["shared grants in order", "readers and writers apart"])),
            ("upgrade without a time-out", Err(&["no wait without a wake-up"])),
        ],
    );
}

#[test]
fn semaphores() {
    assert_verdicts(
        &semaphore::scenarios(),
        &[
            ("semaphore", Ok(449)),
            ("semaphore, 1 expiry", Ok(13955)),
            ("semaphore, 1 permit, 1 disconnect", Ok(3639)),
            ("semaphore, 1 crash", Ok(3306)),
            ("semaphore, 1 interrupt", Ok(426)),
            ("semaphore with a keeper", Ok(872)),
            ("leases counted before creating", Err(&["no more live leases than permits"])),
            ("lease created again blindly", Err(&["no wait without a wake-up", "no waiter beside a free permit"])),
            ("waits for a lease by its index", Err(&["no waiter beside a free permit"])),
        ],
    );
}

#[test]
fn leaders() {
    assert_verdicts(
        &leadership::scenarios(),
        &[
            ("leader latch, 1 expiry", Ok(1630)),
            ("leader latch, 1 disconnect", Ok(313)),
            ("leader latch, 1 disconnect and 1 expiry", Ok(5634)),
            ("leader latch, 1 crash", Ok(449)),
            ("leader latch, closed", Ok(6124)),
            ("leads through a suspension", Err(&["nobody leads while suspended"])),
            ("leadership given up for good", Err(&["the first in line leads"])),
            ("old node kept in line", Err(&["the first in line leads"])),
            ("leader election", Ok(193)),
            ("leader election, followed", Ok(273)),
            ("leader election, 1 expiry", Ok(5774)),
            ("leader election, 1 crash", Ok(212)),
            ("leader election, 1 disconnect", Ok(2121)),
            ("leader election, followed, 1 expiry", Ok(5196)),
            ("smallest taken for the leader", Err(&["a followed leader knows it"])),
            ("office outlives its leader", Err(&["no wait without a wake-up"])),
        ],
    );
}

#[test]
fn barriers_of_both_kinds() {
    assert_verdicts(
        &barriers::scenarios(),
        &[
            ("barrier", Ok(147)),
            ("barrier, 1 expiry", Ok(3484)),
            ("barrier, 1 disconnect", Ok(13301)),
            ("any event opens the barrier", Err(&["nobody passes a closed barrier"])),
            ("ephemeral barrier", Err(&["nobody passes a closed barrier"])),
            ("looks at the barrier, then watches", Err(&["no wait without a wake-up"])),
            ("double barrier", Ok(6983)),
            ("double barrier, 2 members", Ok(222)),
            ("double barrier, twice", Ok(458)),
            ("double barrier, 3 members, twice", Ok(14160)),
            ("double barrier, 1 disconnect", Ok(6293)),
            ("double barrier, 1 expiry", Ok(201013)),
            ("double barrier, 1 crash", Ok(49418)),
            ("ready counted as a member", Err(&["no wait without a wake-up", "whoever leaves gets out"])),
            ("ready made once", Err(&["no program fails", "nobody leaves before all want to"])),
            ("ready watched after the count", Err(&["no wait without a wake-up", "whoever leaves gets out"])),
            (
                "ready left behind",
                Err(&[
                    "nobody enters before all arrive",
                    "nobody leaves before all want to",
                    "no orphan node",
                    "no orphan watch",
                ]),
            ),
            ("leaves by all children", Err(&["no wait without a wake-up", "whoever leaves gets out"])),
        ],
    );
}

#[test]
fn queues_of_work() {
    assert_verdicts(
        &queues::scenarios(),
        &[
            ("queue, taken", Ok(1283)),
            ("queue, taken, 1 disconnect", Ok(23630)),
            ("queue, taken, 1 expiry", Ok(5246)),
            ("queue, processed", Ok(9411)),
            ("queue, processed, 1 crash", Ok(3144)),
            ("queue, processed, 1 expiry", Ok(7772)),
            ("queue, processed, 1 disconnect", Ok(2320)),
            ("ephemeral items", Err(&["no item is lost", "no wait without a wake-up"])),
            ("delete's answer ignored", Err(&["no item is taken twice", "no orphan node"])),
            ("item put again blindly", Err(&["no item is taken twice"])),
            ("item taken again blindly", Err(&["no item is lost"])),
            ("persistent claim", Err(&["no item beside an idle consumer"])),
        ],
    );
}

#[test]
fn two_phase_commits() {
    assert_verdicts(
        &two_phase_commit::scenarios(),
        &[
            ("two-phase commit", Ok(9033)),
            ("two-phase commit, 1 site, 1 disconnect", Ok(1364)),
            ("two-phase commit, begun, 1 disconnect", Ok(212121)),
            ("two-phase commit, begun, 3 sites", Ok(557838)),
            ("two-phase commit, 1 crash", Ok(51150)),
            ("two-phase commit, 1 expiry", Ok(145174)),
            ("sites named one by one", Err(&["all commit or all abort"])),
            ("times out alone", Err(&["all commit or all abort"])),
            ("votes over votes", Err(&["all commit or all abort"])),
            ("coordinator decides", Err(&["whoever votes learns the outcome"])),
        ],
    );
}
