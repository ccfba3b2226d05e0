//! Reading and writing: whole files or nothing, and a sentence when it cannot be done.

use std::fs;
use std::path::{Path, PathBuf};

use overtake_models::Trace;

use super::exit::{Exit, Failure, Outcome};
use crate::traces::slug;

/// Writes a file so that nobody ever sees half of it.
pub(super) fn write(path: &Path, text: &str) -> Outcome<()> {
    let failed = |what: &Path, error: std::io::Error| {
        Failure::new(
            Exit::CannotWrite,
            format!(
                "cannot write {}: {error}; choose a place that can be written, with --out or --path",
                what.display()
            ),
        )
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        // A link, a device or a pipe is written to, never replaced.
        return fs::write(path, text).map_err(|error| failed(path, error));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let half = folder.join(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&half, text).and_then(|()| fs::rename(&half, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&half);
        failed(path, error)
    })
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| Failure::bad_input(format!("cannot read {}: {error}", path.display())))
}

/// Reads a trace.
pub(super) fn read_trace(path: &Path) -> Outcome<Trace> {
    read(path)?.parse().map_err(|malformed| Failure::bad_input(format!("{}: {malformed}", path.display())))
}

/// Writes a trace into the folder; answers where.
pub(super) fn write_trace(folder: &Path, trace: &Trace) -> Outcome<PathBuf> {
    let name = format!("{}--{}.trace", slug(&trace.scenario), slug(&trace.violates));
    let path = folder.join(name);
    write(&path, &trace.to_string())?;
    Ok(path)
}
