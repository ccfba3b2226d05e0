//! A client reads what it has written itself, or something newer.

use overtake_sim::world::ClientView;

use super::Property;

/// The number that a mark shows.
fn number(client: &ClientView<'_>, mark: &str) -> Option<i64> {
    client.mark(mark).flatten()?.full().parse().ok()
}

/// Who has written a version (mark `wrote`, a number that grows) and reads afterwards (mark `read`), does not read an older one.
///
/// Source: Terry et al., "Session guarantees for weakly consistent replicated data", 1994: read your writes.
pub fn read_your_writes() -> Property {
    Property::always("who has written reads it", "Terry et al. 1994: read your writes", |view| {
        for client in view.clients() {
            if let (Some(wrote), Some(read)) = (number(&client, "wrote"), number(&client, "read"))
                && read < wrote
            {
                return Err(format!("{} has written version {wrote}, and then reads version {read}", client.name()));
            }
        }
        Ok(())
    })
    .where_marked(&["read"], 1)
}
