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
    /// The steps by name.
    pub steps: Vec<String>,
    /// The steps that then repeat for ever, for a property about what happens at last.
    pub cycle: Vec<String>,
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
        writeln!(f, "clients: {}", self.clients)?;
        let faults: Vec<String> = self.faults.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        writeln!(f, "faults: {}", if faults.is_empty() { "none".into() } else { faults.join(", ") })?;
        writeln!(f, "violates: {}", self.violates)?;
        writeln!(f, "because: {}", self.because)?;
        if !self.fixed_by.is_empty() {
            writeln!(f, "fixed by: {}", self.fixed_by)?;
        }
        writeln!(f, "\nsteps:")?;
        for step in &self.steps {
            writeln!(f, "  {step}")?;
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
        let (mut scenario, mut violates) = (false, false);
        for (at, line) in lines {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if in_steps && trimmed == FOR_EVER {
                in_cycle = true;
                continue;
            }
            if in_steps {
                let steps = if in_cycle { &mut trace.cycle } else { &mut trace.steps };
                steps.push(trimmed.to_owned());
                continue;
            }
            if trimmed == "steps:" {
                in_steps = true;
                continue;
            }
            let Some((key, value)) = trimmed.split_once(':') else {
                return Err(bad(at, format!("{trimmed:?} is not of the form `key: value`")));
            };
            let value = value.trim().to_owned();
            match key {
                "title" => trace.title = value,
                "source" => trace.source = value,
                "scenario" => (trace.scenario, scenario) = (value, true),
                "violates" => (trace.violates, violates) = (value, true),
                "because" => trace.because = value,
                "fixed by" => trace.fixed_by = value,
                "clients" => {
                    trace.clients =
                        value.parse().map_err(|_| bad(at, format!("{value:?} is not a number of clients")))?;
                }
                "faults" => trace.faults = faults(&value).map_err(|why| bad(at, why))?,
                other => return Err(bad(at, format!("there is no key {other:?} in a trace"))),
            }
        }
        let last = text.lines().count().saturating_sub(1);
        if !scenario || !violates {
            return Err(bad(last, "a trace names its scenario and the property that it violates".into()));
        }
        if !in_steps {
            return Err(bad(last, "a trace ends with a line `steps:` and the steps".into()));
        }
        Ok(trace)
    }
}

/// The kinds of faults, as traces name them.
pub const FAULTS: [&str; 8] = overtake_sim::world::Budget::KINDS;

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
    text.split(',').map(fault).collect()
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
            ..Trace::default()
        };
        assert_eq!(trace.to_string().parse(), Ok(trace));
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
        ] {
            assert_eq!(text.parse::<Trace>().unwrap_err().line, line, "{text:?}");
        }
    }
}
