//! Values with the names in their texts kept apart.

use std::fmt;

use overtake_recipes::store::Texts;

use super::Value;
use crate::names::{LIMIT, Name, Names, Text};

impl Names for Value {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.texts(&mut |text| text.names(visit));
    }
}

/// What programs hold, brought into the simulator.
///
/// # Panics
/// When the name of a field holds an id or a sequence number: fields are not renamed, so two clients would share it.
pub fn inside<V: Texts<String>>(value: V) -> V::With<Text> {
    value.fields(&mut |field| {
        let mut named = false;
        Text::new(field).names(&mut |_| named = true);
        assert!(
            !named,
            "{LIMIT}the field {field:?} is named after a client; keep such names in values, not in names of fields"
        );
    });
    value.map(&mut |text| Text::new(&text))
}

/// What the simulator holds, as programs see it.
pub fn outside<V: Texts<Text>>(value: V) -> V::With<String> {
    value.map(&mut |text| text.full())
}

/// Writes the value with short names.
pub(super) fn short<V: Texts<Text> + Clone>(value: &V, f: &mut fmt::Formatter<'_>) -> fmt::Result
where
    V::With<String>: fmt::Display,
{
    write!(f, "{}", value.clone().map(&mut |text| text.short()))
}
