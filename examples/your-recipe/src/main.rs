//! The command line over the scenarios of this crate: `cargo run -- check "home-made lock"`, `replay`, `explore` …

fn main() -> std::process::ExitCode {
    overtake::CommandLine::new(vec![
        your_recipe::home_made().breaks("at most one live holder").fixed_by("repaired lock"),
        your_recipe::repaired(),
    ])
    .threads(vec![your_recipe::threads::looks_once(), your_recipe::threads::looks_again()], "threads-manifest.txt")
    .run()
}
