//! Marks that rest on a node of the tree.

use overtake_sim::names::{Text, slot_of};
use overtake_sim::world::{ClientView, View};

/// The node that the client shows under the mark, if it is in the tree and belongs to a session of the client. A client
/// whose session is over may not know it yet; what it believes is not held against the recipe.
pub(super) fn live(view: &View<'_>, client: &ClientView<'_>, mark: &str) -> Option<Text> {
    let path = client.mark(mark).flatten()?;
    let owner = view.zookeeper().node(path)?.owner;
    owner.is_none_or(|who| slot_of(who) == client.slot()).then_some(path)
}
