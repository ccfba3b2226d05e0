//! What is in the stores, in words.

use super::{Stores, Value};
use crate::names::Text;

/// The value with short names.
fn short(value: &Value) -> String {
    use overtake_recipes::store::Texts;
    value.clone().map(&mut |text: Text| text.short()).to_string()
}

impl Stores {
    /// What is in the stores: a name that is the same as long as the thing is the same one, and what is there, in an order that is
    /// the same for the same value.
    pub fn contents(&self) -> Vec<(String, String)> {
        let mut contents = Vec::new();
        if let Some(dht) = &self.dht {
            for (node, item) in dht.items() {
                let place = if dht.nodes().len() > 1 { format!(" at node {}", node.0 + 1) } else { String::new() };
                let what = format!("{} (version {})", short(&item.data), item.version);
                contents.push((format!("{}{place}", item.key.short()), what));
            }
        }
        for (collection, documents) in self.documents.iter().flat_map(|documents| documents.collections()) {
            for document in documents {
                let id = document.at("_id").map_or_else(|| "?".into(), short);
                contents.push((format!("{collection} {id}"), short(document)));
            }
        }
        for (queue, messages) in self.messages.iter().flat_map(|messages| messages.queues()) {
            for message in messages {
                let what = format!("{} (priority {})", short(&message.body), message.priority);
                contents.push((format!("{queue} message {}", message.id), what));
            }
        }
        contents
    }
}
