//! Random operations on few fields with few values, so that they meet.

use overtake_recipes::store::documents::{Change, Filter, Op, Returning, Sort};
use overtake_recipes::store::{Doc, Value, doc};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..3_i64).prop_map(Value::Int),
        1 => Just(Value::Null),
        1 => (0..3_i64).prop_map(Value::Date),
        1 => prop_oneof![Just("x"), Just("y")].prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![6 => scalar(), 1 => vec(scalar(), 0..3).prop_map(Value::List)]
}

fn field() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => Just("a"), 2 => Just("b"), 1 => Just("l"), 1 => Just("o.p"), 1 => Just("_id")]
}

/// A field with a value such as stands in it: those of `_id` are small numbers.
fn pair() -> impl Strategy<Value = (&'static str, Value)> {
    (field(), value(), 1..4_i64).prop_map(|(f, v, id)| (f, if f == "_id" { Value::Int(id) } else { v }))
}

pub fn filter() -> impl Strategy<Value = Filter> {
    let leaf = (pair(), 0..8_u8, vec(scalar(), 0..3)).prop_map(|((f, v), kind, all)| {
        let f = f.into();
        match kind {
            0 | 1 => Filter::Eq(f, v),
            2 => Filter::Ne(f, v),
            3 => Filter::Lt(f, v),
            4 => Filter::Lte(f, v),
            5 => Filter::Gt(f, v),
            6 => Filter::Gte(f, v),
            _ => Filter::In(f, all),
        }
    });
    let leaf = prop_oneof![8 => leaf, 1 => Just(Filter::All)];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Filter::And), vec(inner, 0..3).prop_map(Filter::Or)]
    })
}

/// Equalities only, each field once: what upserts look for.
pub fn equalities() -> impl Strategy<Value = Filter> {
    prop_oneof![
        pair().prop_map(|(f, v)| Filter::Eq(f.into(), v)),
        (0..3_i64, 0..3_i64).prop_map(|(a, b)| {
            Filter::And(vec![Filter::Eq("a".into(), a.into()), Filter::Eq("b".into(), b.into())])
        }),
        (0..3_i64, 1..4_i64).prop_map(|(a, id)| {
            Filter::And(vec![Filter::In("a".into(), vec![a.into()]), Filter::Eq("_id".into(), id.into())])
        }),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    (pair(), 0..10_u8, 0..3_i64).prop_map(|((f, v), kind, n)| {
        let field = f.into();
        match kind {
            0 | 1 => Change::Set(field, v),
            2 | 3 => Change::Inc(field, n),
            // What remains of an emptied inner document is not told apart by paths.
            4 => Change::Unset(if f == "o.p" { "a".into() } else { field }),
            5 => Change::Push(field, v),
            6 => Change::AddToSet(field, v),
            7 => Change::Pull(field, v),
            8 => Change::SetOnInsert(field, v),
            _ => Change::Max(field, v),
        }
    })
}

pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop_oneof![
        8 => vec(change(), 1..3),
        1 => Just(vec![Change::CurrentDate("b".into())]),
        1 => Just(vec![]),
    ]
}

pub fn document() -> impl Strategy<Value = Value> {
    let fields = (option::of(1..4_i64), option::of(value()), option::of(value()), option::of(scalar()));
    fields.prop_map(|(id, a, b, p)| {
        let mut all = Doc::new();
        all.extend(id.map(|id| ("_id".into(), Value::Int(id))));
        all.extend(a.map(|a| ("a".into(), a)));
        all.extend(b.map(|b| ("b".into(), b)));
        all.extend(p.map(|p| ("o".into(), doc([("p", p)]))));
        Value::Doc(all)
    })
}

fn sort() -> impl Strategy<Value = Option<Sort>> {
    option::of((field(), any::<bool>()).prop_map(|(field, descending)| Sort { field: field.into(), descending }))
}

pub fn op() -> impl Strategy<Value = Op> {
    let returning = || prop_oneof![Just(Returning::Before), Just(Returning::After)];
    prop_oneof![
        4 => document().prop_map(Op::Insert),
        2 => (filter(), sort()).prop_map(|(f, s)| Op::Find(f, s)),
        1 => filter().prop_map(Op::Count),
        3 => (filter(), changes()).prop_map(|(f, c)| Op::UpdateOne(f, c, false)),
        3 => (equalities(), changes()).prop_map(|(f, c)| Op::UpdateOne(f, c, true)),
        2 => (filter(), changes()).prop_map(|(f, c)| Op::UpdateMany(f, c)),
        2 => (equalities(), document(), any::<bool>()).prop_map(|(f, d, u)| Op::Replace(f, d, u)),
        1 => (filter(), document()).prop_map(|(f, d)| Op::LegacyUpdate(f, d, false)),
        2 => (filter(), sort(), changes(), returning())
            .prop_map(|(f, s, c, r)| Op::FindAndModify(f, s, c, r, false)),
        1 => (equalities(), changes(), returning()).prop_map(|(f, c, r)| Op::FindAndModify(f, None, c, r, true)),
        1 => filter().prop_map(Op::DeleteOne),
        1 => (filter(), sort()).prop_map(|(f, s)| Op::FindAndDelete(f, s)),
        1 => filter().prop_map(Op::DeleteMany),
    ]
}
