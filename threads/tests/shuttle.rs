//! Programs of threads under shuttle. A test binary of its own: shuttle's panic hook is process-wide.

mod shuttle_common;
mod shuttle_engines;
mod shuttle_reports;
mod shuttle_seed;
mod shuttle_semantics;
