//! The document store against a naive reference, its transactions against one order, and its renamings against itself.

#[path = "documents_reference/generate.rs"]
mod generate;
#[path = "documents_reference/naive.rs"]
mod naive;

use naive::{Flat, Naive, flatten};
use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Change, Filter, Op, Request, Response};
use overtake_recipes::store::{Isolation, Texts, Value};
use overtake_sim::names::{Name, Names, Text, Who, unique_id, who};
use overtake_sim::stores::documents::{self, Inner, Progress};
use overtake_sim::stores::{Documents, Served, Service, inside, outside};
use proptest::collection::vec;
use proptest::prelude::*;

type Outcome = Result<Response, StoreError>;

fn request(op: Op) -> Request {
    Request { collection: "c", op, transaction: None, operation: None, secondary: false }
}

/// Takes a call to its end, or to where it waits.
fn finish(store: &mut Documents, caller: Who, request: &documents::Request) -> Option<Outcome> {
    let mut progress = None;
    loop {
        match store.serve(caller, request, progress.as_ref()) {
            Served::Done(result) => return Some(result.map(outside)),
            Served::Going(going) => progress = Some(going),
            Served::Waits => return None,
        }
    }
}

fn run(store: &mut Documents, request: Request) -> Outcome {
    finish(store, who(0, 0), &inside(request)).expect("nobody is in the way")
}

/// The answer with its documents apart, by paths.
fn apart(response: Response) -> (Response, Vec<Flat>) {
    match response {
        Response::Documents(all) => (Response::Documents(vec![]), all.iter().map(flatten).collect()),
        Response::Document(one) => (Response::Document(None), one.iter().map(flatten).collect()),
        other => (other, vec![]),
    }
}

fn store(unique: u8, looks_first: bool) -> (Documents, Vec<Vec<&'static str>>) {
    let fields: &[&'static str] = [&[][..], &["a"], &["a", "b"]][usize::from(unique)];
    let mut store = Documents::new();
    if !fields.is_empty() {
        store = store.unique("c", fields);
    }
    if looks_first {
        store = store.looks_first();
    }
    (store, if fields.is_empty() { vec![] } else { vec![fields.to_vec()] })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn one_after_the_other_it_is_the_reference(
        unique in 0..3_u8,
        looks_first in any::<bool>(),
        ops in vec(generate::op(), 1..14),
    ) {
        let (mut store, unique) = store(unique, looks_first);
        let mut naive = Naive { unique, ..Naive::default() };
        for op in ops {
            let (got, wanted) = (run(&mut store, request(op.clone())).map(apart), naive.run(&op));
            prop_assert_eq!(&got, &wanted, "{:?}", op);
            let all: Vec<Flat> = store.all("c").iter().map(|d| flatten(&outside(d.clone()))).collect();
            prop_assert_eq!(&all, &naive.documents, "{:?}", op);
        }
    }
}

/// A transaction of few operations on two counters and what is made beside them.
fn transaction() -> impl Strategy<Value = Vec<Op>> {
    let id = || (1..4_i64).prop_map(|id| Filter::Eq("_id".into(), id.into()));
    let filter = || prop_oneof![id(), (0..3_i64).prop_map(|n| Filter::Gte("n".into(), n.into()))];
    let op = prop_oneof![
        filter().prop_map(|f| Op::Find(f, None)),
        filter().prop_map(Op::Count),
        (id(), 1..3_i64).prop_map(|(f, n)| Op::UpdateOne(f, vec![Change::Inc("n".into(), n)], false)),
        (filter(), 1..3_i64).prop_map(|(f, n)| Op::UpdateMany(f, vec![Change::Inc("n".into(), n)])),
        (1..5_i64).prop_map(|id| {
            let fields = [("_id".into(), Value::Int(id)), ("n".into(), Value::Int(0))];
            Op::Insert(Value::Doc(fields.into_iter().collect()))
        }),
        id().prop_map(Op::DeleteOne),
    ];
    vec(op, 1..4)
}

fn counters() -> Documents {
    let counter =
        |id: i64| Value::Doc([("_id".into(), Value::Int(id)), ("n".into(), Value::Int(0))].into_iter().collect());
    Documents::new().with("c", counter(1)).with("c", counter(2))
}

/// A client in the middle of its transaction.
struct Running {
    ops: Vec<Op>,
    next: usize,
    progress: Option<Progress>,
    answers: Vec<Outcome>,
    over: bool,
}

/// Takes steps in the given order; answers who has committed, in this order, and what each was answered.
fn interleave(
    store: &mut Documents,
    isolation: Isolation,
    transactions: &[Vec<Op>],
    order: &[usize],
) -> (Vec<usize>, Vec<Vec<Outcome>>) {
    let whole = |ops: &Vec<Op>| [vec![Op::Begin(isolation)], ops.clone(), vec![Op::Commit]].concat();
    let start = |ops| Running { ops: whole(ops), next: 0, progress: None, answers: vec![], over: false };
    let mut running: Vec<Running> = transactions.iter().map(start).collect();
    let mut committed = Vec::new();
    for at in order.iter().map(|at| at % transactions.len()).chain((0..60).map(|at| at % transactions.len())) {
        let one = &mut running[at];
        if one.over {
            continue;
        }
        let op = one.ops[one.next].clone();
        let commits = matches!(op, Op::Commit);
        let request = inside(Request { transaction: Some(1), ..request(op) });
        match store.serve(who(at, 0), &request, one.progress.as_ref()) {
            Served::Going(progress) => one.progress = Some(progress),
            Served::Waits => {}
            Served::Done(result) => {
                (one.next, one.progress, one.over) = (one.next + 1, None, commits || result.is_err());
                if commits && result.is_ok() {
                    committed.push(at);
                } else if !commits {
                    one.answers.push(result.map(outside));
                }
            }
        }
    }
    (committed, running.into_iter().map(|one| one.answers).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    /// Those that commit have seen and done what they would have if they had run one after the other, in the order of their commits.
    #[test]
    fn serialisable_is_as_if_one_after_the_other(
        transactions in vec(transaction(), 2..4),
        order in vec(0..3_usize, 0..25),
    ) {
        let mut store = counters();
        let (committed, answers) = interleave(&mut store, Isolation::Serialisable, &transactions, &order);
        let mut alone = counters();
        for at in committed {
            let mut expected = vec![Ok(Response::Done)];
            for op in &transactions[at] {
                expected.push(run(&mut alone, request(op.clone())));
            }
            prop_assert_eq!(&answers[at], &expected);
        }
        prop_assert_eq!(store.all("c"), alone.all("c"));
        prop_assert_eq!(store.transactions().count(), 0, "nobody is left waiting");
    }

    /// No increment of a transaction that commits is lost, and none of one that does not commit is there.
    #[test]
    fn increments_count_exactly_when_committed(
        isolation in prop_oneof![Just(Isolation::ReadCommitted), Just(Isolation::Snapshot)],
        amounts in vec(vec((1..3_i64, 1..4_i64), 1..3), 2..4),
        order in vec(0..3_usize, 0..25),
    ) {
        let increment = |(id, n): &(i64, i64)| {
            Op::UpdateOne(Filter::Eq("_id".into(), (*id).into()), vec![Change::Inc("n".into(), *n)], false)
        };
        let transactions: Vec<Vec<Op>> = amounts.iter().map(|all| all.iter().map(increment).collect()).collect();
        let mut store = counters();
        let (committed, _) = interleave(&mut store, isolation, &transactions, &order);
        for document in store.all("c") {
            let id = document.at("_id").and_then(|v| v.as_int()).unwrap();
            let all = committed.iter().flat_map(|at| &amounts[*at]);
            let sum: i64 = all.filter(|(of, _)| *of == id).map(|(_, n)| n).sum();
            prop_assert_eq!(document.at("n").and_then(|v| v.as_int()), Some(sum));
        }
    }
}

/// Exchanges the names of clients 1 and 2.
fn exchange(value: &mut impl Names) {
    value.names(&mut |name| {
        if let Name::Who(name) = name {
            *name = match *name {
                one if one == who(0, 0) => who(1, 0),
                two if two == who(1, 0) => who(0, 0),
                other => other,
            };
        }
    });
}

fn exchanged<V: Texts<Text> + Clone>(value: &V) -> V {
    let mut value = value.clone();
    value.texts(&mut exchange);
    value
}

/// Puts a client's name into some of the values.
fn named(mut op: Op, of: usize) -> Op {
    op.texts(&mut |text| *text = format!("{text}-{}", unique_id(who(of, 0).into())));
    op
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// Renaming and then doing is doing and then renaming: no name is forgotten, whatever a call has come to.
    #[test]
    fn names_are_exchanged_everywhere(
        settings in 0..8_u8,
        ops in vec((generate::op(), 0..2_usize, 0..2_usize, 0..3_u8, 1..4_usize), 1..12),
    ) {
        let (mut left, _) = store(settings % 3, settings & 1 == 1);
        if settings & 2 == 2 {
            left = left.with_replica();
        }
        if settings & 4 == 4 {
            left = left.increments_in_two_steps();
        }
        let mut right = left.clone();
        for (begin, caller) in [(Isolation::Serialisable, 0), (Isolation::ReadCommitted, 1)] {
            let begin = inside(Request { transaction: Some(1), ..request(Op::Begin(begin)) });
            left.serve(who(caller, 0), &begin, None);
            right.serve(who(1 - caller, 0), &begin, None);
        }
        for (op, caller, of, how, steps) in ops {
            let op = named(op, of);
            // Names are not ordered.
            let orders = |op: &Op| matches!(op, Op::Find(_, Some(_)) | Op::FindAndModify(_, Some(_), ..) | Op::FindAndDelete(_, Some(_)));
            if orders(&op) || format!("{op:?}").contains("Lt") || format!("{op:?}").contains("Gt") || format!("{op:?}").contains("Max") {
                continue;
            }
            let (transaction, operation) = ((how == 0).then_some(1), (how == 1).then_some(7));
            let mine = inside(Request { transaction, operation, ..request(op) });
            let theirs = exchanged(&mine);
            let (mut here, mut there) = (None, None);
            for _ in 0..steps {
                let done = left.serve(who(caller, 0), &mine, here.as_ref());
                let other = right.serve(who(1 - caller, 0), &theirs, there.as_ref());
                match (done, other) {
                    (Served::Done(left), Served::Done(right)) => {
                        prop_assert_eq!(left.map(|response| exchanged(&response)), right);
                        break;
                    }
                    (Served::Going(left), Served::Going(right)) => {
                        let mut renamed = left.clone();
                        exchange(&mut renamed);
                        prop_assert_eq!(&renamed, &right);
                        (here, there) = (Some(left), Some(right));
                    }
                    (left, right) => prop_assert_eq!(left, right),
                }
            }
            let mut renamed = left.clone();
            exchange(&mut renamed);
            prop_assert_eq!(&renamed, &right);
        }
        for caller in 0..2 {
            let commit = inside(Request { transaction: Some(1), ..request(Op::Commit) });
            prop_assert_eq!(left.serve(who(caller, 0), &commit, None), right.serve(who(1 - caller, 0), &commit, None));
        }
        while left.inner().contains(&Inner::Replicate) {
            exchange(&mut left);
            prop_assert_eq!(&left, &right);
            exchange(&mut left);
            left.take(&Inner::Replicate);
            right.take(&Inner::Replicate);
        }
        exchange(&mut left);
        prop_assert_eq!(&left, &right);
    }
}
