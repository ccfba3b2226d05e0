//! A semaphore gives out as many leases as it has, and no fewer.

use super::Property;
use super::live::live;

/// No more clients hold (mark `holds`) by live nodes than there are permits.
///
/// Source: Curator `InterProcessSemaphoreV2`; semantics of a semaphore.
pub fn no_more_live_leases_than(permits: usize) -> Property {
    Property::always("no more live leases than permits", "Curator InterProcessSemaphoreV2", move |view| {
        let holders: Vec<&str> =
            view.clients().filter(|c| live(view, c, "holds").is_some()).map(|c| c.name()).collect();
        match holders.len() <= permits {
            true => Ok(()),
            false => Err(format!("{} hold a lease at the same time, {permits} may", holders.join(" and "))),
        }
    })
    .where_marked(&["holds"], permits + 1)
}

/// At rest, nobody waits for a lease (mark `wants`) while fewer hold one than there are permits.
///
/// Source: semantics of a semaphore: a release lets a waiter in, whichever lease is released.
pub fn no_waiter_beside_a_free_permit(permits: usize) -> Property {
    Property::at_rest("no waiter beside a free permit", "Curator InterProcessSemaphoreV2", move |view| {
        let held = view.clients().filter(|c| live(view, c, "holds").is_some()).count();
        match view.clients().find(|c| c.is_marked("wants")) {
            Some(waiter) if held < permits => {
                Err(format!("{} waits for ever, and only {held} of {permits} permits are held", waiter.name()))
            }
            _ => Ok(()),
        }
    })
    .where_marked(&["wants"], 1)
}
