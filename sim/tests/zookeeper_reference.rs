//! The service against a naive reference, and against its own renamings.

#[path = "zookeeper_reference/acts.rs"]
mod acts;
#[path = "zookeeper_reference/naive.rs"]
mod naive;
#[path = "zookeeper_reference/paths.rs"]
mod paths;
#[path = "zookeeper_reference/renaming.rs"]
mod renaming;
#[allow(dead_code, reason = "only the printing half is needed here")]
#[path = "conformance/request.rs"]
mod request;
#[path = "zookeeper_reference/requests.rs"]
mod requests;

use std::collections::BTreeSet;

use acts::Act;
use naive::Naive;
use overtake_sim::names::{Text, Who};
use overtake_sim::zookeeper::{Config, Notification, Reply, WatchTable, ZooKeeper};
use proptest::collection::vec;
use proptest::prelude::*;

/// What one act led to: an answer, and events by session in the order of each connection.
type Outcome = (String, Vec<(Who, String)>);

fn print_reply(reply: &Reply) -> String {
    match &reply.result {
        Ok(response) => request::response(response, paths::letter),
        Err(failure) if failure.members.is_empty() => format!("{:?}", failure.error),
        Err(failure) => {
            let codes = failure.members.iter().map(|code| code.map_or("OK".to_owned(), |code| format!("{code:?}")));
            format!("{:?} {}", failure.error, request::list(codes))
        }
    }
}

fn print_events(events: &[Notification]) -> Vec<(Who, String)> {
    events.iter().map(|e| (e.session, format!("({} {})", e.path, request::event(e.kind)))).collect()
}

/// Does the act to the service. `None` when it makes no sense now.
fn act_on_service(server: &mut ZooKeeper, act: &Act) -> Option<Outcome> {
    let seen = acts::seen(act, server.last_zxid());
    let outcome = acts::run(server, act, seen)?;
    let answer = match &outcome.reply {
        Some(reply) => print_reply(reply),
        None => outcome.note.to_owned(),
    };
    Some((answer, print_events(&outcome.events)))
}

fn act_on_naive(naive: &mut Naive, act: &Act) -> String {
    let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    match act {
        Act::Open(session) => {
            naive.open(*session);
            "opened".to_owned()
        }
        Act::Request(session, request) => naive.serve(*session, request),
        Act::BeginExpiry(session) => {
            naive.begin_expiry(*session);
            String::new()
        }
        Act::FinishExpiry(session) => {
            naive.finish_expiry(*session);
            String::new()
        }
        Act::Drop(session) => {
            naive.disconnect(*session);
            String::new()
        }
        Act::TakeOver(session) => {
            let connected = naive.sessions.get(session).is_some_and(|s| s.connected);
            naive.disconnect(*session);
            yes_or_no(connected)
        }
        Act::Reconnect(session, tables, back) => {
            let tables: Vec<_> = tables.iter().map(|(t, p)| (*t, p.to_string())).collect();
            let seen = naive.zxid.saturating_add_signed(-back);
            naive.reconnect(*session, &tables, seen).to_owned()
        }
        Act::Sweep(path) => yes_or_no(naive.sweep(&path.to_string())),
    }
}

/// Everything that can be asked of the two, in words.
fn compare(server: &ZooKeeper, naive: &Naive) -> Result<(), TestCaseError> {
    prop_assert_eq!(server.last_zxid(), naive.zxid);
    let tree: Vec<(String, String)> = {
        let mut nodes: Vec<_> = server
            .nodes()
            .map(|(path, stat)| {
                let data = request::data(server.data(path).expect("a node"));
                let stat = request::stat(&stat, paths::letter);
                (path.to_string(), format!("{data} {stat}"))
            })
            .collect();
        nodes.sort();
        nodes
    };
    let expected: Vec<(String, String)> = naive
        .tree
        .iter()
        .map(|(path, node)| {
            let data = node.data.as_ref();
            let data = data.map_or("null".to_owned(), |data| format!("\"{data}\""));
            (path.clone(), format!("{data} {}", naive.stat(path)))
        })
        .collect();
    prop_assert_eq!(tree, expected);
    for (path, node) in &naive.tree {
        let text = Text::new(path);
        let children: Vec<_> = server.children(text).iter().map(Text::to_string).collect();
        prop_assert_eq!(children, naive.children(path));
        prop_assert_eq!(server.counter(text), node.creates);
        prop_assert_eq!(server.owner(text), node.owner);
    }
    for session in acts::SESSIONS {
        let known = naive.sessions.get(&session);
        prop_assert_eq!(server.is_known(session), known.is_some());
        prop_assert_eq!(server.is_alive(session), known.is_some_and(|s| !s.closing));
        prop_assert_eq!(server.is_closing(session), known.is_some_and(|s| s.closing));
        let connected = known.is_some_and(|s| s.connected);
        prop_assert_eq!(server.is_connected(session), connected);
    }
    let watches: BTreeSet<String> = server
        .watches()
        .map(|(session, table, path)| {
            let session = paths::letter(session);
            format!("{session} {} {path}", request::table(table))
        })
        .collect();
    prop_assert_eq!(watches, naive.watches());
    Ok(())
}

/// So many times the usual 256 cases, or those of `PROPTEST_CASES`. Seeds are not kept: what they stand
/// for changes with every strategy.
fn config(times: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases * times, failure_persistence: None, max_global_rejects: u32::MAX, ..usual }
}

proptest! {
    #![proptest_config(config(6))]

    /// Replies, events, trees, sessions and watch tables agree after every act.
    #[test]
    fn service_and_reference_agree(
        acts in vec(acts::act(), 1..60),
        counter in prop_oneof![4 => Just(None), 1 => (i32::MAX - 2..=i32::MAX).prop_map(Some)],
    ) {
        let mut server = ZooKeeper::new(Config::default());
        let mut naive = Naive::new();
        let opening = acts::opening();
        for (at, act) in opening.iter().chain(&acts).enumerate() {
            if at == opening.len() && let Some(counter) = counter {
                server.set_counter(Text::new("/a"), counter);
                naive.tree.get_mut("/a").expect("a node").creates = counter;
            }
            let Some((answer, mut events)) = act_on_service(&mut server, act) else {
                continue;
            };
            prop_assert_eq!(answer, act_on_naive(&mut naive, act), "act {} {:?}", at, act);
            // Connections are independent; within each the order counts.
            let mut expected = naive.take_events();
            events.sort_by_key(|(session, _)| *session);
            expected.sort_by_key(|(session, _)| *session);
            prop_assert_eq!(events, expected, "events of act {} {:?}", at, act);
            compare(&server, &naive)?;
        }
    }

    /// Where zxids are not tracked, nothing else is different.
    #[test]
    fn without_zxids_all_else_is_the_same(acts in vec(acts::act(), 1..40)) {
        let mut with = ZooKeeper::new(Config::default());
        let mut without = ZooKeeper::new(Config { track_zxids: false });
        for act in acts::opening().iter().chain(&acts) {
            // Reconnects compare zxids.
            if matches!(act, Act::Reconnect(..)) {
                continue;
            }
            let (a, b) = (act_on_service(&mut with, act), act_on_service(&mut without, act));
            prop_assert_eq!(a.map(strip_zxids), b.map(strip_zxids), "{:?}", act);
        }
        prop_assert_eq!(without.last_zxid(), 0);
        let mut zxids = 0;
        renaming::visit(&mut without, &mut |_| (), &mut |zxid| zxids += *zxid, &mut |_| ());
        prop_assert_eq!(zxids, 0);
    }
}

/// `{c=5 m=6 p=5 v=1 ...}` without the first three.
fn strip_zxids((answer, events): Outcome) -> Outcome {
    let words = answer.split(' ').filter(|word| {
        let word = word.trim_start_matches('{');
        !["c=", "m=", "p="].iter().any(|zxid| word.starts_with(zxid))
    });
    (words.collect::<Vec<_>>().join(" "), events)
}

#[test]
#[should_panic(expected = "set `track_zxids`")]
fn a_reconnect_that_compares_zxids_needs_them() {
    let mut server = ZooKeeper::new(Config { track_zxids: false });
    server.open_session(acts::SESSIONS[0]);
    let tables = |table| [(table, Text::new("/"))];
    let mut reconnect = |table| {
        let result = server.reconnect(acts::SESSIONS[0], &tables(table), 0, &mut Vec::new());
        assert_eq!(result, Ok(()));
    };
    reconnect(WatchTable::Exist);
    reconnect(WatchTable::Persistent);
    reconnect(WatchTable::Data);
}
