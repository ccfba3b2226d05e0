//! Moments of the steps that are left: as round as they can be while later stays later.

use overtake_sim::world::Step;

use super::Stage;

/// Units from the coarsest, in nanoseconds.
const UNITS: [(u64, &str); 5] = [
    (1_000_000_000, "seconds"),
    (100_000_000, "tenths of a second"),
    (1_000_000, "milliseconds"),
    (1_000, "microseconds"),
    (1, "nanoseconds"),
];

/// The moments of the steps, when they are steps of the timed run in its order; none otherwise.
pub(super) fn stage(steps: &[Step], timed: &[(Step, u64)], stages: &mut Vec<Stage>) -> Vec<u64> {
    let mut open = timed.iter();
    let kept: Option<Vec<u64>> =
        steps.iter().map(|step| open.find(|(other, _)| other == step).map(|(_, moment)| *moment)).collect();
    let before = format!("{} moments", timed.len());
    let (moments, after, because) = match kept {
        Some(moments) => {
            let (rounded, unit) = rounded(&moments);
            (rounded, format!("{} {unit}", steps.len()), "as round as can be while later stays later".to_owned())
        }
        None => {
            let why = "the shorter story is not a part of the timed run, and needs no clock";
            (Vec::new(), "none".into(), why.into())
        }
    };
    stages.push(Stage { what: "moments", before, after, proved: false, because });
    moments
}

/// The moments from 0, in the coarsest unit in which what was later is later.
fn rounded(moments: &[u64]) -> (Vec<u64>, &'static str) {
    let start = moments.first().copied().unwrap_or(0);
    let in_units = |unit: u64| -> Vec<u64> { moments.iter().map(|m| (m - start) / unit * unit).collect() };
    let keeps = |rounded: &[u64]| {
        let later = |pair: (&[u64], &[u64])| (pair.0[0] < pair.0[1]) == (pair.1[0] < pair.1[1]);
        moments.windows(2).zip(rounded.windows(2)).all(later)
    };
    let found = UNITS.iter().map(|&(unit, name)| (in_units(unit), name)).find(|(rounded, _)| keeps(rounded));
    found.unwrap_or((moments.to_vec(), "moments"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_the_order() {
        assert_eq!(rounded(&[5, 5, 5]), (vec![0, 0, 0], "seconds"));
        assert_eq!(rounded(&[1_500_000_123, 3_700_000_456]), (vec![0, 2_000_000_000], "seconds"));
        assert_eq!(rounded(&[0, 1_234_567, 9_876_543]), (vec![0, 1_000_000, 9_000_000], "milliseconds"));
        assert_eq!(rounded(&[10, 11, 11]), (vec![0, 1, 1], "nanoseconds"));
        assert_eq!(rounded(&[]), (vec![], "seconds"));
    }
}
