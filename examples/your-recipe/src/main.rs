//! The command line over the scenarios of this crate: `cargo run -- check "home-made lock"`, `replay`, `explore` …

fn main() -> std::process::ExitCode {
    overtake::command_line(vec![
        your_recipe::home_made().breaks("at most one live holder").fixed_by("repaired lock"),
        your_recipe::repaired(),
    ])
}
