//! Lengths of time as text: `5ms`, `1.5s`, `60s`. Everything is whole nanoseconds.

/// A microsecond in nanoseconds.
pub const MICROSECOND: u64 = 1_000;
/// A millisecond in nanoseconds.
pub const MILLISECOND: u64 = 1_000_000;
/// A second in nanoseconds.
pub const SECOND: u64 = 1_000_000_000;
/// An hour in nanoseconds.
pub const HOUR: u64 = 3_600 * SECOND;
/// A day in nanoseconds.
pub const DAY: u64 = 24 * HOUR;
/// A year of 365 days in nanoseconds.
pub const YEAR: u64 = 365 * DAY;
/// The longest length of time: ten years. Some hundred of them can be added up before a moment overflows.
pub const LONGEST: u64 = 10 * YEAR;

/// The units, the longest first. The first spelling is the one that is written.
const UNITS: [(&str, u64); 8] = [
    ("d", DAY),
    ("h", HOUR),
    ("min", 60 * SECOND),
    ("s", SECOND),
    ("ms", MILLISECOND),
    ("us", MICROSECOND),
    ("µs", MICROSECOND),
    ("ns", 1),
];

/// Reads a length of time: a decimal number and its unit (`ns`, `us` or `µs`, `ms`, `s`, `min`, `h`, `d`).
///
/// # Errors
/// A sentence, when there is no number, no unit, a part of a nanosecond, or more than ten years.
///
/// ```
/// # use overtake_sim::clock::duration;
/// assert_eq!(duration::parse("1.5ms"), Ok(1_500_000));
/// assert!(duration::parse("5").unwrap_err().contains("no unit"));
/// ```
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if unit.is_empty() {
        return Err(format!("{text:?} has no unit; write for example 5ms or 1.5s"));
    }
    let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == unit.trim_start()) else {
        return Err(format!("{text:?} is no length of time; write for example 5ms, 1.5s or 10min"));
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || part.contains('.') || number.ends_with('.') {
        return Err(format!("{text:?} does not start with a decimal number"));
    }
    let too_long = || format!("{text:?} is longer than ten years");
    let mut sum = whole.parse::<u64>().ok().and_then(|n| n.checked_mul(*unit)).ok_or_else(too_long)?;
    let mut place = *unit;
    for digit in part.bytes().map(|b| u64::from(b - b'0')) {
        if place % 10 != 0 && digit != 0 {
            return Err(format!("{text:?} is not a whole number of nanoseconds"));
        }
        place /= 10;
        sum += digit * place;
    }
    if sum > LONGEST { Err(too_long()) } else { Ok(sum) }
}

/// Writes a length of time so that [`parse`] gives it back exactly.
pub fn text(nanoseconds: u64) -> String {
    if nanoseconds == 0 {
        return "0s".into();
    }
    // Days, hours and minutes only where they come out even: nobody reads 1.25h as quickly as 75min.
    let fits = |(_, unit): &&(&str, u64)| {
        nanoseconds >= *unit && (*unit <= SECOND || nanoseconds.is_multiple_of(*unit) && nanoseconds / *unit > 1)
    };
    let (name, unit) = UNITS.iter().find(fits).expect("one nanosecond fits");
    let (whole, part) = (nanoseconds / unit, nanoseconds % unit);
    if part == 0 {
        return format!("{whole}{name}");
    }
    let width = unit.ilog10() as usize;
    let decimals = format!("{part:0width$}");
    format!("{whole}.{}{name}", decimals.trim_end_matches('0'))
}

/// Writes a length of time for people, with three digits that say something: `2.35s`.
pub fn rounded(nanoseconds: u64) -> String {
    let digits = nanoseconds.checked_ilog10().unwrap_or(0);
    let step = 10u64.pow(digits.saturating_sub(2));
    text((nanoseconds + step / 2) / step * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read() {
        let cases = [
            ("0s", 0),
            ("5ms", 5 * MILLISECOND),
            ("1.5s", 1_500_000_000),
            ("3241.337ms", 3_241_337_000),
            ("250 µs", 250_000),
            ("7us", 7_000),
            ("10min", 600 * SECOND),
            ("1.000000001s", 1_000_000_001),
            ("2h", 2 * HOUR),
            ("3650d", LONGEST),
            ("0.5d", 12 * HOUR),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn bad_lengths_are_told() {
        let cases = [
            ("", "no unit"),
            ("5", "no unit"),
            ("ms", "decimal number"),
            ("-5ms", "no length of time"),
            ("5 parsecs", "no length of time"),
            ("1.2.3s", "decimal number"),
            ("1.s", "decimal number"),
            (".5s", "decimal number"),
            ("0.5ns", "whole number"),
            ("1.0000000001s", "whole number"),
            ("3651d", "ten years"),
            ("99999999999999999999s", "ten years"),
        ];
        for (text, expected) in cases {
            let why = parse(text).unwrap_err();
            assert!(why.contains(expected), "{text}: {why}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for n in [0, 1, 999, 1_000, 1_001, 5_000_000, 3_241_337_000, 75 * 60 * SECOND, DAY, 2 * DAY, LONGEST - 1] {
            assert_eq!(parse(&text(n)), Ok(n), "{}", text(n));
        }
        assert_eq!(text(3_241_337_000), "3.241337s");
        assert_eq!(text(60 * SECOND), "60s");
        assert_eq!(rounded(3_241_337_000), "3.24s");
        assert_eq!(rounded(999_999), "1ms");
    }
}
