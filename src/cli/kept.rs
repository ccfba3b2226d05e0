//! Files that are generated from a run and kept: the manifest, the corpus, the report.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use overtake_models::manifest::{Entry, Manifest, as_expected, expected_finding};
use overtake_models::report::render;
use overtake_models::{Checked, Expected, Scenario};

use super::args::{Kept, Search};
use super::everything::run;
use super::exit::{Exit, Failure, Outcome};
use super::screen::{self, BAD, say, styled};
use super::{CommandLine, files, interrupts, pages};
use crate::traces::slug;

/// The folder beside the report in which its stories and pictures are.
const PICTURES: &str = "report";

/// Runs the scenarios and makes something of each, in their order. Scenarios that are not as expected are left out and
/// told on standard error; the second answer is the failure that the command ends with because of them.
fn fresh<T>(
    line: &CommandLine,
    scenarios: &[Scenario],
    kept: &Kept,
    mut make: impl FnMut(&Scenario, Checked) -> Result<T, String>,
) -> Outcome<(Vec<T>, Option<Failure>)> {
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
    for why in &wrong {
        screen::warn(format!("{} {why}", styled(BAD, "error:")));
    }
    let failure = (!wrong.is_empty()).then(|| {
        let sentence = format!("{} scenarios are not as expected and were left out", wrong.len());
        Failure::new(Exit::Falsified, sentence)
    });
    Ok((made.into_iter().flatten().collect(), failure))
}

/// What a command that keeps something ends with.
fn end(differs: bool, place: &Path, failure: Option<Failure>) -> Outcome {
    if differs {
        let sentence = format!("{} differs from a fresh run; --write writes it anew", place.display());
        return Err(Failure::new(Exit::Differs, sentence));
    }
    failure.map_or(Ok(Exit::AsExpected), Err)
}

/// Says of what was compared how it differs; answers whether it does.
fn told(differences: &[String], place: &Path) -> Outcome<bool> {
    differences.iter().try_for_each(say)?;
    if differences.is_empty() {
        say(format!("{} is as a fresh run makes it", place.display()))?;
    }
    Ok(!differences.is_empty())
}

/// One line a scenario, to the last state.
pub(super) fn manifest(line: &CommandLine, kept: &Kept) -> Outcome {
    let path = kept.path.as_deref().unwrap_or(&line.manifest);
    let committed: Option<Manifest> = match kept.check {
        true => Some(files::read(path)?.parse().map_err(|malformed| {
            let sentence = format!("{}: {malformed}; --write writes it anew", path.display());
            Failure::bad_input(sentence)
        })?),
        false => None,
    };
    let (entries, failure) = fresh(line, &line.scenarios, kept, |scenario, checked| Entry::of(scenario, &checked))?;
    let fresh = Manifest { entries };
    let mut differs = false;
    if let Some(committed) = committed {
        differs = told(&committed.differences(&fresh), path)?;
    } else if kept.write {
        files::write(path, &fresh.to_string())?;
        say(format!("wrote {}", path.display()))?;
    } else {
        say(fresh.to_string().trim_end())?;
    }
    end(differs, path, failure)
}

/// Verdicts, counts, stories and pictures.
pub(super) fn report(line: &CommandLine, kept: &Kept) -> Outcome {
    let path = kept.path.as_deref().unwrap_or(&line.report);
    let committed = if kept.check { Some(files::read(path)?) } else { None };
    let make = |scenario: &Scenario, checked| Ok((scenario.clone(), checked));
    let (checked, failure) = fresh(line, &line.scenarios, kept, make)?;
    let wrong = checked.iter().filter(|(scenario, checked)| as_expected(scenario, checked).is_err()).count();
    let failure = failure.or((wrong > 0).then(|| {
        Failure::new(Exit::Falsified, format!("{wrong} scenarios are not as expected; the report says which and how"))
    }));
    let (mut fresh, mut pictures) = pages::split(&render(&checked), PICTURES);
    for make in &line.chapters {
        let chapter = make(PICTURES).map_err(|why| Failure::new(Exit::Broken, why))?;
        fresh.push('\n');
        fresh += &chapter.markdown;
        pictures.extend(chapter.pictures);
    }
    let folder = path.with_file_name(PICTURES);
    let mut differs = false;
    if let Some(committed) = committed {
        let mut differences = line_differences(&committed, &fresh);
        let other = |(name, svg): &&(String, String)| fs::read_to_string(folder.join(name)).ok().as_ref() != Some(svg);
        let others = pictures.iter().filter(other);
        differences.extend(others.map(|(name, _)| format!("{} is missing or differs", folder.join(name).display())));
        differs = told(&differences, path)?;
    } else if kept.write {
        for (name, svg) in &pictures {
            files::write(&folder.join(name), svg)?;
        }
        files::write(path, &fresh)?;
        say(format!("wrote {}", path.display()))?;
    } else {
        say(fresh.trim_end())?;
    }
    end(differs, path, failure)
}

/// The first line in which two texts differ.
fn line_differences(committed: &str, fresh: &str) -> Vec<String> {
    if committed == fresh {
        return Vec::new();
    }
    let (mut old, mut new) = (committed.lines(), fresh.lines());
    let mut number = 1;
    loop {
        match (old.next(), new.next()) {
            (None, None) => return vec!["only the ends of lines differ".into()],
            (old, new) if old != new => {
                let text = |line: Option<&str>| line.map_or("(the end)".into(), |l| format!("{l:?}"));
                return vec![format!(
                    "line {number}: the committed one says\n  {}\nand a fresh one\n  {}",
                    text(old),
                    text(new)
                )];
            }
            _ => number += 1,
        }
    }
}

/// The traces of the scenarios that must break, one file each.
pub(super) fn corpus(line: &CommandLine, kept: &Kept) -> Outcome {
    let folder = kept.path.as_deref().unwrap_or(&line.corpus);
    let breaks = |s: &&Scenario| matches!(s.expected(), Expected::Falsified(_));
    let scenarios: Vec<Scenario> = line.scenarios.iter().filter(breaks).cloned().collect();
    let (traces, failure) =
        fresh(line, &scenarios, kept, |scenario, checked| match expected_finding(scenario, &checked) {
            Some(finding) => Ok((file_name(scenario), finding.trace.to_string())),
            None => Err(Entry::of(scenario, &checked).err().unwrap_or_default()),
        })?;
    let strangers = strangers(folder, &scenarios);
    if kept.write {
        for (name, text) in &traces {
            files::write(&folder.join(name), text)?;
        }
        strangers.iter().for_each(screen::warn);
        say(format!("wrote {} traces to {}", traces.len(), folder.display()))?;
        return end(false, folder, failure);
    }
    if !kept.check {
        traces.iter().try_for_each(|(name, text)| say(format!("# {name}\n{text}")))?;
        return end(false, folder, failure);
    }
    let same = |(name, text): &&(String, String)| fs::read_to_string(folder.join(name)).ok().as_ref() == Some(text);
    let missing = traces.iter().filter(|trace| !same(trace));
    let mut differences: Vec<String> =
        missing.map(|(name, _)| format!("{} is missing or differs", folder.join(name).display())).collect();
    differences.extend(strangers);
    end(told(&differences, folder)?, folder, failure)
}

fn file_name(scenario: &Scenario) -> String {
    format!("{}.trace", slug(scenario.name()))
}

/// Traces in the folder that belong to no scenario that must break.
fn strangers(folder: &Path, scenarios: &[Scenario]) -> Vec<String> {
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let known: Vec<String> = scenarios.iter().map(file_name).collect();
    let names = files.flatten().map(|f| f.file_name().to_string_lossy().into_owned());
    let mut strangers: Vec<String> = names
        .filter(|name| name.ends_with(".trace") && !known.contains(name))
        .map(|name| format!("{} belongs to no scenario that must break; delete it", folder.join(name).display()))
        .collect();
    strangers.sort();
    strangers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert!(line_differences("a\nb\n", "a\nb\n").is_empty());
        assert!(line_differences("a\nb\n", "a\nc\n")[0].starts_with("line 2"));
        assert!(line_differences("a\n", "a\nc\n")[0].contains("(the end)"));
        assert_eq!(line_differences("a\n", "a").len(), 1);
    }
}
