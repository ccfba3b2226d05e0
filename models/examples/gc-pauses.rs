//! Writes the made-up log of a garbage collector that `models/data/gc-pauses.log` holds.

use overtake_models::timed::pause_log::{EXAMPLE, made_up};

fn main() {
    print!("{}", made_up(EXAMPLE.0, EXAMPLE.1));
}
