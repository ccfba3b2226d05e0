//! Files that are generated from a run and kept: the manifest, the corpus, the report.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use overtake_models::manifest::{Entry, Manifest, expected_finding};
use overtake_models::{Checked, Expected, Scenario};

use super::args::{Kept, Search};
use super::everything::run;
use super::exit::{Exit, Failure, Outcome};
use super::names::slug;
use super::screen::{self, BAD, say, styled};
use super::{CommandLine, files, interrupts};

/// Runs the scenarios and makes something of each, in their order. Scenarios that are not as expected are told on
/// standard error and end the command.
fn fresh<T>(
    line: &CommandLine,
    scenarios: &[Scenario],
    kept: &Kept,
    mut make: impl FnMut(&Scenario, Checked) -> Result<T, String>,
) -> Outcome<Vec<T>> {
    let options = Search::with_threads(kept.threads).options();
    interrupts(&options.limits.stop);
    let mut made: Vec<Option<T>> = scenarios.iter().map(|_| None).collect();
    let mut wrong = Vec::new();
    run(scenarios, &options, &line.sizes(), |place, outcome| {
        match outcome.and_then(|checked| make(&scenarios[place], checked)) {
            Ok(one) => made[place] = Some(one),
            Err(why) => wrong.push(why),
        }
    });
    if options.limits.stop.load(Ordering::Relaxed) {
        return Err(Failure::new(Exit::Interrupted, "interrupted; nothing was written"));
    }
    if wrong.is_empty() {
        return Ok(made.into_iter().flatten().collect());
    }
    for why in &wrong {
        screen::warn(format!("{} {why}", styled(BAD, "error:")));
    }
    Err(Failure::new(Exit::Falsified, format!("{} scenarios are not as expected; nothing was written", wrong.len())))
}

/// Prints, writes or compares a file.
fn keep(kept: &Kept, path: &Path, text: &str, differences: impl FnOnce(&str) -> Vec<String>) -> Outcome {
    if kept.write {
        files::write(path, text)?;
        say(format!("wrote {}", path.display()))?;
    } else if kept.check {
        let differences = differences(&files::read(path)?);
        if !differences.is_empty() {
            differences.iter().try_for_each(say)?;
            return Err(Failure::new(
                Exit::Differs,
                format!("{} differs from a fresh run; --write writes it anew", path.display()),
            ));
        }
        say(format!("{} is as a fresh run makes it", path.display()))?;
    } else {
        say(text.trim_end())?;
    }
    Ok(Exit::AsExpected)
}

pub(super) fn manifest(line: &CommandLine, kept: &Kept) -> Outcome {
    let path = kept.path.as_deref().unwrap_or(&line.manifest);
    let entries = fresh(line, &line.scenarios, kept, |scenario, checked| Entry::of(scenario, &checked))?;
    let fresh = Manifest { entries };
    if !kept.check {
        return keep(kept, path, &fresh.to_string(), |_| Vec::new());
    }
    let committed: Manifest = files::read(path)?
        .parse()
        .map_err(|malformed| Failure::bad_input(format!("{}: {malformed}", path.display())))?;
    keep(kept, path, "", |_| committed.differences(&fresh))
}

/// The traces of the scenarios that must break, by file name.
pub(super) fn corpus(line: &CommandLine, kept: &Kept) -> Outcome {
    let folder = kept.path.as_deref().unwrap_or(&line.corpus);
    let breaks = |s: &&Scenario| matches!(s.expected(), Expected::Falsified(_));
    let scenarios: Vec<Scenario> = line.scenarios.iter().filter(breaks).cloned().collect();
    let traces = fresh(line, &scenarios, kept, |scenario, checked| {
        let finding = expected_finding(scenario, &checked);
        let name = format!("{}.trace", slug(scenario.name()));
        match finding {
            Some(finding) => Ok((name, finding.trace.to_string())),
            None => Err(Entry::of(scenario, &checked).err().unwrap_or_default()),
        }
    })?;
    if !kept.write && !kept.check {
        for (name, text) in &traces {
            say(format!("# {name}\n{text}"))?;
        }
        return Ok(Exit::AsExpected);
    }
    let mut differing = strangers(folder, &traces);
    for (name, text) in &traces {
        let path = folder.join(name);
        if kept.write {
            files::write(&path, text)?;
        } else if fs::read_to_string(&path).ok().as_ref() != Some(text) {
            differing.push(format!("{} is missing or differs", path.display()));
        }
    }
    if kept.write {
        differing.iter().for_each(screen::warn);
        say(format!("wrote {} traces to {}", traces.len(), folder.display()))?;
        return Ok(Exit::AsExpected);
    }
    differing.iter().try_for_each(say)?;
    if differing.is_empty() {
        say(format!("{} is as a fresh run makes it", folder.display()))?;
        return Ok(Exit::AsExpected);
    }
    Err(Failure::new(Exit::Differs, format!("{} differs from a fresh run; --write writes it anew", folder.display())))
}

/// Traces in the folder that no scenario asks for.
fn strangers(folder: &Path, traces: &[(String, String)]) -> Vec<String> {
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = files.flatten().map(|f| f.file_name().to_string_lossy().into_owned());
    let mut strangers: Vec<String> = names
        .filter(|name| name.ends_with(".trace") && !traces.iter().any(|(known, _)| known == name))
        .map(|name| format!("{} belongs to no scenario that must break; delete it", folder.join(name).display()))
        .collect();
    strangers.sort();
    strangers
}
