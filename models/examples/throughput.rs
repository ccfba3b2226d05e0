//! Writes the chapter on throughput and pauses, and its pictures, into a folder:
//! `cargo run --release -p overtake-models --example throughput -- FOLDER`.

use std::path::PathBuf;

use overtake_models::throughput::{Effort, chapter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    let chapter = chapter(".", Effort::Full)?;
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("throughput.md"), &chapter.markdown)?;
    for (name, svg) in &chapter.pictures {
        std::fs::write(folder.join(name), svg)?;
    }
    println!("{}", chapter.markdown);
    Ok(())
}
