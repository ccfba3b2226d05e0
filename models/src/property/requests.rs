//! A blocked client asks a bounded number of times.

use super::Property;

/// A client that waits for the lock (mark `wants`) makes at most that many requests without an event in between.
/// The world must count requests.
///
/// Source: samuel/go-zookeeper#145: `Lock()` spins at full speed.
pub fn requests_while_blocked_at_most(most: u8) -> Property {
    assert!(most < 15, "requests are counted up to 15");
    Property::always("requests while blocked", "samuel/go-zookeeper#145", move |view| {
        let asks = view.clients().find(|c| c.is_marked("wants") && c.requests_since_event() > most);
        match asks {
            None => Ok(()),
            Some(c) => Err(format!(
                "{} made {} requests without an event in between and is still blocked",
                c.name(),
                c.requests_since_event()
            )),
        }
    })
    .where_marked(&["wants"], 1)
}
