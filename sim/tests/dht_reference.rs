//! The hash table against a naive reference with a clock, and against its own renamings.

#[path = "dht_reference/naive.rs"]
mod naive;

use std::time::Duration;

use naive::Naive;
use overtake_recipes::StoreError;
use overtake_recipes::store::Value;
use overtake_recipes::store::dht::{Expiration, Node, Request, Response, Version};
use overtake_sim::names::{Name, Names, Text, slot_of, unique_id, who};
use overtake_sim::stores::dht::Inner;
use overtake_sim::stores::{Call, Dht, Served, Service, inside, outside};
use proptest::collection::vec;
use proptest::prelude::*;

const NODES: u8 = 2;

/// What is done.
#[derive(Clone, Debug)]
enum Act {
    Call(Request),
    /// So many seconds go by.
    Wait(u64),
    Evict(u8, usize),
    Lose(u8),
    Return(u8),
    Restart(u8),
}

/// Keys and texts; some hold a name, of one of two clients.
fn text() -> impl Strategy<Value = String> {
    let id = |slot| format!("lock-{}", unique_id(who(slot, 0).into()));
    prop_oneof![
        4 => prop_oneof![Just("a"), Just("b"), Just("news")].prop_map(str::to_owned),
        2 => (0..2usize).prop_map(id),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-2..3i64).prop_map(Value::Int),
        text().prop_map(Value::Text),
        vec(text().prop_map(Value::Text), 0..4).prop_map(Value::List),
    ]
}

fn until() -> impl Strategy<Value = Expiration> {
    prop_oneof![
        3 => Just(Expiration::Never),
        3 => (1..6u64).prop_map(|seconds| Expiration::After(Duration::from_secs(seconds))),
        1 => Just(Expiration::AtOnce),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let node = || (0..NODES).prop_map(Node);
    // Versions are small, so that many of them fit.
    let version = || (0..8u64).prop_map(Version);
    prop_oneof![
        3 => (node(), text(), value(), until()).prop_map(|(n, k, v, e)| Request::Set(n, k, v, e)),
        2 => (node(), text(), value(), until()).prop_map(|(n, k, v, e)| Request::Put(n, k, v, e)),
        1 => (node(), text(), value(), until()).prop_map(|(n, k, v, e)| Request::Replace(n, k, v, e)),
        2 => (node(), text()).prop_map(|(n, k)| Request::Get(n, k)),
        2 => (node(), vec(text(), 0..4)).prop_map(|(n, k)| Request::GetMany(n, k)),
        1 => (node(), text()).prop_map(|(n, k)| Request::Del(n, k)),
        1 => (node(), text(), version()).prop_map(|(n, k, t)| Request::DelIf(n, k, t)),
        4 => (node(), text(), value(), version(), proptest::option::of(until()))
            .prop_map(|(n, k, v, t, e)| Request::Update(n, k, v, t, e)),
        1 => (node(), text(), until()).prop_map(|(n, k, e)| Request::Touch(n, k, e)),
        1 => (node(), text(), until()).prop_map(|(n, k, e)| Request::GetAndTouch(n, k, e)),
        2 => (node(), text(), -3..4i64).prop_map(|(n, k, by)| Request::Increment(n, k, by)),
        2 => (node(), text(), value()).prop_map(|(n, k, v)| Request::Append(n, k, v)),
        1 => (node(), text(), value()).prop_map(|(n, k, v)| Request::Prepend(n, k, v)),
        1 => node().prop_map(Request::Flush),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        24 => request().prop_map(Act::Call),
        3 => (1..4u64).prop_map(Act::Wait),
        1 => (0..NODES, 0..3usize).prop_map(|(node, at)| Act::Evict(node, at)),
        1 => (0..NODES).prop_map(Act::Lose),
        3 => (0..NODES).prop_map(Act::Return),
        1 => (0..NODES).prop_map(Act::Restart),
    ]
}

/// All steps of a call.
fn call(table: &mut Dht, slot: usize, request: &Request<Text>) -> Result<Response<Text>, StoreError> {
    let mut progress = None;
    loop {
        match table.serve(who(slot, 0), request, progress.as_ref()) {
            Served::Done(result) => return result,
            Served::Going(further) => progress = Some(further),
            Served::Waits => panic!("a node never lets wait"),
        }
    }
}

/// So many times the usual 256 cases, or those of `PROPTEST_CASES`.
fn config(times: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases * times, failure_persistence: None, ..usual }
}

/// Does an act to both, and compares what is answered.
fn act_on_both(table: &mut Dht, naive: &mut Naive, act: &Act) -> Result<(), TestCaseError> {
    let inner = match act {
        Act::Call(request) => {
            let answer = call(table, 0, &inside(request.clone())).map(outside);
            prop_assert_eq!(answer, naive.call(request), "{:?}", request);
            return Ok(());
        }
        Act::Wait(seconds) => {
            naive.now += seconds;
            // What is over in the reference expires here, in a step of its own.
            for (node, at) in naive.nodes.iter_mut().zip(0..) {
                for (key, _) in node.entries.iter().filter(|(_, e)| e.deadline.is_some_and(|d| d <= naive.now)) {
                    let expires = Inner::Expires(Node(at), Text::new(key));
                    if table.inner().contains(&expires) {
                        table.take(&expires);
                    }
                }
                // A node that is lost cannot be seen; when it is back, what was over is over.
                if node.lost {
                    node.entries.retain(|_, e| e.deadline.is_none_or(|d| d > naive.now));
                    for item in table.nodes()[usize::from(at)].items().to_vec() {
                        if !node.entries.contains_key(&item.key.full()) {
                            table.take(&Inner::Expires(Node(at), item.key));
                        }
                    }
                }
            }
            return Ok(());
        }
        Act::Evict(node, at) => {
            let Some(item) = table.nodes()[usize::from(*node)].items().get(*at) else { return Ok(()) };
            Inner::IsEvicted(Node(*node), item.key)
        }
        Act::Lose(node) => Inner::IsLost(Node(*node)),
        Act::Return(node) => Inner::ComesBack(Node(*node)),
        Act::Restart(node) => Inner::StartsAgain(Node(*node)),
    };
    if !table.inner().contains(&inner) {
        return Ok(());
    }
    table.take(&inner);
    match inner {
        Inner::IsEvicted(node, key) => {
            naive.nodes[usize::from(node.0)].entries.remove(&key.full());
        }
        Inner::IsLost(node) => naive.nodes[usize::from(node.0)].lost = true,
        Inner::ComesBack(node) => naive.nodes[usize::from(node.0)].lost = false,
        Inner::StartsAgain(node) => naive.nodes[usize::from(node.0)] = naive::Node::default(),
        Inner::Expires(..) => unreachable!("a wait does that"),
    }
    Ok(())
}

/// Exchanges the two clients in all names.
fn swap(value: &mut dyn Names) {
    value.names(&mut |name| {
        if let Name::Who(number) = name {
            *number = who(1 - slot_of(*number), 0);
        }
    });
}

proptest! {
    #![proptest_config(config(8))]

    /// Answers and contents agree after every act: that an item expires in a step of its own cannot be told from the lazy
    /// expiry of a real server.
    #[test]
    fn table_and_reference_agree(
        acts in vec(act(), 1..80),
        memcached in any::<bool>(),
        largest in 1..5usize,
        capacity in 1..6usize,
    ) {
        let rules = if memcached { Dht::memcached(NODES) } else { Dht::seed(NODES) };
        let mut table = rules.largest_list(largest).capacity_without_eviction(capacity);
        let nodes = vec![naive::Node::default(); NODES.into()];
        let mut naive = Naive { nodes, now: 0, memcached, largest, capacity };
        for act in &acts {
            act_on_both(&mut table, &mut naive, act)?;
            for (node, reference) in table.nodes().iter().zip(&naive.nodes) {
                prop_assert_eq!(node.is_lost(), reference.lost);
                prop_assert_eq!(node.given(), reference.given);
                let items: std::collections::BTreeMap<_, _> =
                    node.items().iter().map(|i| (i.key.full(), (outside(i.data.clone()), i.version))).collect();
                let live = reference.entries.iter().filter(|(_, e)| e.deadline.is_none_or(|d| d > naive.now));
                let expected = live.map(|(key, e)| (key.clone(), (e.data.clone(), e.version))).collect();
                prop_assert_eq!(items, expected);
            }
        }
    }

    /// Renaming and then acting is acting and then renaming; and equal contents are equal values, whatever their history.
    #[test]
    fn a_renamed_table_does_the_same(acts in vec(act(), 1..40), capacity in proptest::option::of(1..4usize)) {
        let table = Dht::memcached(NODES).counting_calls();
        let mut table = capacity.into_iter().fold(table, Dht::capacity);
        for act in &acts {
            let mut renamed = table.clone();
            swap(&mut renamed);
            renamed.normalise();
            match act {
                Act::Call(request) => {
                    let request: Request<Text> = inside(request.clone());
                    let mut other = Call::Dht(request.clone());
                    swap(&mut other);
                    let Call::Dht(other) = other else { unreachable!() };
                    let answer = call(&mut table, 0, &request);
                    let renamed_answer = call(&mut renamed, 1, &other);
                    let mut expected = answer.map(overtake_sim::stores::Answer::Dht);
                    if let Ok(answer) = &mut expected {
                        swap(answer);
                    }
                    prop_assert_eq!(renamed_answer.map(overtake_sim::stores::Answer::Dht), expected);
                }
                _ => {
                    let inner = table.inner();
                    // The same number of things may happen, and all of them still may after a renaming.
                    prop_assert_eq!(inner.len(), renamed.inner().len());
                    let Some(step) = inner.first() else { continue };
                    let mut other = step.clone();
                    if let Inner::Expires(_, key) | Inner::IsEvicted(_, key) = &mut other {
                        swap(key);
                    }
                    prop_assert!(renamed.inner().contains(&other));
                    table.take(step);
                    renamed.take(&other);
                }
            }
            let mut there = table.clone();
            swap(&mut there);
            there.normalise();
            prop_assert_eq!(there, renamed);
        }
    }
}
