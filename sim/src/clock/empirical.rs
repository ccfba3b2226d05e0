//! Lengths of time that were measured, from a file: plain numbers, or the log of a Java virtual machine.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use super::duration;

/// Most lengths that are read from one file.
pub const MOST_LENGTHS: usize = 1_000_000;
/// Most bytes of one file.
pub const MOST_BYTES: u64 = 256 << 20;
/// Most bytes of one line; longer ones are no line of either form.
const LONGEST_LINE: usize = 4_096;

/// Measured lengths of time, in nanoseconds, the shortest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Empirical {
    name: String,
    lengths: Vec<u64>,
}

impl Empirical {
    /// Reads a file ([`Empirical::from_text`]).
    ///
    /// # Errors
    /// A sentence that names the file and, where one is at fault, the line.
    pub fn read(path: &str) -> Result<Self, String> {
        let cannot = |why: std::io::Error| format!("{path}: cannot be read: {why}");
        let file = File::open(path).map_err(cannot)?;
        if file.metadata().map_err(cannot)?.len() > MOST_BYTES {
            return Err(format!("{path}: is larger than {} MiB", MOST_BYTES >> 20));
        }
        Self::from_reader(path, BufReader::new(file.take(MOST_BYTES + 1)))
    }

    /// Reads a text. Each line is a length with its unit (`3241.337ms`), or a line of a Java virtual machine's unified
    /// log (JEP 158, `-Xlog:gc`); of those only the pauses count, such as
    /// `[12.345s][info][gc] GC(7) Pause Full (Ergonomics) 812M->401M(1024M) 3241.337ms`. Empty lines and lines
    /// that start with `#` are left out.
    ///
    /// # Errors
    /// A sentence with the number of the line that is neither, or that the text holds no length, or too many.
    pub fn from_text(name: &str, text: &str) -> Result<Self, String> {
        Self::from_reader(name, text.as_bytes())
    }

    fn from_reader(name: &str, mut reader: impl BufRead) -> Result<Self, String> {
        let (mut lengths, mut line, mut number) = (Vec::new(), Vec::new(), 0);
        loop {
            line.clear();
            number += 1;
            let bytes = reader.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
            if bytes.map_err(|why| format!("{name}: cannot be read: {why}"))? == 0 {
                break;
            }
            let bad = |why: String| format!("{name}, line {number}: {why}");
            if line.len() == LONGEST_LINE && line.last() != Some(&b'\n') {
                return Err(bad(format!("is longer than {LONGEST_LINE} bytes")));
            }
            let text = std::str::from_utf8(&line).map_err(|_| bad("is not text in UTF-8".into()))?;
            if let Some(length) = length(text.trim()).map_err(bad)? {
                lengths.push(length);
            }
            if lengths.len() > MOST_LENGTHS {
                return Err(format!("{name}: holds more than {MOST_LENGTHS} lengths"));
            }
        }
        if lengths.is_empty() {
            return Err(format!("{name}: holds no length of time"));
        }
        lengths.sort_unstable();
        Ok(Self { name: name.into(), lengths })
    }

    /// Where the lengths come from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The lengths, the shortest first; at least one.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// The share of lengths that are longer than that.
    pub fn longer_than(&self, length: u64) -> f64 {
        let not_longer = self.lengths.partition_point(|&n| n <= length);
        (self.lengths.len() - not_longer) as f64 / self.lengths.len() as f64
    }
}

/// The length that a line tells, if it tells one.
fn length(line: &str) -> Result<Option<u64>, String> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    if !line.starts_with('[') {
        return duration::parse(line).map(Some);
    }
    // The decorations in brackets, then the message. `gc,start` announces a pause that a later line measures.
    let (mut rest, mut tags) = (line, "");
    while let Some(decoration) = rest.strip_prefix('[') {
        let (inside, after) = decoration.split_once(']').ok_or("a bracket is not closed")?;
        (rest, tags) = (after, inside.trim());
    }
    let message = rest.trim_start();
    let is_pause = message.split_whitespace().take(2).any(|word| word == "Pause");
    if !is_pause || tags.split(',').any(|tag| tag.trim() == "start") {
        return Ok(None);
    }
    let last = message.split_whitespace().last().unwrap_or_default();
    if !last.ends_with("ms") {
        return Err(format!("a pause ends with its length in ms, not with {last:?}"));
    }
    duration::parse(last).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_logs_are_read() {
        let text = "# made up\n\n5ms\n[12.345s][info][gc] GC(7) Pause Full (Ergonomics) 812M->401M(1024M) 3241.337ms\n\
                    [12.400s][info][gc,start] GC(8) Pause Young (Normal) (G1 Evacuation Pause)\n\
                    [12.401s][info][gc] GC(9) Concurrent Mark 12.000ms\n\
                    [2026-01-31T10:00:00.000+0000][0.008s][info][gc     ] GC(1) Pause Remark 0.750ms\n\
                    [0.004s][info][gc] Using G1\n";
        let measured = Empirical::from_text("a text", text).unwrap();
        assert_eq!(measured.lengths(), [750_000, 5_000_000, 3_241_337_000]);
        assert_eq!(measured.longer_than(5_000_000), 1.0 / 3.0);
    }

    #[test]
    fn bad_lines_are_named() {
        let long = "5".repeat(5_000);
        let cases = [
            ("5ms\nfive\n", "a text, line 2: \"five\""),
            ("1ms\n\n[1.0s][info][gc] GC(7) Pause Full (Ergonomics) 812M->401M(1024M)\n", "a text, line 3: a pause"),
            ("[1.0s][info", "line 1: a bracket"),
            ("[1.0s][gc] GC(7) Pause Full xms", "line 1"),
            (long.as_str(), "line 1: is longer"),
            ("# nothing\n", "holds no length"),
            ("", "holds no length"),
        ];
        for (text, expected) in cases {
            let why = Empirical::from_text("a text", text).unwrap_err();
            assert!(why.contains(expected), "{text:?}: {why}");
        }
        let binary = Empirical::from_reader("a text", [0xFF, 0xFE, b'\n'].as_slice()).unwrap_err();
        assert!(binary.contains("line 1: is not text"), "{binary}");
    }
}
