//! The command line.

mod args;
mod check;
mod everything;
mod exit;
mod explore;
mod files;
mod frontier;
mod hunt;
mod judged;
mod kept;
mod linearizable;
mod list;
mod merge;
mod names;
mod odds;
mod pages;
mod progress;
mod replay;
mod screen;
mod shrink;
mod threads;
mod units;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{CommandFactory, FromArgMatches};
use overtake_models::Scenario;
use overtake_models::manifest::Manifest;
use overtake_models::throughput::Chapter;
use overtake_threads::check::Program;

use args::{Cli, Command};
pub use exit::Exit;
use exit::{Failure, Outcome};
use screen::{BAD, styled};

/// The whole command line over the given scenarios: a crate with recipes of its own gets it with
/// `fn main() -> std::process::ExitCode { overtake::command_line(my_scenarios()) }`.
pub fn command_line(scenarios: Vec<Scenario>) -> ExitCode {
    CommandLine::new(scenarios).run()
}

/// The command line over some scenarios, and where the files live that are generated from them.
#[derive(Debug)]
pub struct CommandLine {
    scenarios: Vec<Scenario>,
    manifest: PathBuf,
    corpus: PathBuf,
    report: PathBuf,
    chapters: Vec<MakeChapter>,
    threads: Vec<Program>,
    threads_manifest: PathBuf,
    program: String,
}

/// Makes a chapter of the report; is told the folder of its pictures as links name it.
pub type MakeChapter = fn(&str) -> Result<Chapter, String>;

impl CommandLine {
    /// The command line over the scenarios, with `manifest.txt`, `corpus/` and `REPORT.md` in the current folder.
    pub fn new(scenarios: Vec<Scenario>) -> Self {
        Self {
            scenarios,
            manifest: "manifest.txt".into(),
            corpus: "corpus".into(),
            report: "REPORT.md".into(),
            chapters: Vec::new(),
            threads: Vec::new(),
            threads_manifest: "threads-manifest.txt".into(),
            program: "overtake".into(),
        }
    }

    /// Where the manifest is kept.
    pub fn manifest(mut self, path: impl Into<PathBuf>) -> Self {
        self.manifest = path.into();
        self
    }

    /// Where the corpus is kept.
    pub fn corpus(mut self, folder: impl Into<PathBuf>) -> Self {
        self.corpus = folder.into();
        self
    }

    /// Where the report is kept.
    pub fn report(mut self, path: impl Into<PathBuf>) -> Self {
        self.report = path.into();
        self
    }

    /// Programs of several threads, and where their manifest is kept. Their traces are in the folder `threads` of the corpus.
    pub fn threads(mut self, programs: Vec<Program>, manifest: impl Into<PathBuf>) -> Self {
        self.threads = programs;
        self.threads_manifest = manifest.into();
        self
    }

    /// One more chapter at the end of the report, with its pictures in the folder `report` beside it.
    pub fn chapter(mut self, make: MakeChapter) -> Self {
        self.chapters.push(make);
        self
    }

    /// Does what the arguments of the process say.
    pub fn run(self) -> ExitCode {
        self.run_from(std::env::args_os()).into()
    }

    /// Does what the arguments say; the first is the name of the program.
    pub fn run_from<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Exit {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let called = args.first().map(PathBuf::from);
        if let Some(name) = called.as_deref().and_then(Path::file_stem) {
            self.program = name.to_string_lossy().into_owned();
        }
        let command = Cli::command().name(self.program.clone()).bin_name(self.program.clone());
        let parsed = command.try_get_matches_from(args);
        let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
            Ok(cli) => cli,
            Err(error) => {
                let _ = error.print();
                let usage = error.exit_code() != 0;
                return if usage { Exit::Usage } else { Exit::AsExpected };
            }
        };
        match self.dispatch(&cli) {
            Ok(exit) => exit,
            Err(failure) => {
                screen::warn(format!("{} {}", styled(BAD, "error:"), failure.sentence));
                failure.exit
            }
        }
    }

    fn dispatch(&self, cli: &Cli) -> Outcome {
        self.refuse_twins()?;
        match &cli.command {
            None => everything::everything(self, &cli.everything),
            Some(Command::List { name, json }) => list::list(self, name.as_deref(), *json),
            Some(Command::Check { names, bounds, search, output }) => check::check(self, names, bounds, search, output),
            Some(Command::Replay { files, go_on, json }) => replay::replay(self, files, *go_on, *json),
            Some(Command::Threads { names, list, how, output }) => threads::threads(self, names, *list, how, output),
            Some(Command::Manifest(kept)) => kept::manifest(self, kept),
            Some(Command::Corpus(kept)) => kept::corpus(self, kept),
            Some(Command::Report(kept)) => kept::report(self, kept),
            Some(Command::Hunt { names, bounds, hunting }) => hunt::hunt(self, names, bounds, hunting),
            Some(Command::Frontier { name, bounds, total, memory, time, json }) => {
                frontier::frontier(self, name, bounds, *total, (*memory, *time), *json)
            }
            Some(Command::Odds { name, bounds, asking }) => odds::odds(self, name.as_deref(), bounds, asking),
            Some(Command::Merge { folders, out, json }) => merge::merge(self, folders, out, *json),
            Some(Command::Linearizable { file, model, configurations, json }) => {
                linearizable::linearizable(file, *model, *configurations, *json)
            }
            Some(Command::Shrink { files, out, memory }) => shrink::shrink(self, files, out, *memory),
            Some(Command::Explore { what, bounds, port }) => explore::explore(self, what, bounds, *port),
        }
    }

    /// Names become file names, so two scenarios must not share one.
    fn refuse_twins(&self) -> Outcome<()> {
        let mut known = HashMap::new();
        let scenarios = self.scenarios.iter().map(Scenario::name);
        for name in scenarios.chain(self.threads.iter().map(Program::name)) {
            if let Some(twin) = known.insert(crate::traces::slug(name), name) {
                return Err(Failure::bad_input(format!(
                    "the scenarios {twin:?} and {name:?} would share the name of a trace file; rename one of them"
                )));
            }
        }
        Ok(())
    }

    /// The scenario that a person means; where it is a program of threads that is meant, a sentence says how to search that.
    fn scenario(&self, text: &str) -> Outcome<&Scenario> {
        names::find(&self.scenarios, text).map_err(|none| threads::meant(self, text, none))
    }

    /// What the scenarios took when the manifest was written; nothing when there is none.
    fn sizes(&self) -> Manifest {
        let text = std::fs::read_to_string(&self.manifest).unwrap_or_default();
        text.parse().unwrap_or_default()
    }
}

/// Ctrl-C raises the flag, so that searches end with what they have; a second one ends the process.
fn interrupts(stop: &Arc<AtomicBool>) {
    let stop = stop.clone();
    // Fails only when a handler is there already: a process that runs several command lines keeps the first.
    let _ = ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted as u8));
        }
    });
}
