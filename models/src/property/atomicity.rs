//! A transaction takes effect everywhere or nowhere.

use super::Property;

/// Nobody has committed (mark `committed`) while somebody has aborted (mark `aborted`) or voted to abort (mark `votes to
/// abort`).
///
/// Source: ZooKeeper recipes: Two-phased Commit; Gray 1978: atomic commitment.
pub fn all_commit_or_all_abort() -> Property {
    Property::always("all commit or all abort", "ZooKeeper recipes: Two-phased Commit", |view| {
        let find = |mark: &str| view.clients().find(|c| c.is_marked(mark));
        let Some(committed) = find("committed") else {
            return Ok(());
        };
        match (find("aborted"), find("votes to abort")) {
            (Some(other), _) => Err(format!("{} has committed, and {} has aborted", committed.name(), other.name())),
            (_, Some(other)) => Err(format!("{} has committed against the vote of {}", committed.name(), other.name())),
            (None, None) => Ok(()),
        }
    })
    .where_marked(&["committed"], 1)
}

/// At rest, nobody who has voted (mark `voted`) waits for the outcome.
///
/// Source: ZooKeeper recipes: Two-phased Commit: the only role of the coordinator is to name the sites.
pub fn whoever_votes_learns_the_outcome() -> Property {
    Property::at_rest("whoever votes learns the outcome", "ZooKeeper recipes: Two-phased Commit", |view| {
        let knows = ["committed", "aborted", "gave up"];
        match view.clients().find(|c| c.is_marked("voted") && !knows.iter().any(|mark| c.is_marked(mark))) {
            Some(c) => Err(format!("{} has voted, and waits for ever for the outcome", c.name())),
            None => Ok(()),
        }
    })
    .where_marked(&["voted"], 1)
}
