//! What a scenario does, as one number, so that a hunt is not gone on with when its programs have changed under it.

use std::fmt::Write as _;

use overtake_sim::clock::rng::Rng;
use overtake_sim::world::{Engine, Reductions};

use crate::sample::{Ended, Judge, RandomWalk, Sampler};
use crate::scenario::Scenario;

/// Walks that are looked at.
const WALKS: u64 = 48;
/// Most steps of one.
const LIMIT: usize = 400;
/// Their seed: that of no hunt, so that hunts of other seeds are told apart by their seeds only.
const SEED: u64 = 0x0070_726f_6265;

/// The print of the bounds, the properties' names, the servers, how clients are attached, and of every step and violation of
/// some random walks, the same on any machine. A change that shows on none of these walks is not noticed.
///
/// # Errors
/// A sentence, when the scenario makes no world.
pub(super) fn behaviour(scenario: &Scenario) -> Result<u64, String> {
    let mut print = Print::new();
    let mut world = scenario.world()?;
    let setup = world.setup();
    let _ = write!(print, "{}\n{:?}\n{}\n{:?}\n", scenario.bounds(), setup.quirks, setup.followers, setup.clients);
    for property in scenario.judged_by() {
        let _ = writeln!(print, "{}", property.name);
    }
    let (walk, rng) = (RandomWalk { limit: LIMIT }, Rng::new(SEED));
    let mut number = 0;
    while number < WALKS {
        let mut engine = Engine::new(&world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, scenario.judged_by());
        let mut usable = true;
        while usable && number < WALKS {
            let run = walk.run(&mut engine, &mut judge, rng.fork(number).next_u64());
            number += 1;
            // A world with an error in it is good for nothing more; the hunt itself will tell the error.
            usable = run.ended != Ended::Error;
            let mut state = engine.initial();
            for step in run.steps {
                let _ = writeln!(print, "{}", world.describe(&state, step));
                if usable {
                    engine.take(&mut state, step);
                } else {
                    break;
                }
            }
            let _ = writeln!(print, "{:?} {:?}", run.ended, run.violated);
        }
        drop(judge);
        drop(engine);
        if !usable {
            world = scenario.world()?;
        }
    }
    Ok(print.0)
}

/// FNV-1a with 64 bits (Fowler, Noll and Vo): the same in every version and on every machine.
struct Print(u64);

impl Print {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::fmt::Write for Print {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_print_is_that_of_its_authors() {
        let mut print = Print::new();
        let _ = print.write_str("foobar");
        // <http://www.isthe.com/chongo/tech/comp/fnv/>
        assert_eq!(print.0, 0x8594_4171_f739_67e8);
    }
}
