//! Values: what is stored under a key, and what documents are made of.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The name of a field.
pub type Field = Cow<'static, str>;

/// The fields of a document, by name.
pub type Doc<T = String> = BTreeMap<Field, Value<T>>;

/// Something that holds texts: they can be looked at one by one, and exchanged for texts of another kind.
pub trait Texts<T> {
    /// The same with another kind of text.
    type With<U>;

    /// Calls `visit` with every text, always in the same order.
    fn texts(&mut self, visit: &mut dyn FnMut(&mut T));

    /// Calls `visit` with the name of every field.
    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        let _ = visit;
    }

    /// The same with every text replaced.
    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Self::With<U>;
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value<T = String> {
    /// Null, which is not the same as missing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A moment, in milliseconds.
    Date(i64),
    /// A text.
    Text(T),
    /// A list.
    List(Vec<Value<T>>),
    /// Fields with values.
    Doc(Doc<T>),
}

/// A document.
///
/// ```
/// use overtake_recipes::store::doc;
/// let item = doc([("guid", "b1".into()), ("amount", 1.into())]);
/// assert_eq!(item.at("amount").and_then(|v| v.as_int()), Some(1));
/// ```
pub fn doc<const N: usize>(fields: [(&'static str, Value); N]) -> Value {
    Value::Doc(fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
}

impl<T> Value<T> {
    /// The number.
    pub fn as_int(&self) -> Option<i64> {
        if let Value::Int(number) = self { Some(*number) } else { None }
    }

    /// The text.
    pub fn as_text(&self) -> Option<&T> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// Whether it is true.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    /// The list.
    pub fn as_list(&self) -> Option<&[Value<T>]> {
        if let Value::List(list) = self { Some(list) } else { None }
    }

    /// The fields.
    pub fn as_doc(&self) -> Option<&Doc<T>> {
        if let Value::Doc(doc) = self { Some(doc) } else { None }
    }

    /// The value under a path such as `items.amount`; `None` when it is missing.
    pub fn at(&self, path: &str) -> Option<&Value<T>> {
        path.split('.').try_fold(self, |value, field| value.as_doc()?.get(field))
    }

    /// The place under a path, made if it is missing; `None` when something on the way is no document.
    pub fn place(&mut self, path: &str) -> Option<&mut Value<T>> {
        let (mut at, mut rest) = (self, Some(path));
        while let Some(path) = rest {
            let (field, deeper) = path.split_once('.').map_or((path, None), |(field, deeper)| (field, Some(deeper)));
            let Value::Doc(doc) = at else { return None };
            let missing = || if deeper.is_some() { Value::Doc(Doc::new()) } else { Value::Null };
            at = doc.entry(Cow::Owned(field.to_owned())).or_insert_with(missing);
            rest = deeper;
        }
        Some(at)
    }

    /// Takes the field under a path away.
    pub fn remove(&mut self, path: &str) -> Option<Value<T>> {
        let (above, field) = path.rsplit_once('.').map_or((None, path), |(above, field)| (Some(above), field));
        let mut at = self;
        for field in above.into_iter().flat_map(|above| above.split('.')) {
            let Value::Doc(doc) = at else { return None };
            at = doc.get_mut(field)?;
        }
        if let Value::Doc(doc) = at { doc.remove(field) } else { None }
    }
}

impl Value {
    /// The number under a path, 0 when there is none.
    pub fn int(&self, path: &str) -> i64 {
        self.at(path).and_then(Value::as_int).unwrap_or(0)
    }

    /// The text under a path, empty when there is none.
    pub fn text(&self, path: &str) -> &str {
        self.at(path).and_then(Value::as_text).map_or("", String::as_str)
    }

    /// The texts of a list, in its order; what is no text is left out.
    pub fn strings(&self) -> Vec<String> {
        self.as_list().unwrap_or_default().iter().filter_map(|v| v.as_text().cloned()).collect()
    }

    /// Sets the field under a path. Nothing happens when something on the way is no document.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) {
        if let Some(place) = self.place(path) {
            *place = value.into();
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Text(text.clone())
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(list: Vec<V>) -> Self {
        Value::List(list.into_iter().map(Into::into).collect())
    }
}

impl<T> Texts<T> for Value<T> {
    type With<U> = Value<U>;

    fn texts(&mut self, visit: &mut dyn FnMut(&mut T)) {
        match self {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Date(_) => {}
            Value::Text(text) => visit(text),
            Value::List(list) => list.iter_mut().for_each(|value| value.texts(visit)),
            Value::Doc(doc) => doc.values_mut().for_each(|value| value.texts(visit)),
        }
    }

    fn fields(&self, visit: &mut dyn FnMut(&str)) {
        match self {
            Value::List(list) => list.iter().for_each(|value| value.fields(visit)),
            Value::Doc(doc) => doc.iter().for_each(|(field, value)| {
                visit(field);
                value.fields(visit);
            }),
            _ => {}
        }
    }

    fn map<U>(self, to: &mut dyn FnMut(T) -> U) -> Value<U> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(truth),
            Value::Int(number) => Value::Int(number),
            Value::Date(moment) => Value::Date(moment),
            Value::Text(text) => Value::Text(to(text)),
            Value::List(list) => Value::List(list.into_iter().map(|value| value.map(to)).collect()),
            Value::Doc(doc) => Value::Doc(doc.into_iter().map(|(field, value)| (field, value.map(to))).collect()),
        }
    }
}

/// As JSON, nearly: field names without quotes.
impl<T: fmt::Display> fmt::Display for Value<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Date(moment) => write!(f, "@{moment}"),
            Value::Text(text) => write!(f, "{text}"),
            Value::List(list) => {
                f.write_str("[")?;
                for (i, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Doc(doc) => {
                f.write_str("{")?;
                for (i, (field, value)) in doc.iter().enumerate() {
                    write!(f, "{}{field}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_reach_into_documents() {
        let mut value = doc([("a", doc([("b", 1.into())]))]);
        assert_eq!(value.int("a.b"), 1);
        value.set("a.c.d", 2);
        assert_eq!(value.int("a.c.d"), 2);
        assert_eq!(value.remove("a.b"), Some(Value::Int(1)));
        assert_eq!(value.at("a.b"), None);
        value.set("a.c.d.e", 3);
        assert_eq!(value.at("a.c.d.e"), None, "a number has no fields");
    }
}
