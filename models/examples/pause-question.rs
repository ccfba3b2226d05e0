//! How likely is it that a pause of a lock's holder gives two holders? Prints a table against the session time-out.
//!
//! ```text
//! cargo run --release -p overtake-models --example pause-question -- pareto:10ms,1.2,cap=120s 200000 1
//! cargo run --release -p overtake-models --example pause-question -- file:models/data/gc-pauses.log
//! ```

use std::process::ExitCode;

use overtake_models::timed::pause::{PauseQuestion, TIMEOUTS, table};

fn asked() -> Result<PauseQuestion, String> {
    let mut words = std::env::args().skip(1);
    let pauses = words.next().unwrap_or_else(|| "pareto:10ms,1.2,cap=120s".into()).parse()?;
    let mut number = |what: &str, otherwise: u64| match words.next() {
        None => Ok(otherwise),
        Some(word) => word.parse().map_err(|_| format!("{word:?} is not a {what}")),
    };
    match (number("number of samples", 200_000)?, number("seed", 1)?) {
        (0, _) => Err("a share of no samples says nothing; ask for at least one".into()),
        (samples, seed) => Ok(PauseQuestion::about(pauses, samples, seed)),
    }
}

fn main() -> ExitCode {
    match asked() {
        Ok(question) => {
            println!("pauses {}, {} samples, seed {}", question.pauses, question.samples, question.seed);
            for (name, value) in question.timing.parameters() {
                if ["latency", "service", "commit", "work", "waking", "tick", "library"].contains(&name.as_str()) {
                    println!("{name} {value}");
                }
            }
            println!("\n{}", table(&question.answer(&TIMEOUTS)));
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
