//! What becomes of the items of a queue.

use overtake_sim::names::Text;
use overtake_sim::world::ClientView;

use super::Property;

/// No item is handled by two clients (mark `took`, with the item).
///
/// Source: ZooKeeper recipes: Queues; at most once.
pub fn no_item_is_taken_twice() -> Property {
    Property::always("no item is taken twice", "ZooKeeper recipes: Queues", |view| {
        let mut taken: Vec<(Text, &str)> = Vec::new();
        for client in view.clients() {
            let Some(item) = client.mark("took").flatten() else { continue };
            match taken.iter().find(|(other, _)| *other == item) {
                Some((_, other)) => return Err(format!("{other} and {} both took the same item", client.name())),
                None => taken.push((item, client.name())),
            }
        }
        Ok(())
    })
    .where_marked(&["took"], 2)
}

/// At rest, every item that a client has put (mark `put`, with the item) is in the queue, or was taken (mark `took`), or
/// there is a node of its name under `handled`.
///
/// Source: ZooKeeper recipes: Queues; at least once.
pub fn no_item_is_lost(items: &'static str, handled: &'static str) -> Property {
    let (items, handled) = (Text::new(items), Text::new(handled));
    Property::at_rest("no item is lost", "ZooKeeper recipes: Queues", move |view| {
        let zk = view.zookeeper();
        let queued = zk.children(items).into_iter().filter_map(|path| zk.data(path).flatten());
        let handled = zk.children(handled).into_iter().map(Text::leaf);
        let taken = view.clients().filter_map(|c| c.mark("took").flatten());
        let known: Vec<Text> = queued.chain(handled).chain(taken).collect();
        let lost = |c: &ClientView<'_>| c.mark("put").flatten().is_some_and(|item| !known.contains(&item));
        match view.clients().find(lost) {
            Some(c) => Err(format!("{} put an item, and it is neither in the queue nor was it handled", c.name())),
            None => Ok(()),
        }
    })
    .where_marked(&["put"], 1)
}

/// At rest, nobody waits for an item (mark `wants`) while there is one.
///
/// Source: ZooKeeper recipes: Queues; no lost wake-up.
pub fn no_item_beside_an_idle_consumer(items: &'static str) -> Property {
    let items = Text::new(items);
    Property::at_rest("no item beside an idle consumer", "ZooKeeper recipes: Queues", move |view| {
        let idle = view.clients().find(|c| c.is_marked("wants"));
        match (idle, view.zookeeper().children(items).first()) {
            (Some(c), Some(item)) => Err(format!("{} waits for ever, and {} is there", c.name(), item.short())),
            _ => Ok(()),
        }
    })
    .where_marked(&["wants"], 1)
}
