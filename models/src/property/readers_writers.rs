//! Writers are alone, readers are not with a writer.

use super::Property;
use super::live::live;

/// While a client writes (mark `writes`) by a live node, nobody else writes or reads (mark `reads`) by one.
///
/// Source: ZooKeeper recipes: Shared Locks; Z156.
pub fn readers_and_writers_apart() -> Property {
    Property::always("readers and writers apart", "ZooKeeper recipes: Shared Locks", |view| {
        let told = |mark: &'static str| {
            let clients = view.clients().filter(move |c| live(view, c, mark).is_some());
            clients.map(|c| (c.slot(), c.name())).collect::<Vec<_>>()
        };
        let (writers, readers) = (told("writes"), told("reads"));
        let Some((slot, writer)) = writers.first() else {
            return Ok(());
        };
        if let Some((_, other)) = writers.get(1) {
            return Err(format!("{writer} and {other} write at the same time"));
        }
        match readers.iter().find(|(other, _)| other != slot) {
            Some((_, reader)) => Err(format!("{writer} writes while {reader} reads")),
            None => Ok(()),
        }
    })
    .where_marked(&["writes", "reads"], 2)
}
