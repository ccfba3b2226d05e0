//! A report as a pair of scenarios: the faulty program and the repaired one, under the same bounds and properties.

use crate::scenario::{Scenario, scenario};

/// What both scenarios of a report have in common.
pub struct Report {
    /// Number and name, as in `O01 leader by a wake-up`.
    pub name: &'static str,
    /// Where it was reported.
    pub source: &'static str,
    /// What happens, as a paragraph.
    pub about: &'static str,
    /// The property that the faulty program violates.
    pub violates: &'static str,
}

impl Report {
    /// The scenarios: each adds its clients, `bounds` adds the rest to both.
    pub fn pair(
        self,
        faulty: impl FnOnce(Scenario) -> Scenario,
        repaired: impl FnOnce(Scenario) -> Scenario,
        bounds: impl Fn(Scenario) -> Scenario,
    ) -> Vec<Scenario> {
        let cured = format!("{}, repaired", self.name);
        let start = |name: &str| scenario(name).source(self.source).about(self.about);
        vec![
            bounds(faulty(start(self.name))).breaks(self.violates).fixed_by(cured.as_str()),
            bounds(repaired(start(&cured))),
        ]
    }
}
