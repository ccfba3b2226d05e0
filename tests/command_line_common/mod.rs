//! What the tests of the command line share.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// A folder of the test's own, gone at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("command-line-{}-{number}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a file")
    }

    /// The names of the files below it, sorted.
    pub fn files(&self, below: &str) -> Vec<String> {
        let files = std::fs::read_dir(self.0.join(below)).into_iter().flatten().flatten();
        let mut names: Vec<String> = files.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program, to be run in the folder.
pub fn overtake(folder: &Folder) -> Command {
    in_folder(Command::new(env!("CARGO_BIN_EXE_overtake")), folder)
}

pub fn in_folder(mut command: Command, folder: &Folder) -> Command {
    command.current_dir(&folder.0);
    command
}

/// What a run ended with.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// That it ended with the code, and told the sentence on standard error.
    #[track_caller]
    pub fn is(&self, code: i32, sentence: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.err.contains(sentence), "no {sentence:?} in {}", self.err);
        assert!(self.err.starts_with("error: "), "{}", self.err);
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the program starts");
    Ran {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}
