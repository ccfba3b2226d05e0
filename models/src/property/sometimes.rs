//! Things that must happen somewhere, so that nothing holds for want of them.

use super::Property;

/// Somebody holds the lock.
pub fn somebody_holds() -> Property {
    Property::sometimes("somebody holds the lock", |view| view.clients().any(|c| c.is_marked("holds")))
        .where_marked(&["holds"], 1)
}

/// Somebody holds the lock while somebody else waits for it.
pub fn somebody_waits() -> Property {
    Property::sometimes("somebody waits while another holds", |view| {
        view.clients().any(|c| c.is_marked("holds")) && view.clients().any(|c| c.is_marked("wants"))
    })
    .where_marked(&["holds"], 1)
}

/// Everybody is done.
pub fn everybody_is_done() -> Property {
    Property::sometimes("everybody is done", |view| view.everybody_is_done())
}

/// Somebody carries the mark.
pub fn somebody_is(mark: &'static [&'static str; 1], name: &'static str) -> Property {
    Property::sometimes(name, move |view| view.clients().any(|c| c.is_marked(mark[0]))).where_marked(mark, 1)
}
