//! What is kept of the programs: lines of their manifest, and the traces of those that must break.

use std::path::Path;

use overtake_models::manifest::Entry;
use overtake_threads::check::{Program, entry, kept_limits, search_kept, small_story};

use super::super::CommandLine;
use crate::traces::slug;

/// The lines of the manifest, and of each program that is not as expected a sentence.
pub(in super::super) fn entries(line: &CommandLine) -> (Vec<Entry>, Vec<String>) {
    let (mut entries, mut wrong) = (Vec::new(), Vec::new());
    for program in &line.threads {
        match entry(program, &search_kept(program)) {
            Ok(entry) => entries.push(entry),
            Err(why) => wrong.push(why),
        }
    }
    (entries, wrong)
}

fn breaks(line: &CommandLine) -> impl Iterator<Item = &Program> {
    line.threads.iter().filter(|program| program.expected().is_some())
}

fn file_name(program: &Program) -> String {
    format!("{}.trace", slug(program.name()))
}

/// The traces of the programs that must break, by file name, and of each that does not a sentence.
pub(in super::super) fn traces_of(line: &CommandLine) -> (Vec<(String, String)>, Vec<String>) {
    let (mut traces, mut wrong) = (Vec::new(), Vec::new());
    for program in breaks(line) {
        let outcome = search_kept(program);
        let as_expected = outcome.as_expected(program);
        match (as_expected, small_story(program, &outcome, &kept_limits())) {
            (Ok(()), Some(shrunk)) => traces.push((file_name(program), shrunk.trace.to_string())),
            (Ok(()), None) => wrong.push(format!("{:?}: there is no story", program.name())),
            (Err(why), _) => wrong.push(format!("{:?}: {why}", program.name())),
        }
    }
    (traces, wrong)
}

/// Traces in the folder that belong to no program that must break.
pub(in super::super) fn unknown_traces(line: &CommandLine, folder: &Path) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let known: Vec<String> = breaks(line).map(file_name).collect();
    let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
    let mut unknown: Vec<String> = names
        .filter(|name| name.ends_with(".trace") && !known.contains(name))
        .map(|name| format!("{} belongs to no program that must break; delete it", folder.join(name).display()))
        .collect();
    unknown.sort();
    unknown
}
