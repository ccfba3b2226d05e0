//! Sizes and times as they are typed.

use std::time::Duration;

const UNITS: [(&str, usize); 9] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("G", 1 << 30),
    ("M", 1 << 20),
    ("K", 1 << 10),
];

/// Bytes from a text like `2GiB`.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let lower = text.trim().to_lowercase();
    let unit = UNITS.iter().find(|(unit, _)| lower.ends_with(&unit.to_lowercase()));
    let (number, factor) = match unit {
        Some((unit, factor)) => (&lower[..lower.len() - unit.len()], *factor),
        None => (lower.as_str(), 1),
    };
    let bytes = number.trim().parse().ok().map(|n: f64| n * factor as f64);
    match bytes {
        Some(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as usize),
        _ => Err(format!("{text:?} is not a size such as 512MiB or 2GiB")),
    }
}

/// A size in its largest exact unit.
pub(super) fn size_text(bytes: usize) -> String {
    let unit = UNITS[..3].iter().find(|(_, f)| bytes >= *f && bytes.is_multiple_of(*f));
    unit.map_or(bytes.to_string(), |(unit, f)| format!("{}{unit}", bytes / f))
}

/// A duration from a text like `60s`, `500ms`, `2m`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let trimmed = text.trim();
    let at = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let factor = match trimmed[at..].trim() {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let seconds = trimmed[..at].parse().unwrap_or(f64::NAN) * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text:?} is not a time such as 60s, 500ms or 2m"))
}

/// A duration as it is typed.
pub(super) fn time_text(time: Duration) -> String {
    match time.as_millis() {
        ms if ms % 1000 == 0 => format!("{}s", ms / 1000),
        ms => format!("{ms}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("512 mib"), Ok(512 << 20));
        assert_eq!(size("1.5K"), Ok(1536));
        assert_eq!(size("1000"), Ok(1000));
        for bad in ["", "GiB", "-1GiB", "nan", "inf", "2XB", "0"] {
            assert!(size(bad).is_err(), "{bad:?}");
        }
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(time("7"), Ok(Duration::from_secs(7)));
        for bad in ["", "s", "-1s", "1y", "99999999999999999999999h"] {
            assert!(time(bad).is_err(), "{bad:?}");
        }
        assert_eq!(size_text(2 << 30), "2GiB");
        assert_eq!(size_text(1 << 20 | 1), "1048577");
        assert_eq!(time_text(Duration::from_millis(1500)), "1500ms");
    }
}
