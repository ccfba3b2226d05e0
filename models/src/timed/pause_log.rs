//! A garbage collector's log that is made up, for trying what reads such logs.

use std::fmt::Write;

use overtake_sim::clock::duration::{MILLISECOND, SECOND};
use overtake_sim::clock::{Distribution, Rng};

/// The seed and the number of pauses of `models/data/gc-pauses.log`.
pub const EXAMPLE: (u64, usize) = (7, 2_000);

/// A log in the form of a Java virtual machine's (`-Xlog:gc`), with that many pauses: young collections of some ten
/// milliseconds, remarks, and about one in two hundred a Full GC with a heavy tail. Made up: the lengths are drawn, not measured.
pub fn made_up(seed: u64, pauses: usize) -> String {
    let known = |text: &str| text.parse::<Distribution>().expect("a distribution");
    let (gap, young) = (known("exp:4s"), known("lognormal:12ms,0.6"));
    let (remark, full) = (known("lognormal:4ms,0.4"), known("pareto:900ms,1.1,cap=90s"));
    let mut rng = Rng::new(seed);
    let mut log = String::from(
        "# A made-up log of a garbage collector: drawn from distributions, not measured on any machine. Written by\n\
         #   cargo run -p overtake-models --example gc-pauses > models/data/gc-pauses.log\n",
    );
    let mut uptime = 0;
    for number in 0..pauses {
        uptime += gap.sample(&mut rng);
        let (kind, length, before) = match rng.below(200) {
            0 => ("Full (Ergonomics)", full.sample(&mut rng), 900 + rng.below(120)),
            1..=9 => ("Remark", remark.sample(&mut rng), 400 + rng.below(300)),
            _ => ("Young (Normal) (G1 Evacuation Pause)", young.sample(&mut rng), 500 + rng.below(400)),
        };
        uptime += length;
        let (seconds, millis) = (uptime / SECOND, uptime % SECOND / MILLISECOND);
        let (after, micros) = (before / 2, length / 1_000);
        let _ = writeln!(
            log,
            "[{seconds}.{millis:03}s][info][gc] GC({number}) Pause {kind} {before}M->{after}M(1024M) {}.{:03}ms",
            micros / 1_000,
            micros % 1_000
        );
    }
    log
}
