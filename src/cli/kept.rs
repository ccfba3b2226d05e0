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
use super::{CommandLine, files, interrupts, pages, threads};
use crate::traces::slug;

/// The folder beside the report in which its stories and pictures are.
const PICTURES: &str = "report";
/// The folder within the corpus for traces of threads.
const THREADS: &str = "threads";

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
    Ok((made.into_iter().flatten().collect(), left_out(&wrong, "scenarios")))
}

/// Tells what was left out, and answers the failure that the command ends with because of it.
fn left_out(wrong: &[String], what: &str) -> Option<Failure> {
    for why in wrong {
        screen::warn(format!("{} {why}", styled(BAD, "error:")));
    }
    (!wrong.is_empty()).then(|| {
        let sentence = format!("{} {what} are not as expected and were left out", wrong.len());
        Failure::new(Exit::Falsified, sentence)
    })
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
    let of_threads = line.threads_manifest.clone();
    let committed = |path: &Path| -> Outcome<Option<Manifest>> {
        if !kept.check {
            return Ok(None);
        }
        let parsed = files::read(path)?.parse();
        let malformed = |why| Failure::bad_input(format!("{}: {why}; --write writes it anew", path.display()));
        parsed.map(Some).map_err(malformed)
    };
    // A path that is named is for the scenarios alone.
    let with_threads = !line.threads.is_empty() && kept.path.is_none();
    let (old, old_of_threads) = (committed(path)?, if with_threads { committed(&of_threads)? } else { None });
    let (entries, mut failure) = fresh(line, &line.scenarios, kept, |scenario, checked| Entry::of(scenario, &checked))?;
    let fresh = Manifest { entries };
    let mut differs = keep_manifest(kept, path, old, &fresh, fresh.to_string())?.then_some(path);
    if with_threads {
        let (entries, wrong) = threads::entries(line);
        failure = failure.or(left_out(&wrong, "programs of threads"));
        let fresh = Manifest { entries };
        let text = fresh.headed(threads::HEAD);
        let other = keep_manifest(kept, &of_threads, old_of_threads, &fresh, text)?;
        differs = differs.or(other.then_some(&of_threads));
    }
    end(differs.is_some(), differs.unwrap_or(path), failure)
}

/// Compares, writes or prints a manifest; answers whether it differs.
fn keep_manifest(
    kept: &Kept,
    path: &Path,
    committed: Option<Manifest>,
    fresh: &Manifest,
    text: String,
) -> Outcome<bool> {
    if let Some(committed) = committed {
        return told(&committed.differences(fresh), path);
    }
    if kept.write {
        files::write(path, &text)?;
        say(format!("wrote {}", path.display()))?;
    } else {
        say(text.trim_end())?;
    }
    Ok(false)
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
        let mut differences = line_differences(&without_times(&committed), &without_times(&fresh));
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

/// A report without what differs from run to run, which stands between two marks.
fn without_times(report: &str) -> String {
    let (begin, end) = overtake_threads::chapter::TIMES;
    let mut kept = String::new();
    let mut rest = report;
    while let Some((before, after)) = rest.split_once(begin) {
        kept += before;
        // A mark that is not closed hides nothing.
        let Some((_, after)) = after.split_once(end) else {
            return kept + begin + after;
        };
        rest = after;
    }
    kept + rest
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
    let (of_threads, wrong) = threads::traces_of(line);
    let failure = failure.or(left_out(&wrong, "programs of threads"));
    let within = |(name, text): (String, String)| (format!("{THREADS}/{name}"), text);
    let traces: Vec<(String, String)> = traces.into_iter().chain(of_threads.into_iter().map(within)).collect();
    let mut strangers = strangers(folder, &scenarios);
    strangers.extend(threads::unknown_traces(line, &folder.join(THREADS)));
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
    fn times_are_not_compared() {
        let (begin, end) = overtake_threads::chapter::TIMES;
        let report = |time| format!("a\n{begin}\n{time}\n{end}\nb\n");
        assert_eq!(without_times(&report("1")), without_times(&report("2")));
        assert_eq!(without_times(&report("1")), "a\n\nb\n");
        assert_eq!(without_times("a\n"), "a\n");
        let open = format!("a\n{begin}\nb\n");
        assert_eq!(without_times(&open), open);
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert!(line_differences("a\nb\n", "a\nb\n").is_empty());
        assert!(line_differences("a\nb\n", "a\nc\n")[0].starts_with("line 2"));
        assert!(line_differences("a\n", "a\nc\n")[0].contains("(the end)"));
        assert_eq!(line_differences("a\n", "a").len(), 1);
    }
}
