//! Exit codes, and errors that carry one.

use std::process::ExitCode;

/// What the command line ends with. `--help` prints this table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything ended as expected.
    AsExpected = 0,
    /// A property is violated that should hold, or `check` found a violation.
    Falsified = 1,
    /// The command line was not understood.
    Usage = 2,
    /// No violation and no proof either: cut off, or nothing ever happened.
    Held = 3,
    /// A step of a trace is no longer possible.
    Stale = 4,
    /// A file that cannot be read, a scenario that does not exist, a bound that no world has.
    BadInput = 5,
    /// A program broke the rules under which it can be checked.
    Broken = 6,
    /// The port is taken.
    PortTaken = 7,
    /// A file cannot be written.
    CannotWrite = 8,
    /// What should break does not break any more.
    NothingBreaks = 9,
    /// A committed file differs from a fresh one.
    Differs = 10,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// Every code with its meaning, in the order of the numbers.
    pub const TABLE: [(Exit, &'static str); 12] = [
        (
            Exit::AsExpected,
            "as expected: proved; every verdict as its scenario expects; the trace violates what it says; the history is linearizable",
        ),
        (
            Exit::Falsified,
            "falsified: `check`, `threads NAME` or a hunt found a violation, a scenario that should hold breaks, or a history is not linearizable",
        ),
        (Exit::Usage, "the command line was not understood"),
        (
            Exit::Held,
            "held, not proved; a hunt without findings; a frontier with budgets that were not decided, or under which nothing happens; `odds` or `linearizable` undecided",
        ),
        (Exit::Stale, "stale trace: one of its steps is no longer possible"),
        (
            Exit::BadInput,
            "malformed trace or manifest, unreadable file, unknown scenario or property, bound out of range",
        ),
        (
            Exit::Broken,
            "a program broke the rules: not deterministic, looks into names, a dishonest checkpoint, never rests",
        ),
        (Exit::PortTaken, "the explorer's port is taken"),
        (Exit::CannotWrite, "a file or the output cannot be written"),
        (
            Exit::NothingBreaks,
            "nothing breaks any more: a trace violates nothing or something else, or a scenario that must break is proved",
        ),
        (Exit::Differs, "a committed file (report, manifest, corpus) differs from a fresh run"),
        (Exit::Interrupted, "interrupted; findings written until then stay"),
    ];

    /// Of two ends of one command the one that matters more.
    pub fn worse(self, other: Exit) -> Exit {
        let rank = |exit: Exit| {
            let order = [
                Exit::AsExpected,
                Exit::Held,
                Exit::NothingBreaks,
                Exit::Stale,
                Exit::Falsified,
                Exit::Differs,
                Exit::BadInput,
                Exit::Broken,
                Exit::PortTaken,
                Exit::CannotWrite,
                Exit::Usage,
                Exit::Interrupted,
            ];
            order.iter().position(|e| *e == exit)
        };
        if rank(self) < rank(other) { other } else { self }
    }

    /// The table as text.
    pub(super) fn help() -> String {
        let mut text = String::from("Exit codes:\n");
        for (exit, meaning) in Exit::TABLE {
            text += &format!("  {:>3}  {meaning}\n", exit as u8);
        }
        text
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// Why a command cannot go on: one sentence that says what to do, and the code.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub exit: Exit,
    pub sentence: String,
}

impl Failure {
    pub fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self { exit, sentence: sentence.into() }
    }

    pub fn bad_input(sentence: impl Into<String>) -> Self {
        Self::new(Exit::BadInput, sentence)
    }
}

pub(super) type Outcome<T = Exit> = Result<T, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_code_once_and_in_order() {
        let codes: Vec<u8> = Exit::TABLE.iter().map(|(exit, _)| *exit as u8).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    }

    #[test]
    fn the_readme_has_the_same_table() {
        let readme = include_str!("../../README.md");
        for (exit, meaning) in Exit::TABLE {
            let row = format!("| {} | {meaning} |", exit as u8);
            assert!(readme.lines().any(|line| line == row), "README.md lacks the row {row:?}");
        }
    }

    #[test]
    fn worse_is_symmetric_and_keeps_the_worst() {
        for (a, _) in Exit::TABLE {
            for (b, _) in Exit::TABLE {
                assert_eq!(a.worse(b), b.worse(a));
            }
            assert_eq!(a.worse(Exit::AsExpected), a);
            assert_eq!(a.worse(Exit::Interrupted), Exit::Interrupted);
        }
    }
}
