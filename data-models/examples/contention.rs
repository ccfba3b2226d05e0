//! What contention costs, at full effort: the chapter of the report, without its pictures.
//!
//! ```text
//! cargo run --release -p overtake-data-models --example contention
//! ```

use overtake_data_models::contention::chapter;
use overtake_models::throughput::Effort;

fn main() -> Result<(), String> {
    print!("{}", chapter("report", Effort::Full)?.markdown);
    Ok(())
}
