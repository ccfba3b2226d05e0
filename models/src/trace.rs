//! Traces as text: one file a finding, read and edited by people, replayed for ever.

use std::fmt;

/// First line of every trace.
const HEAD: &str = "overtake trace 1";
/// The line in front of the steps that repeat.
const FOR_EVER: &str = "for ever:";

/// A finding: what to run, the steps, and what they violate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// What was found, in a line.
    pub title: String,
    /// Where the scenario comes from.
    pub source: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Number of clients.
    pub clients: usize,
    /// The faults allowed: kind and number.
    pub faults: Vec<(String, u8)>,
    /// Name of the property that the last state violates.
    pub violates: String,
    /// How it does, in a sentence.
    pub because: String,
    /// The scenario with the repaired program.
    pub fixed_by: String,
    /// The scenario with smaller bounds, where nothing but smaller bounds help; then `fixed_by` is empty.
    pub holds_within: String,
    /// The steps by name.
    pub steps: Vec<String>,
    /// The steps that then repeat for ever, for a property about what happens at last.
    pub cycle: Vec<String>,
    /// When each of the steps happened, in nanoseconds since the start; empty where no clock ran. Replaying ignores it.
    pub moments: Vec<u64>,
    /// What must be typed to find it again; empty where it was found exhaustively.
    pub found_by: String,
}

/// Why a text is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong with it, and what would be right.
    pub why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Malformed {}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        writeln!(f, "title: {}", self.title)?;
        if !self.source.is_empty() {
            writeln!(f, "source: {}", self.source)?;
        }
        writeln!(f, "scenario: {}", self.scenario)?;
        if self.clients > 0 {
            writeln!(f, "clients: {}", self.clients)?;
        }
        let faults: Vec<String> = self.faults.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        if !faults.is_empty() {
            writeln!(f, "faults: {}", faults.join(", "))?;
        } else if self.clients > 0 {
            // Programs of threads have no budget: their faults are steps like others.
            writeln!(f, "faults: none")?;
        }
        writeln!(f, "violates: {}", self.violates)?;
        writeln!(f, "because: {}", self.because)?;
        if !self.fixed_by.is_empty() {
            writeln!(f, "fixed by: {}", self.fixed_by)?;
        }
        if !self.holds_within.is_empty() {
            writeln!(f, "holds within: {}", self.holds_within)?;
        }
        if !self.found_by.is_empty() {
            writeln!(f, "found by: {}", self.found_by)?;
        }
        writeln!(f, "\nsteps:")?;
        for (at, step) in self.steps.iter().enumerate() {
            match self.moments.get(at) {
                Some(&moment) => writeln!(f, "  [{}] {step}", moment_text(moment))?,
                None => writeln!(f, "  {step}")?,
            }
        }
        if !self.cycle.is_empty() {
            writeln!(f, "\n{FOR_EVER}")?;
        }
        for step in &self.cycle {
            writeln!(f, "  {step}")?;
        }
        Ok(())
    }
}

impl Trace {
    /// The steps, and once those that repeat.
    pub fn all_steps(&self) -> Vec<String> {
        [self.steps.as_slice(), &self.cycle].concat()
    }
}

impl std::str::FromStr for Trace {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let bad = |line: usize, why: String| Malformed { line: line + 1, why };
        let mut lines = text.lines().enumerate();
        match lines.next() {
            Some((_, HEAD)) => {}
            Some((_, other)) if other.starts_with("overtake trace") => {
                return Err(bad(
                    0,
                    format!("{other:?} is a version that this program does not read; it reads {HEAD:?}"),
                ));
            }
            _ => return Err(bad(0, format!("a trace starts with the line {HEAD:?}"))),
        }
        let mut trace = Trace::default();
        let (mut in_steps, mut in_cycle) = (false, false);
        let mut known: Vec<&str> = Vec::new();
        for (at, line) in lines {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if in_steps && !in_cycle && trimmed == FOR_EVER {
                in_cycle = true;
            } else if in_cycle {
                trace.cycle.push(trimmed.to_owned());
            } else if in_steps {
                trace.push(trimmed).map_err(|why| bad(at, why))?;
            } else if trimmed == "steps:" {
                in_steps = true;
            } else {
                let Some((key, value)) = trimmed.split_once(':') else {
                    return Err(bad(at, format!("{trimmed:?} is not of the form `key: value`")));
                };
                if known.contains(&key) {
                    return Err(bad(at, format!("{key:?} is there twice; a trace says it once")));
                }
                known.push(key);
                trace.set(key, value.trim()).map_err(|why| bad(at, why))?;
            }
        }
        let last = text.lines().count().saturating_sub(1);
        if !known.contains(&"scenario") || !known.contains(&"violates") {
            return Err(bad(last, "a trace names its scenario and the property that it violates".into()));
        }
        if !in_steps {
            return Err(bad(last, "a trace ends with a line `steps:` and the steps".into()));
        }
        Ok(trace)
    }
}

impl Trace {
    /// Takes a line of the head.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let text = || value.to_owned();
        match key {
            "title" => self.title = text(),
            "source" => self.source = text(),
            "scenario" => self.scenario = text(),
            "violates" => self.violates = text(),
            "because" => self.because = text(),
            "fixed by" if value.is_empty() => {
                return Err("`fixed by` names the scenario with the repaired program; without one, leave it out".into());
            }
            "fixed by" => self.fixed_by = text(),
            "holds within" if value.is_empty() => {
                return Err(
                    "`holds within` names the scenario with the smaller bounds; without one, leave it out".into()
                );
            }
            "holds within" => self.holds_within = text(),
            "found by" => self.found_by = text(),
            "clients" => {
                self.clients = match value.parse() {
                    Ok(0) => return Err("a world has at least 1 client".into()),
                    Ok(clients) => clients,
                    Err(_) => return Err(format!("{value:?} is not a number of clients")),
                };
            }
            "faults" => self.faults = faults(value)?,
            other => return Err(format!("there is no key {other:?} in a trace")),
        }
        Ok(())
    }

    /// Takes a step, with its moment where it has one.
    fn push(&mut self, line: &str) -> Result<(), String> {
        let (moment, step) = match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            Some((text, step)) if text.ends_with("ms") => {
                let moment = moment(text).ok_or_else(|| format!("{text:?} is not a moment such as 12.345678 ms"))?;
                (Some(moment), step.trim_start())
            }
            _ => (None, line),
        };
        match (moment, self.moments.last()) {
            (Some(_), None) if !self.steps.is_empty() => {
                return Err("this step has a moment and those before it have none; either all have one or none".into());
            }
            (None, Some(_)) => return Err("this step has no moment and those before it have one".into()),
            (Some(now), Some(&before)) if now < before => {
                return Err(format!("the clock goes back from {} to {}", moment_text(before), moment_text(now)));
            }
            (Some(now), _) => self.moments.push(now),
            (None, None) => {}
        }
        self.steps.push(step.to_owned());
        Ok(())
    }
}

/// Nanoseconds as milliseconds, without a digit too many: `12.345678 ms`, `3 ms`.
pub(crate) fn moment_text(nanoseconds: u64) -> String {
    let (whole, rest) = (nanoseconds / 1_000_000, nanoseconds % 1_000_000);
    if rest == 0 {
        return format!("{whole} ms");
    }
    format!("{whole}.{}", format!("{rest:06}").trim_end_matches('0')) + " ms"
}

/// The nanoseconds of a text like `12.345678 ms`.
fn moment(text: &str) -> Option<u64> {
    let number = text.strip_suffix("ms")?.trim_end();
    let (whole, rest) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(rest) || rest.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let rest: u64 = format!("{rest:0<6}").parse().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(rest)
}

/// A name as part of a file name, and as an anchor: letters and digits, the rest as single dashes.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    match slug.trim_end_matches('-') {
        "" => "scenario".into(),
        slug => slug.into(),
    }
}

/// The kinds of faults, as traces name them.
pub const FAULTS: [&str; 16] = overtake_sim::world::Budget::KINDS;

fn faults(text: &str) -> Result<Vec<(String, u8)>, String> {
    if text == "none" || text.is_empty() {
        return Ok(Vec::new());
    }
    let fault = |part: &str| {
        let (kind, number) = part.trim().split_once(' ').ok_or(format!("{part:?} is not of the form `kind number`"))?;
        if !FAULTS.contains(&kind) {
            return Err(format!("{kind:?} is no kind of fault; there are {}", FAULTS.join(", ")));
        }
        match number.trim().parse() {
            Ok(n) if n <= 15 => Ok((kind.to_owned(), n)),
            _ => Err(format!("{number:?} is not a number of faults from 0 to 15")),
        }
    };
    let mut all: Vec<(String, u8)> = Vec::new();
    for part in text.split(',') {
        let (kind, number) = fault(part)?;
        if all.iter().any(|(known, _)| *known == kind) {
            return Err(format!("{kind:?} is there twice"));
        }
        all.push((kind, number));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_went_out() {
        let trace = Trace {
            title: "two holders".into(),
            scenario: "a lock".into(),
            clients: 3,
            faults: vec![("expiries".into(), 1)],
            violates: "at most one live holder".into(),
            because: "both: hold".into(),
            steps: vec!["client 1 → create /lock/n- (ephemeral, sequential)".into()],
            cycle: vec!["client 1: timer runs out".into()],
            holds_within: "a lock, without faults".into(),
            found_by: "overtake hunt 'a lock' --seed 1".into(),
            ..Trace::default()
        };
        assert_eq!(trace.to_string().parse(), Ok(trace.clone()));
        let timed = Trace { moments: vec![12_345_600], ..trace };
        assert!(timed.to_string().contains("  [12.3456 ms] client 1 → create"), "{timed}");
        assert_eq!(timed.to_string().parse(), Ok(timed));
    }

    #[test]
    fn moments_are_exact() {
        for (nanoseconds, text) in [(0, "0 ms"), (1, "0.000001 ms"), (3_000_000, "3 ms"), (1_020_000, "1.02 ms")] {
            assert_eq!(moment_text(nanoseconds), text);
            assert_eq!(moment(text), Some(nanoseconds));
        }
        assert_eq!(moment(&moment_text(u64::MAX)), Some(u64::MAX));
        for bad in ["ms", ".5 ms", "1. ms", "1.0000001 ms", "-1 ms", "+1 ms", "18446744073710 ms", "1 s"] {
            assert_eq!(moment(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn slugs() {
        assert_eq!(slug("O01: wake-up, taken for “my turn”!"), "o01-wake-up-taken-for-my-turn");
        assert_eq!(slug("…"), "scenario");
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line) in [
            ("", 1),
            ("overtake trace 9\n", 1),
            ("overtake trace 1\nscenario: a\nviolates: b\n", 3),
            ("overtake trace 1\nnonsense\n", 2),
            ("overtake trace 1\nfaults: floods 1\n", 2),
            ("overtake trace 1\nfaults: crashes 99\n", 2),
            ("overtake trace 1\nclients: many\n", 2),
            ("overtake trace 1\ncolour: red\n", 2),
            ("overtake trace 1\nsteps:\n", 2),
            ("overtake trace 1\nclients: 0\n", 2),
            ("overtake trace 1\nscenario: a\nscenario: b\n", 3),
            ("overtake trace 1\nfixed by:\n", 2),
            ("overtake trace 1\nfaults: crashes 1, crashes 2\n", 2),
            ("overtake trace 1\nsteps:\n  [1 ms] a\n  [0.5 ms] b\n", 4),
            ("overtake trace 1\nsteps:\n  [1 ms] a\n  b\n", 4),
            ("overtake trace 1\nsteps:\n  a\n  [1 ms] b\n", 4),
            ("overtake trace 1\nsteps:\n  [1.2.3 ms] a\n", 3),
        ] {
            assert_eq!(text.parse::<Trace>().unwrap_err().line, line, "{text:?}");
        }
    }
}
