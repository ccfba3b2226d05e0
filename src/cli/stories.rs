//! Where the command line meets those who tell stories: sentences, the report, the explorer.

use overtake_models::replay::Taken;
use overtake_models::{Checked, Scenario};
use overtake_sim::world::World;

/// The steps as sentences, the last `cycle` of which repeat for ever.
pub(super) fn sentences(_world: &World, taken: &[Taken], _cycle: usize) -> Vec<String> {
    taken.iter().map(|t| t.text.clone()).collect()
}

/// The report of some checks.
pub(super) fn report(_checked: &[(Scenario, Checked)]) -> String {
    String::new()
}
