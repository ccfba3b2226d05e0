//! Documents, filters and changes as the manual writes them: `{a: {$lt: 3}}`, `{$set: {a: 1}}`. A moment is `@5`.

use overtake_recipes::store::documents::{Change, Filter};
use overtake_recipes::store::{Doc, Field, Value};

/// Reads a value at the start of the text; answers it and the rest.
pub fn value(text: &str) -> Result<(Value, &str), String> {
    let text = text.trim_start();
    if let Some(inside) = text.strip_prefix('{') {
        return fields(inside);
    }
    if let Some(mut rest) = text.strip_prefix('[') {
        let mut list = Vec::new();
        loop {
            rest = rest.trim_start_matches([' ', ',']);
            if let Some(rest) = rest.strip_prefix(']') {
                return Ok((Value::List(list), rest));
            }
            let (element, behind) = value(rest)?;
            list.push(element);
            rest = behind;
        }
    }
    if let Some(inside) = text.strip_prefix('"') {
        let (content, rest) = inside.split_once('"').ok_or("a quote is not closed")?;
        return Ok((content.into(), rest));
    }
    let end = text.find([' ', ',', '}', ']']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let number = |word: &str| word.parse::<i64>().map_err(|_| format!("`{word}` is no value"));
    let value = match word {
        "null" => Value::Null,
        "true" => true.into(),
        "false" => false.into(),
        _ => match word.strip_prefix('@') {
            Some(moment) => Value::Date(number(moment)?),
            None => number(word)?.into(),
        },
    };
    Ok((value, rest))
}

fn fields(mut rest: &str) -> Result<(Value, &str), String> {
    let mut doc = Doc::new();
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Ok((Value::Doc(doc), rest));
        }
        let (field, behind) = rest.split_once(':').ok_or("a field without a value")?;
        let (value, behind) = value(behind)?;
        doc.insert(Field::Owned(field.trim().to_owned()), value);
        rest = behind;
    }
}

fn list(value: Value) -> Result<Vec<Value>, String> {
    if let Value::List(list) = value { Ok(list) } else { Err(format!("{value} is no list")) }
}

fn doc(value: Value) -> Result<Doc, String> {
    if let Value::Doc(doc) = value { Ok(doc) } else { Err(format!("{value} is no document")) }
}

fn one(field: Field, value: Value) -> Result<Vec<Filter>, String> {
    if field == "$or" {
        return Ok(vec![Filter::Or(list(value)?.into_iter().map(filter).collect::<Result<_, _>>()?)]);
    }
    match value {
        Value::Doc(operators) if operators.keys().any(|operator| operator.starts_with('$')) => operators
            .into_iter()
            .map(|(operator, value)| {
                let field = field.clone();
                Ok(match operator.as_ref() {
                    "$eq" => Filter::Eq(field, value),
                    "$ne" => Filter::Ne(field, value),
                    "$lt" => Filter::Lt(field, value),
                    "$lte" => Filter::Lte(field, value),
                    "$gt" => Filter::Gt(field, value),
                    "$gte" => Filter::Gte(field, value),
                    "$in" => Filter::In(field, list(value)?),
                    other => return Err(format!("{other} is no operator of filters")),
                })
            })
            .collect(),
        value => Ok(vec![Filter::Eq(field, value)]),
    }
}

/// The filter that a document stands for.
pub fn filter(value: Value) -> Result<Filter, String> {
    let mut all = Vec::new();
    for (field, value) in doc(value)? {
        all.extend(one(field, value)?);
    }
    Ok(match all.len() {
        0 => Filter::All,
        1 => all.remove(0),
        _ => Filter::And(all),
    })
}

/// The changes that a document of operators stands for. A plain document is none.
pub fn changes(value: Value) -> Result<Vec<Change>, String> {
    let mut all = Vec::new();
    for (operator, fields) in doc(value)? {
        if !operator.starts_with('$') {
            continue;
        }
        for (field, value) in doc(fields)? {
            all.push(match operator.as_ref() {
                "$set" => Change::Set(field, value),
                "$inc" => Change::Inc(field, value.as_int().ok_or("$inc takes a number")?),
                "$unset" => Change::Unset(field),
                "$push" => Change::Push(field, value),
                "$addToSet" => Change::AddToSet(field, value),
                "$pull" => Change::Pull(field, value),
                "$setOnInsert" => Change::SetOnInsert(field, value),
                "$currentDate" => Change::CurrentDate(field),
                "$max" => Change::Max(field, value),
                other => return Err(format!("{other} is no operator of updates")),
            });
        }
    }
    Ok(all)
}
