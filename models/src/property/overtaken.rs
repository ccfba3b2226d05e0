//! No write of an earlier holder after that of a later one.

use overtake_sim::names::Text;

use super::Property;

/// The resource takes no write of a holder after one of a later holder: the oracle that counts, since what a client
/// believes and what the tree says are only means to this. Who is later is judged by the transactions that created the lock
/// nodes, whatever tokens were shown.
///
/// Source: Kleppmann 2016, "How to do distributed locking"; `semantics` §3.7 step 5.
pub fn no_overtaken_write() -> Property {
    Property::always("no overtaken write", "Kleppmann 2016: making the lock safe with fencing", |view| {
        match view.resource().and_then(|resource| resource.overtaken()) {
            Some((earlier, later)) => Err(format!(
                "the resource took a write of the holder by {} after one of the later holder by {}",
                earlier.short(),
                later.short()
            )),
            None => Ok(()),
        }
    })
}

/// The resource refuses nobody but holders that have been overtaken: tokens that run backwards lock the rightful holder
/// out.
///
/// Source: `semantics` §1.3 (sequence numbers start again with the parent).
pub fn no_rightful_write_refused() -> Property {
    Property::always("no rightful write is refused", "ZooKeeper 3.8: the counter of a parent", |view| {
        match view.resource().and_then(|resource| resource.wrongly_refused()) {
            Some(path) => {
                Err(format!("the resource refused the holder by {}, and no later one has written", path.short()))
            }
            None => Ok(()),
        }
    })
}

/// The children of `log` are in the order of the lock nodes that their data names: no entry of an earlier holder behind one
/// of a later holder.
///
/// Source: as [`no_overtaken_write`], for data in ZooKeeper itself.
pub fn log_in_order_of_grants(log: &'static str) -> Property {
    Property::always("the log is in the order of the grants", "ZooKeeper 3.8: multi with a check", move |view| {
        let Some(resource) = view.resource() else { return Ok(()) };
        let (mut latest, mut by) = (0, None);
        for entry in view.zookeeper().children(Text::new(log)) {
            let Some(path) = view.zookeeper().data(entry).flatten() else { continue };
            let born = resource.births(path).last().unwrap_or(0);
            if born < latest {
                let later: Option<Text> = by;
                let later = later.map_or(String::new(), |later| later.short());
                return Err(format!("the entry of the holder by {} stands behind that of {later}", path.short()));
            }
            (latest, by) = (born, Some(path));
        }
        Ok(())
    })
}
