//! What the resource behind a lock has taken: the third oracle, beside belief and tree.

use super::Property;

/// No write of an earlier holder is taken after one of a later holder.
///
/// Source: Kleppmann 2016, "making the lock safe with fencing"; §3.7 step 5.
pub fn no_write_of_an_earlier_holder() -> Property {
    let source = "Kleppmann 2016: making the lock safe with fencing";
    Property::always("no write of an earlier holder", source, |view| {
        match view.resource().and_then(|resource| resource.overtaken()) {
            None => Ok(()),
            Some((earlier, later)) => {
                let (earlier, later) = (earlier.short(), later.short());
                Err(format!("the resource took a write of the holder by {earlier} after one of the holder by {later}"))
            }
        }
    })
}

/// The latest holder is not refused.
///
/// Source: §1.3 and §3.7: a sequence number starts again with its parent, a czxid does not.
pub fn latest_holder_is_taken() -> Property {
    Property::always("the latest holder is not refused", "semantics 1.3 and 3.7", |view| {
        match view.resource().and_then(|resource| resource.wrongly_refused()) {
            None => Ok(()),
            Some(path) => {
                Err(format!("the resource refused the holder by {}, though no later one had written", path.short()))
            }
        }
    })
}
