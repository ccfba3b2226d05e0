//! Finding scenarios by what a person types, and giving them other bounds.

use overtake_models::Scenario;
use overtake_sim::world::{Budget, Fault};

use super::args::Bounds;
use super::exit::{Failure, Outcome};
use crate::traces::with_clients;

/// The scenario of that name: the exact one, or the only one whose name contains the text, whatever the case.
pub(super) fn find<'a>(scenarios: &'a [Scenario], text: &str) -> Outcome<&'a Scenario> {
    if let Some(exact) = scenarios.iter().find(|s| s.name() == text) {
        return Ok(exact);
    }
    let wanted = text.to_lowercase();
    let same = |s: &&Scenario| s.name().to_lowercase() == wanted;
    let contains = |s: &&Scenario| s.name().to_lowercase().contains(&wanted);
    let found: Vec<&Scenario> = scenarios.iter().filter(contains).collect();
    let whole = found.iter().copied().find(same);
    match (&found[..], whole) {
        ([only], _) => Ok(only),
        (_, Some(whole)) => Ok(whole),
        ([], None) => Err(Failure::bad_input(match near(scenarios, &wanted) {
            near if near.is_empty() => {
                format!("there is no scenario {text:?}; `list` shows all of them")
            }
            near => format!("there is no scenario {text:?}; did you mean {near}?"),
        })),
        (several, None) => Err(Failure::bad_input(format!(
            "{} scenarios are called something with {text:?}: {}; type more of the name",
            several.len(),
            some_of(several)
        ))),
    }
}

fn some_of(scenarios: &[&Scenario]) -> String {
    let names = scenarios.iter().map(|s| format!("{:?}", s.name()));
    let mut names: Vec<String> = names.take(8).collect();
    if scenarios.len() > names.len() {
        names.push(format!("{} more", scenarios.len() - names.len()));
    }
    names.join(", ")
}

fn near(scenarios: &[Scenario], wanted: &str) -> String {
    let likeness = |s: &Scenario| {
        let name = s.name().to_lowercase();
        let parts = name.split_whitespace();
        let part = parts.map(|p| strsim::jaro_winkler(p, wanted)).fold(0.0, f64::max);
        f64::max(strsim::jaro_winkler(&name, wanted), part)
    };
    let mut near: Vec<(f64, &str)> = scenarios.iter().map(|s| (likeness(s), s.name())).collect();
    near.retain(|(likeness, _)| *likeness > 0.75);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let names: Vec<String> = near.iter().take(3).map(|(_, n)| format!("{n:?}")).collect();
    names.join(" or ")
}

/// The scenario with other bounds.
pub(super) fn bounded(scenario: &Scenario, bounds: &Bounds) -> Outcome<Scenario> {
    let mut scenario = scenario.clone();
    if let Some(clients) = bounds.clients {
        scenario = with_clients(scenario, clients).map_err(Failure::bad_input)?;
    }
    let mut budget = scenario.budget();
    for (fault, wanted) in Fault::ALL.into_iter().zip(bounds.faults()) {
        let Some(wanted) = wanted else { continue };
        if wanted > Budget::MOST.into() {
            let kind = fault.name();
            return Err(Failure::bad_input(format!("--{kind} {wanted} is too many: a world takes 0 to 15")));
        }
        budget = budget.with(fault, wanted as u8);
    }
    Ok(scenario.with_budget(budget))
}

/// The bounds of a scenario as they are typed, all that are not 0.
pub(super) fn typed_bounds(scenario: &Scenario) -> Vec<String> {
    let mut typed = vec![format!("--clients {}", scenario.size())];
    let faults = overtake_models::check::named_faults(scenario.budget());
    typed.extend(faults.iter().map(|(kind, n)| format!("--{kind} {n}")));
    typed
}

#[cfg(test)]
mod tests {
    use super::*;
    use overtake_models::scenario;

    async fn nothing(_: overtake_sim::program::Context) {}

    fn some() -> Vec<Scenario> {
        ["predecessor lock", "Parent lock", "lock"].map(|name| scenario(name).clients(2, nothing)).into()
    }

    #[test]
    fn names_match_exactly_then_by_a_unique_part() {
        let all = some();
        let named = |text| find(&all, text).map(Scenario::name);
        assert_eq!(named("lock").unwrap(), "lock");
        assert_eq!(named("LOCK").unwrap(), "lock");
        assert_eq!(named("parent").unwrap(), "Parent lock");
        assert_eq!(named("decess").unwrap(), "predecessor lock");
        let several = named("loc").unwrap_err().sentence;
        assert!(several.contains("3 scenarios"), "{several}");
        let typo = named("predecesor").unwrap_err().sentence;
        assert!(typo.contains("did you mean \"predecessor lock\""), "{typo}");
        let nothing = named("zzz").unwrap_err().sentence;
        assert!(nothing.contains("list"), "{nothing}");
    }

    #[test]
    fn clients_are_counted_over_all_groups() {
        let mixed = scenario("mixed").client("holder", nothing).clients(2, nothing);
        assert_eq!(with_clients(mixed.clone(), 5).unwrap().size(), 5);
        assert_eq!(with_clients(mixed.clone(), 1).unwrap().size(), 1, "the other group alone");
        assert!(with_clients(mixed.clone(), 0).is_err());
        assert!(with_clients(mixed, 13).is_err());
    }
}
