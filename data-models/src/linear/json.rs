//! Events as JSON lines.

use serde_json::{Map, Value};

use super::history::What;
use super::spec::Word;

/// Reads one line; with `keyed` the value of an event in Jepsen's words is `[key, value]`.
pub(super) fn read(line: &str, keyed: bool) -> Result<(What, Vec<Word>), String> {
    let event: Value = serde_json::from_str(line).map_err(|error| format!("it is no JSON: {error}"))?;
    let Value::Object(event) = event else { return Err("it is no JSON object".into()) };
    if let Some(value) = event.get("initially") {
        return Ok((What::Initially, words(value)?));
    }
    let process = match event.get("process") {
        Some(Value::String(name)) if !name.is_empty() => Word::from(name.as_str()),
        Some(Value::Number(number)) => Word::from(number.to_string()),
        _ => return Err("it has no `process`, which is a name or a number".into()),
    };
    let (what, words) = match (event.get("call"), event.get("return"), event.get("type")) {
        (Some(call), None, None) => (What::Call(process), words(call)?),
        (None, Some(answer), None) => (What::Return(process), words(answer)?),
        (None, None, Some(kind)) => jepsen(process, kind, &event, keyed)?,
        _ => return Err("it needs one of `call`, `return`, `type`".into()),
    };
    if words.is_empty() && matches!(what, What::Call(_)) {
        return Err("it does not say what is called".into());
    }
    Ok((what, words))
}

/// A text is split into words; the elements of a list are words as they are; null is `nil`.
fn words(value: &Value) -> Result<Vec<Word>, String> {
    match value {
        Value::String(text) => Ok(text.split_whitespace().map(Word::from).collect()),
        other => flat(other),
    }
}

fn flat(value: &Value) -> Result<Vec<Word>, String> {
    match value {
        Value::Null => Ok(vec!["nil".into()]),
        Value::Bool(truth) => Ok(vec![if *truth { "yes" } else { "no" }.into()]),
        Value::Number(number) => Ok(vec![number.to_string().into()]),
        Value::String(text) => Ok(vec![text.as_str().into()]),
        Value::Array(list) => list.iter().map(flat).collect::<Result<Vec<_>, _>>().map(|words| words.concat()),
        Value::Object(_) => Err("a value must not be an object: write its parts as a list".into()),
    }
}

/// `{"process": 0, "type": "invoke", "f": "read", "value": null}`.
fn jepsen(process: Word, kind: &Value, event: &Map<String, Value>, keyed: bool) -> Result<(What, Vec<Word>), String> {
    let f = event.get("f").and_then(Value::as_str).ok_or("it has no `f`, which names the call")?;
    let value = event.get("value").unwrap_or(&Value::Null);
    let (key, value) = match value {
        _ if !keyed => (None, value),
        Value::Array(pair) if pair.len() == 2 => (Some(&pair[0]), &pair[1]),
        _ => return Err("with several keys the value of an event is a key and a value".into()),
    };
    match kind.as_str() {
        Some("invoke") => {
            let mut words = vec![Word::from(f)];
            words.extend(key.map(flat).transpose()?.into_iter().flatten());
            // What a read will return is not known yet, and is written as null.
            if !value.is_null() {
                words.extend(flat(value)?);
            }
            Ok((What::Call(process), words))
        }
        Some("ok") if f == "read" => Ok((What::Return(process), flat(value)?)),
        Some("ok") => Ok((What::Return(process), vec![if f == "cas" { "yes" } else { "ok" }.into()])),
        Some("fail") => Ok((What::Return(process), vec![if f == "cas" { "no" } else { "failed" }.into()])),
        Some("info") => Ok((What::Return(process), vec!["unknown".into()])),
        _ => Err(format!("{kind} is no type of an event; there are invoke, ok, fail, info")),
    }
}
