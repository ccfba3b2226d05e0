//! What goes to the terminal: styles where it has them, numbers a person can read.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::exit::{Exit, Failure, Outcome};

pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const BUG: Style = AnsiColor::Yellow.on_default();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();

/// Nobody reads any more (`overtake | head`): go on without printing.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Prints a line to standard output; styles only where it is a terminal.
pub(super) fn say(line: impl fmt::Display) -> Outcome<()> {
    if CLOSED.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    let result = writeln!(out, "{line}").and_then(|()| out.flush());
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            CLOSED.store(true, Ordering::Relaxed);
            Ok(())
        }
        Err(error) => Err(Failure::new(
            Exit::CannotWrite,
            format!("cannot write the output: {error}; free space or send it elsewhere"),
        )),
    }
}

/// Prints what something is, under a name.
pub(super) fn field(name: &str, value: impl fmt::Display) -> Outcome<()> {
    say(format!("  {} {value}", styled(FAINT, format!("{name:<11}"))))
}

/// Prints a line to standard error, if it can be printed.
pub(super) fn warn(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// A text in a style.
pub(super) fn styled(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// `1,234,567`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.2 M`, for numbers that change too fast to be read whole.
pub(super) fn rough(number: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.iter().find(|(factor, _)| number >= *factor) {
        Some((factor, unit)) => format!("{:.1} {unit}", number / factor),
        None => format!("{number:.0}"),
    }
}

/// `12.3 MiB`.
pub(super) fn bytes(bytes: usize) -> String {
    let units = [(1usize << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(factor, _)| bytes >= *factor) {
        Some((factor, unit)) => format!("{:.1} {unit}", bytes as f64 / *factor as f64),
        None => format!("{bytes} B"),
    }
}

/// `12 ms`, `3.45 s`, `2 min 5 s`.
pub(super) fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s if s < 120.0 => format!("{s:.2} s"),
        s => format!("{} min {:.0} s", s as u64 / 60, s % 60.0),
    }
}

/// The odds that a state was taken for another, as a person reads them.
pub(super) fn odds(odds: f64) -> String {
    match odds {
        o if o <= 0.0 => "none".into(),
        o if o > 0.1 => format!("{:.0} %, which is too much to call it a proof", o.min(1.0) * 100.0),
        o => format!("less than one in 10^{}", (-o.log10()).floor()),
    }
}

/// A word as it must be typed in a shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Rows under a head, in columns as wide as they must be; the columns named in `right` are flush right.
pub(super) struct Table {
    pub head: Vec<&'static str>,
    pub right: &'static [usize],
    pub rows: Vec<Vec<(Style, String)>>,
}

impl Table {
    pub fn lines(&self) -> Vec<String> {
        let width = |text: &str| text.chars().count();
        let mut widths: Vec<usize> = self.head.iter().map(|h| width(h)).collect();
        for row in &self.rows {
            for (column, (_, text)) in row.iter().enumerate() {
                widths[column] = widths[column].max(width(text));
            }
        }
        let line = |cells: &mut dyn Iterator<Item = (Style, &str)>| {
            let mut line = String::new();
            for (column, (style, text)) in cells.enumerate() {
                let space = " ".repeat(widths[column] - width(text));
                let cell = styled(style, text);
                let padded = if self.right.contains(&column) {
                    format!("{space}{cell}")
                } else if column + 1 == widths.len() {
                    cell
                } else {
                    format!("{cell}{space}")
                };
                line += if column == 0 { "" } else { "  " };
                line += &padded;
            }
            line
        };
        let mut lines = vec![line(&mut self.head.iter().map(|h| (STRONG, *h)))];
        for row in &self.rows {
            lines.push(line(&mut row.iter().map(|(style, text)| (*style, text.as_str()))));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(8_320_420), "8,320,420");
        assert_eq!(rough(1_240_000.0), "1.2 M");
        assert_eq!(bytes(3 << 20), "3.0 MiB");
        assert_eq!(seconds(Duration::from_millis(12)), "12 ms");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 5 s");
        assert_eq!(odds(3e-9), "less than one in 10^8");
        assert_eq!(odds(0.0), "none");
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("lock"), "lock");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn columns_line_up() {
        let table = Table {
            head: vec!["name", "states"],
            right: &[1],
            rows: vec![
                vec![(FAINT, "→ a".into()), (GOOD, "1".into())],
                vec![(FAINT, "long name".into()), (GOOD, "1234567".into())],
            ],
        };
        let plain: Vec<String> =
            table.lines().iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        assert_eq!(plain, ["name        states", "→ a              1", "long name  1234567"]);
    }
}
