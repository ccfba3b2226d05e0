//! A holder that is paused across its expiry: what keeps its late write out, and what does not. Proofs have visited exactly
//! the states they should.

use overtake_models::scenarios::fencing;
use overtake_models::*;

/// Name and number of states of each proof.
const PROVED: [(&str, usize); 6] = [
    ("fenced by czxid, parent created again", 10194),
    ("fenced by suffix", 1370),
    ("fenced by czxid", 1747),
    ("fenced by czxid, 1 disconnect", 34440),
    ("fenced by a counter", 1947),
    ("an entry guarded by the lock node", 2369),
];

#[test]
fn only_fencing_keeps_a_paused_holder_out() {
    let mut proved = Vec::new();
    let mut wrong = Vec::new();
    for scenario in fencing::scenarios() {
        let checked = check(&scenario, &Options::default()).unwrap();
        match (scenario.expected(), &checked.verdict) {
            (Expected::Proved, Verdict::Proved) => proved.push((scenario.name().to_owned(), checked.seen.states)),
            (Expected::Falsified(property), Verdict::Falsified(all)) if all.iter().any(|f| f.property == *property) => {
            }
            (expected, verdict) => wrong.push(format!("{}: {expected:?}, but {verdict:#?}", scenario.name())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let proved: Vec<(&str, usize)> = proved.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(proved, PROVED);
}
