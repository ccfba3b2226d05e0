//! What a person sees belongs to what the person asked last.
//!
//! Marks of the client: `typed`, what the field reads; `shown`, what the results on the screen belong to; `went back`, set by the screen
//! itself when results of an older input take the place of those of a newer one.

use super::Property;

const SOURCE: &str = "the slides on race conditions: one lookup could overtake the other; pattern P10";

/// When nothing is on its way any more, the results on the screen are those for what the field reads.
pub fn display_belongs_to_the_last_input() -> Property {
    Property::at_rest("the display belongs to the last input", SOURCE, |view| {
        for client in view.clients() {
            let text = |mark| client.mark(mark).flatten().map(|text| text.short());
            let Some(typed) = text("typed") else { continue };
            match text("shown") {
                Some(shown) if shown == typed => {}
                Some(shown) => return Err(format!("the field reads {typed}, and the results are those for {shown}")),
                None => return Err(format!("the field reads {typed}, and there are no results")),
            }
        }
        Ok(())
    })
}

/// No results of an older input take the place of those of a newer one.
pub fn display_never_goes_back() -> Property {
    Property::always("the display never goes back", SOURCE, |view| {
        match view.clients().find_map(|client| client.mark("went back").flatten()) {
            None => Ok(()),
            Some(text) => Err(format!("results for {} take the place of those of a later input", text.short())),
        }
    })
    .where_marked(&["went back"], 1)
}
