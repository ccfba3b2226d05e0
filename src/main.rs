//! The command line over the built-in scenarios.

use std::process::ExitCode;

use overtake::models::throughput::{Effort, chapter};

fn main() -> ExitCode {
    overtake::CommandLine::new(overtake::scenarios())
        .manifest("models/manifest.txt")
        .corpus("tests/corpus")
        .threads(overtake::threads::programs::all(), "threads/manifest.txt")
        .chapter(|folder| chapter(folder, Effort::Full).map_err(|error| error.to_string()))
        .chapter(overtake::data_models::chapter::chapter)
        .chapter(overtake::threads::chapter::chapter)
        .chapter(|folder| overtake::models::odds::chapter(folder, Effort::Quick))
        .chapter(|folder| overtake::data_models::contention::chapter(folder, Effort::Full))
        .run()
}
