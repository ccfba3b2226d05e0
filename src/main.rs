//! The command line over the built-in scenarios.

use std::process::ExitCode;

fn main() -> ExitCode {
    overtake::CommandLine::new(overtake::models::scenarios::all())
        .manifest("models/manifest.txt")
        .corpus("tests/corpus")
        .run()
}
