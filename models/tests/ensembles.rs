//! Reports that need several servers: each verdict, the number of states where a proof saw them all, and the length of the
//! shortest story where there is one.

use overtake_models::bugs::o51_zxid_before_its_data::equal_zxids_equal_trees;
use overtake_models::property::everybody_is_done;
use overtake_models::search::Limits;
use overtake_models::{Expected, Options, Scenario, Verdict, bugs, check, scenario as start};
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;
use overtake_sim::world::Reductions;

/// States of the space for a proof.
const PROVED: &[(&str, usize)] = &[
    ("O12 deposed leader ends sessions, repaired", 1135),
    ("O12 deposed leader lets two hold, repaired", 1135),
    ("O32 session moved for ever, repaired", 2054),
    ("O50 create behind close, repaired", 5),
    ("O51 zxid before its data, repaired", 911),
    ("O77 new session, stale assignment, repaired", 466),
    ("O79 zxid taken from events, repaired", 1018),
];

/// Steps of the shortest story for what is violated; the cycle included.
const FALSIFIED: &[(&str, &str, usize)] = &[
    ("O12 deposed leader ends sessions", "a session that is being renewed never expires", 2),
    ("O12 deposed leader lets two hold", "at most one believer", 11),
    ("O32 session moved for ever", "a connected client makes progress", 18),
    ("O50 create behind close", "no ephemeral node without a live owner", 2),
    ("O51 zxid before its data", "replicas with equal zxid have equal trees", 2),
    ("O77 new session, stale assignment", "no overtaken write", 30),
    ("O77 new session, stale assignment, sync alone", "no overtaken write", 34),
    ("O79 zxid taken from events", "a session never reads a state older than it has seen", 12),
];

fn scenario(name: &str) -> Scenario {
    bugs::all().into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("{name:?} is missing"))
}

fn options() -> Options {
    let limits = Limits { threads: 2, every_property: true, ..Limits::default() };
    Options { limits, ..Options::default() }
}

#[test]
fn repaired_worlds_are_proved_and_their_spaces_have_so_many_states() {
    let mut observed = Vec::new();
    for (name, _) in PROVED {
        let scenario = scenario(name);
        assert_eq!(scenario.expected(), &Expected::Proved, "{name}");
        let checked = check(&scenario, &options()).unwrap();
        if let Verdict::Falsified(findings) = &checked.verdict {
            panic!("{}", findings[0].trace);
        }
        assert!(matches!(checked.verdict, Verdict::Proved), "{name}: {:?}", checked.verdict);
        observed.push((*name, checked.seen.states));
    }
    assert_eq!(observed, PROVED);
}

#[test]
fn faulty_worlds_break_one_property_after_so_many_steps() {
    let mut observed = Vec::new();
    for (name, property, _) in FALSIFIED {
        let scenario = scenario(name);
        assert_eq!(scenario.expected(), &Expected::Falsified(property), "{name}");
        let checked = check(&scenario, &options()).unwrap();
        let Verdict::Falsified(findings) = &checked.verdict else { panic!("{name}: {:?}", checked.verdict) };
        if std::env::var("TRACE").is_ok() {
            println!("{}", findings[0].trace);
        }
        let [finding] = &findings[..] else { panic!("{name}: {} findings", findings.len()) };
        observed.push((*name, finding.property, finding.taken.len()));
    }
    assert_eq!(observed, FALSIFIED);
}

/// The properties that are violated; none for a proof.
fn violated(scenario: &Scenario, reductions: Reductions) -> Vec<&'static str> {
    let checked = check(scenario, &Options { reductions, ..options() }).unwrap();
    match &checked.verdict {
        Verdict::Proved => Vec::new(),
        Verdict::Falsified(findings) => findings.iter().map(|f| f.property).collect(),
        other => panic!("{}, {reductions:?}: {other:?}", scenario.name()),
    }
}

#[test]
fn reductions_change_no_verdict() {
    let names = PROVED.iter().map(|(name, _)| name).chain(FALSIFIED.iter().map(|(name, ..)| name));
    for scenario in names.map(|name| scenario(name)) {
        let expected = match scenario.expected() {
            Expected::Proved => Vec::new(),
            Expected::Falsified(property) => vec![*property],
        };
        for reductions in [Reductions { deliver_first: false, ..Reductions::ALL }, Reductions::NONE] {
            assert_eq!(violated(&scenario, reductions), expected, "{}, {reductions:?}", scenario.name());
        }
    }
}

/// Takes a number at one server and gives it back by its end, which names no node.
async fn come_and_go(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.create("/lock/n-", b"", CreateMode::EphemeralSequential).await?;
    zk.close().await
}

/// Sequence numbers and zxids that the leader has forgotten are still to come at a follower. Where numbers are replaced by
/// their ranks, the follower must not come to others.
#[test]
fn followers_come_to_the_leaders_numbers_in_every_numbering() {
    for servers in [2, 3] {
        let world = start("numbers")
            .node("/lock")
            .servers(servers)
            .clients(2, come_and_go)
            .properties([equal_zxids_equal_trees(), everybody_is_done()]);
        for reductions in [Reductions::ALL, Reductions { renumber: false, ..Reductions::ALL }, Reductions::NONE] {
            assert_eq!(violated(&world, reductions), [""; 0], "{servers}, {reductions:?}");
        }
    }
}
