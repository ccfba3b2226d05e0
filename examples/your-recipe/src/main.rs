//! The command line over the scenarios of this crate: `cargo run -- check "home-made lock"`, `replay`, `explore` …

use your_recipe::{home_made, repaired, two_clients};

fn main() -> std::process::ExitCode {
    overtake::command_line(vec![
        two_clients("home-made lock", home_made).breaks("at most one live holder").fixed_by("repaired lock"),
        two_clients("repaired lock", repaired),
    ])
}
