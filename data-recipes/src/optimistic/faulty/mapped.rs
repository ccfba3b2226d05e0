//! The document goes through a class of the program, and comes back with the fields of that class alone.

use overtake_recipes::store::{Value, doc};

/// *Wrong:* the document is made again from the fields that this version of the program knows. *Seen:* what a newer version has written
/// into it is dropped by the replace, without any conflict. *Cure:* change the document as it was read (a mapper that keeps extra elements).
pub fn mapped(item: &Value, known: &[&'static str]) -> Value {
    let mut object = doc([]);
    for field in known {
        if let Some(value) = item.at(field) {
            object.set(field, value.clone());
        }
    }
    object
}
