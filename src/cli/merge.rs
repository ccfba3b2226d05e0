//! `merge`: the shards of hunts become the hunts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use overtake_models::hunt::{Merged, merge as merge_now};
use serde_json::json;

use super::CommandLine;
use super::exit::{Exit, Failure, Outcome};
use super::hunt::{failure, statistics};
use super::screen::{STRONG, field, grouped, quoted, say, styled};

pub(super) fn merge(line: &CommandLine, folders: &[PathBuf], out: &Path, as_json: bool) -> Outcome {
    let mut hunts = BTreeSet::new();
    for folder in folders {
        hunts.extend(scenarios(folder)?);
    }
    if hunts.is_empty() {
        return Err(Failure::bad_input(
            "these folders hold no hunts; name the folders that were given to `hunt --out`",
        ));
    }
    let mut exit = Exit::Held;
    let mut told = Vec::new();
    for hunt in hunts {
        let parts: Vec<PathBuf> =
            folders.iter().map(|folder| folder.join(&hunt)).filter(|part| part.is_dir()).collect();
        let merged = merge_now(&parts, &out.join(&hunt)).map_err(|trouble| failure(&trouble))?;
        if !merged.findings.is_empty() {
            exit = exit.worse(Exit::Falsified);
        }
        if as_json {
            told.push(json!({
                "name": merged.scenario,
                "folder": merged.folder.display().to_string(),
                "runs": merged.tally.runs,
                "steps": merged.tally.steps,
                "states": merged.tally.states.count(),
                "left_over": merged.left_over,
                "findings": merged.findings.iter().map(|(property, file)| json!({
                    "property": property,
                    "file": file.display().to_string(),
                })).collect::<Vec<_>>(),
            }));
        } else {
            tell(line, &merged)?;
        }
    }
    if as_json {
        say(json!({"hunts": told, "exit": exit as u8}))?;
    }
    Ok(exit)
}

/// The folders of the hunts inside a folder that was given to `hunt --out`.
fn scenarios(folder: &Path) -> Outcome<Vec<OsString>> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Failure::bad_input(format!("cannot read {}: {error}", folder.display())))?;
    let hunts = entries.flatten().filter(|entry| entry.path().join("progress.jsonl").is_file());
    Ok(hunts.map(|entry| entry.file_name()).collect())
}

fn tell(line: &CommandLine, merged: &Merged) -> Outcome<()> {
    say(styled(STRONG, &merged.scenario))?;
    field("record", merged.folder.display())?;
    statistics(&merged.tally, !merged.findings.is_empty())?;
    if merged.left_over > 0 {
        let runs = grouped(merged.left_over as usize);
        field("left out", format!("{runs} runs behind the last block that every shard has done"))?;
    }
    for file in merged.findings.values() {
        field("replay", format!("{} replay {}", line.program, quoted(&file.display().to_string())))?;
    }
    Ok(())
}
