//! Random operations on several servers against a plain list of what was committed.
//!
//! After each: every server's tree is that of a prefix of the list; a session is answered in the order of its requests and
//! what the list says; it never reads a state older than one that it was answered from; and an ephemeral node of a session
//! that nobody has ended is there. Each rule has a mutation that breaks it and is noticed.

#[path = "ensemble_reference/drive.rs"]
mod drive;
#[path = "ensemble_reference/log.rs"]
mod log;

use drive::{CLIENTS, Mutation, Op, Run, SERVERS};
use overtake_recipes::CreateMode;
use overtake_sim::names::Text;
use overtake_sim::zookeeper::{Request, Write};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

fn path() -> impl Strategy<Value = Text> {
    prop_oneof![Just("/p"), Just("/p/a"), Just("/p/b"), Just("/p/e")].prop_map(Text::new)
}

fn write() -> impl Strategy<Value = Write> {
    let mode = prop_oneof![
        1 => Just(CreateMode::Persistent),
        4 => Just(CreateMode::Ephemeral),
        2 => Just(CreateMode::EphemeralSequential),
    ];
    let data = prop_oneof![Just("x"), Just("y")].prop_map(Text::new);
    prop_oneof![
        4 => (path(), mode).prop_map(|(path, mode)| Write::Create { path, data: None, mode }),
        3 => (path(), data, proptest::option::of(0..2)).prop_map(|(path, data, version)| {
            Write::SetData { path, data: Some(data), version }
        }),
        1 => path().prop_map(|path| Write::Delete { path, version: None }),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        8 => write().prop_map(Request::Write),
        2 => vec(write(), 1..3).prop_map(Request::Multi),
        4 => path().prop_map(|path| Request::Exists { path, watch: false }),
        2 => path().prop_map(|path| Request::GetData { path, watch: false }),
        2 => Just(Request::GetChildren { path: Text::new("/p"), watch: true }),
        3 => Just(Request::Sync),
        1 => Just(Request::CloseSession),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let (client, server, follower) = (|| 0..CLIENTS, || 0..SERVERS, || 1..SERVERS);
    prop_oneof![
        14 => (client(), request()).prop_map(|(n, request)| Op::Send(n, request)),
        16 => client().prop_map(Op::Serve),
        14 => follower().prop_map(Op::Accept),
        14 => follower().prop_map(Op::Commit),
        2 => client().prop_map(Op::Drop),
        8 => (client(), server()).prop_map(|(n, server)| Op::Move(n, server)),
        6 => (client(), server()).prop_map(|(n, server)| Op::Reconnect(n, server)),
        1 => client().prop_map(Op::Closing),
        2 => client().prop_map(Op::End),
        1 => client().prop_map(Op::Propose),
        1 => Just(Op::Elect),
        2 => follower().prop_map(Op::Resync),
    ]
}

/// Does the operations one after the other.
fn run(ops: &[Op], mutation: Mutation) -> Result<(), TestCaseError> {
    let mut run = Run::new(mutation);
    for (at, op) in ops.iter().enumerate() {
        let wrong = |(rule, how): drive::Wrong| TestCaseError::fail(format!("{rule}: {how} (operation {at}, {op:?})"));
        run.take(op).map_err(wrong)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn servers_hold_prefixes_of_one_list_and_sessions_see_them_in_order(ops in vec(op(), 1..120)) {
        run(&ops, Mutation::None)?;
    }
}

/// Found by the comparison: a follower began at the sequential member of a multi where the leader had begun at the plain one.
#[test]
fn a_plain_and_a_sequential_node_of_one_multi_are_counted_alike_everywhere() {
    let create = |mode| Write::Create { path: Text::new("/p/a"), data: None, mode };
    let multi = vec![create(CreateMode::Persistent), create(CreateMode::EphemeralSequential)];
    let ops = [
        Op::Elect,
        Op::Reconnect(2, 0),
        Op::Send(2, Request::Multi(multi.into_iter().collect())),
        Op::Serve(2),
        Op::Commit(1),
    ];
    run(&ops, Mutation::None).expect("every server has what the list says");
}

/// The rule that the comparison finds broken under the mutation, with the same cases in every run.
fn broken_rule(mutation: Mutation) -> String {
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    match runner.run(&vec(op(), 1..120), |ops| run(&ops, mutation)) {
        Err(TestError::Fail(reason, ops)) => {
            println!("{reason}: {ops:?}");
            reason.message().split(':').next().unwrap_or_default().to_owned()
        }
        other => panic!("{mutation:?} is not noticed: {other:?}"),
    }
}

#[test]
fn a_follower_that_claims_what_it_has_not_is_noticed() {
    assert_eq!(broken_rule(Mutation::TrustsZxid), "prefix");
}

#[test]
fn a_client_that_forgets_what_it_has_seen_is_noticed() {
    assert_eq!(broken_rule(Mutation::ForgetsZxid), "single system image");
}

#[test]
fn a_read_that_does_not_wait_is_noticed() {
    assert_eq!(broken_rule(Mutation::ReadsAtOnce), "order");
}

#[test]
fn a_deposed_leader_that_is_believed_is_noticed() {
    assert_eq!(broken_rule(Mutation::OldTerms), "ephemerals");
}
