//! Programs of threads that searches look at: the small parts, the seed's notes, the public reports.
pub mod common;
pub mod controls;
pub mod faults;
pub mod memory;
pub mod reports;
pub mod seed;

use crate::check::Program;

/// Every program for schedules, in the order of the manifest: the seed's notes, the public reports with their repairs,
/// what was reported and is no bug, with canaries, and the small parts with the twins that go wrong by the order of events.
pub fn all() -> Vec<Program> {
    let mut all = seed::all();
    all.extend(reports::all().into_iter().flat_map(|pair| [pair.faulty, pair.repaired]));
    all.extend(controls::all());
    all.extend(controls::twins());
    // What goes wrong by the memory model alone is loom's matter: to call it proved here would mislead.
    let by_order = |part: &memory::Part| part.caught != memory::Caught::ByLoom;
    all.extend(memory::all().into_iter().filter(by_order).map(|part| part.schedules));
    all
}
