//! Renaming a server and then doing something is the same as doing it and then renaming.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use overtake_recipes::CreateMode;
use overtake_sim::names::{GONE, Name, Names, PER_CLIENT, Text, Who};
use overtake_sim::zookeeper::{Config, MultiResult, Request, Response, Stat, WatchTable, Write, ZooKeeper};
use proptest::collection::vec;
use proptest::prelude::*;

use super::acts::{self, Act, Outcome, SESSIONS};
use super::config;

/// Visits the names by kind.
pub fn visit(
    value: &mut dyn Names,
    seq: &mut dyn FnMut(&mut i32),
    zxid: &mut dyn FnMut(&mut u32),
    who: &mut dyn FnMut(&mut Who),
) {
    value.names(&mut |name| match name {
        Name::Seq(number) => seq(number),
        Name::Zxid(number) => zxid(number),
        Name::Who(number) => who(number),
    });
}

struct ActNames<'a>(&'a mut Act);

impl Names for ActNames<'_> {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self.0 {
            Act::Request(session, request) => {
                visit(Name::Who(session));
                request.names(visit);
            }
            Act::Reconnect(session, tables, _) => {
                visit(Name::Who(session));
                for (_, path) in tables {
                    path.names(visit);
                }
            }
            Act::Open(session)
            | Act::BeginExpiry(session)
            | Act::FinishExpiry(session)
            | Act::Drop(session)
            | Act::TakeOver(session) => visit(Name::Who(session)),
            Act::Sweep(path) => path.names(visit),
        }
    }
}

impl Names for Outcome {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.reply.names(visit);
        self.events.names(visit);
    }
}

/// What a world of renumbered counters does not show.
fn hide_cversions(outcome: &mut Outcome) {
    let hide = |stat: &mut Stat| stat.cversion = 0;
    match outcome.reply.as_mut().map(|reply| &mut reply.result) {
        Some(Ok(Response::Set(stat) | Response::Data(_, stat) | Response::Exists(Some(stat)))) => {
            hide(stat);
        }
        Some(Ok(Response::Multi(results))) => {
            for result in results {
                if let MultiResult::Set(stat) = result {
                    hide(stat);
                }
            }
        }
        _ => {}
    }
}

/// A monotone map: keeps neighbours that `tied` holds (n stands for n and n + 1), spreads the rest by
/// the gaps.
fn monotone<T: Copy + Ord + Into<i64>>(numbers: &BTreeSet<T>, tied: &BTreeSet<T>, gaps: &[i64]) -> BTreeMap<T, i64> {
    let mut gaps = gaps.iter().cycle();
    let mut map = BTreeMap::new();
    let mut last: Option<(T, i64)> = None;
    for number in numbers {
        let image = match last {
            None => *gaps.next().unwrap(),
            Some((before, image)) if tied.contains(&before) && before.into() + 1 == (*number).into() => image + 1,
            Some((_, image)) => image + 1 + *gaps.next().unwrap(),
        };
        map.insert(*number, image);
        last = Some((*number, image));
    }
    map
}

/// Whether the counter of a node is a name.
fn counter_is_name(server: &ZooKeeper, path: Text) -> bool {
    let shift = |value: &mut dyn Names| {
        visit(value, &mut |seq| *seq = seq.wrapping_add(1000), &mut |_| (), &mut |_| ());
    };
    let (mut shifted, mut shifted_path) = (server.clone(), path);
    shift(&mut shifted);
    shift(&mut shifted_path);
    server.node(path).is_some() && shifted.counter(shifted_path) != server.counter(path)
}

/// The first sequential create below a node brings a number into the world that was no name before, so
/// it does not commute with renumbering.
fn draws_a_plain_number(server: &ZooKeeper, act: &Act) -> bool {
    let writes: &[Write] = match act {
        Act::Request(_, Request::Write(write)) => std::slice::from_ref(write),
        Act::Request(_, Request::Multi(writes)) => writes,
        _ => &[],
    };
    writes.iter().any(|write| match write {
        Write::Create { path, mode, .. } if mode.is_sequential() => {
            !counter_is_name(server, path.parent().expect("no root"))
        }
        _ => false,
    })
}

fn after(acts: &[Act]) -> ZooKeeper {
    let mut server = ZooKeeper::new(Config::default());
    for act in acts::opening().iter().chain(acts) {
        let seen = acts::seen(act, server.last_zxid());
        acts::run(&mut server, act, seen);
    }
    server
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn numbers_can_be_renumbered(
        before in vec(acts::act(), 0..40),
        act in acts::act(),
        gaps in vec(0i64..4, 1..8),
    ) {
        let mut server = after(&before);
        prop_assume!(!draws_a_plain_number(&server, &act));
        let seen = acts::seen(&act, server.last_zxid());
        let mut renamed_act = act.clone();

        // What occurs, and what the act may draw.
        let (mut seqs, mut tied_seqs) = (BTreeSet::new(), BTreeSet::new());
        let last = server.last_zxid();
        let mut zxids = BTreeSet::from([last, last + 1, seen]);
        let (mut see_seq, mut see_zxid) = (|n: &mut i32| { seqs.insert(*n); }, |n: &mut u32| { zxids.insert(*n); });
        visit(&mut server, &mut see_seq, &mut see_zxid, &mut |_| ());
        visit(&mut ActNames(&mut renamed_act), &mut see_seq, &mut see_zxid, &mut |_| ());
        for (path, _) in server.nodes() {
            if counter_is_name(&server, path) {
                let counter = server.counter(path);
                seqs.extend(counter..counter + 3);
                tied_seqs.extend(counter..counter + 2);
            }
        }
        zxids.remove(&0);
        let seqs = monotone(&seqs, &tied_seqs, &gaps);
        let zxids = monotone(&zxids, &BTreeSet::from([last]), &gaps);
        let rename = |value: &mut dyn Names| {
            visit(
                value,
                &mut |n| *n = seqs[n] as i32,
                &mut |n| if *n != 0 { *n = zxids[n] as u32 + 1 },
                &mut |_| (),
            );
        };
        let mut renamed = server.clone();
        rename(&mut renamed);
        let mut normalised = renamed.clone();
        normalised.normalise();
        prop_assert_eq!(&renamed, &normalised, "a monotone renumbering keeps the order");
        rename(&mut ActNames(&mut renamed_act));
        let renamed_seen = if seen == 0 { 0 } else { zxids[&seen] as u32 + 1 };

        let mut right = acts::run(&mut renamed, &renamed_act, renamed_seen);
        let mut left = acts::run(&mut server, &act, seen);
        rename(&mut server);
        rename(&mut left);
        left.iter_mut().for_each(hide_cversions);
        right.iter_mut().for_each(hide_cversions);
        prop_assert_eq!(left, right);
        prop_assert_eq!(server, renamed);
    }

    #[test]
    fn clients_can_be_exchanged(
        before in vec(acts::act(), 0..40),
        act in acts::act(),
        order in Just(SESSIONS.to_vec()).prop_shuffle(),
    ) {
        let mut server = after(&before);
        let seen = acts::seen(&act, server.last_zxid());
        let rename = |value: &mut dyn Names| {
            visit(value, &mut |_| (), &mut |_| (), &mut |who| {
                let slot = *who / PER_CLIENT;
                if let Some(image) = order.get(usize::from(slot).wrapping_sub(1)) {
                    *who = image / PER_CLIENT * PER_CLIENT + *who % PER_CLIENT;
                }
            });
        };
        let (mut renamed, mut renamed_act) = (server.clone(), act.clone());
        rename(&mut renamed);
        renamed.normalise();
        rename(&mut ActNames(&mut renamed_act));

        let mut right = acts::run(&mut renamed, &renamed_act, seen);
        let mut left = acts::run(&mut server, &act, seen);
        rename(&mut server);
        server.normalise();
        rename(&mut left);
        for outcome in [&mut left, &mut right].into_iter().flatten() {
            // Stable: connections are independent, within each the order counts.
            outcome.events.sort_by_key(|event| event.session);
        }
        prop_assert_eq!(left, right);
        prop_assert_eq!(server, renamed);
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn equal_contents_are_equal_values_whatever_came_first() {
    let build = |sessions: [Who; 2], paths: [&str; 3]| {
        let mut server = ZooKeeper::new(Config { track_zxids: false });
        for session in sessions {
            server.open_session(session);
        }
        for path in paths {
            let (path, data) = (Text::new(path), None);
            server.seed_node(path, data, CreateMode::Persistent);
        }
        for session in sessions {
            for path in paths.map(Text::new) {
                let request = Request::GetChildren { path, watch: true };
                server.apply(session, &request, &mut Vec::new());
                let request = Request::Exists { path, watch: true };
                server.apply(session, &request, &mut Vec::new());
            }
        }
        server
    };
    let one = build([17, 33], ["/q", "/n-0000000002", "/n-0000000010"]);
    let two = build([33, 17], ["/n-0000000010", "/q", "/n-0000000002"]);
    assert_eq!(one, two);
    assert_eq!(hash(&one), hash(&two));
}

#[test]
fn watches_of_names_that_are_made_one_are_made_one() {
    let mut server = ZooKeeper::new(Config::default());
    server.open_session(17);
    for path in ["/n-0000000002", "/n-0000000010"].map(Text::new) {
        let request = Request::Exists { path, watch: true };
        server.apply(17, &request, &mut Vec::new());
    }
    visit(&mut server, &mut |seq| *seq = GONE, &mut |_| (), &mut |_| ());
    server.normalise();
    let gone = Text::new("/n-").with_seq(GONE);
    let watches: Vec<_> = server.watches().collect();
    assert_eq!(watches, [(17, WatchTable::Exist, gone)]);
}

fn seqs(server: &ZooKeeper) -> Vec<i32> {
    let mut seqs = Vec::new();
    visit(&mut server.clone(), &mut |seq| seqs.push(*seq), &mut |_| (), &mut |_| ());
    seqs.sort_unstable();
    seqs
}

#[test]
fn a_counter_is_a_name_once_a_sequential_child_was_made() {
    let mut server = ZooKeeper::new(Config::default());
    server.open_session(17);
    let mut write = |write| {
        let reply = server.apply(17, &Request::Write(write), &mut Vec::new());
        reply.result.unwrap();
        seqs(&server)
    };
    let create = |path, mode| Write::Create { path: Text::new(path), data: None, mode };
    assert_eq!(write(create("/q", CreateMode::Persistent)), []);
    assert_eq!(write(create("/q/x", CreateMode::Persistent)), []);
    assert_eq!(write(create("/q/n-", CreateMode::EphemeralSequential)), [1, 2]);
    assert_eq!(write(create("/q/y", CreateMode::Persistent)), [1, 3]);
    let (path, version) = (Text::new("/q/n-0000000001"), None);
    assert_eq!(write(Write::Delete { path, version }), [3]);
}

#[test]
fn a_container_stays_sweepable_when_its_counter_is_renumbered() {
    let mut server = ZooKeeper::new(Config::default());
    server.open_session(17);
    let queue = server.seed_node(Text::new("/q"), None, CreateMode::Container);
    assert_eq!(server.sweepable(), []);
    let (path, data, mode) = (Text::new("/q/n-"), None, CreateMode::EphemeralSequential);
    let create = Request::Write(Write::Create { path, data, mode });
    server.apply(17, &create, &mut Vec::new()).result.unwrap();
    server.apply_close(17, &mut Vec::new());
    visit(&mut server, &mut |seq| *seq = 0, &mut |_| (), &mut |_| ());
    assert_eq!(server.sweepable(), [queue]);
}

#[test]
fn nodes_that_differ_in_their_owners_are_put_in_order_again() {
    let paths = ["/00000010-0000-4000-8000-0f0e7a3e0000", "/00000020-0000-4000-8000-0f0e7a3e0000"].map(Text::new);
    let mut server = ZooKeeper::new(Config::default());
    for path in paths {
        server.seed_node(path, None, CreateMode::Persistent);
    }
    let mut exchanged = server.clone();
    visit(&mut exchanged, &mut |_| (), &mut |_| (), &mut |who| *who = 0x30 - *who);
    assert_ne!(server, exchanged);
    exchanged.normalise();
    assert_eq!(server, exchanged);
}
