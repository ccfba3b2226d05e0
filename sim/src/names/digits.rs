//! Names inside texts, digit by digit.

use super::{ID_TAIL, SESSION_HEAD, Who};

/// Whether there may be a name in the text: each has eight hexadecimal digits in a row.
pub(super) fn may_hold_names(text: &str) -> bool {
    let mut row = 0;
    text.bytes().any(|b| {
        row = if b.is_ascii_hexdigit() { row + 1 } else { 0 };
        row == 8
    })
}

/// A unique id at the start of the text.
pub(super) fn parse_id(text: &str) -> Option<u32> {
    let id = text.get(..36)?;
    if !id.ends_with(ID_TAIL) || !id.bytes().take(8).all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    u32::from_str_radix(&id[..8], 16).ok()
}

/// A session id in hexadecimal at `at`.
pub(super) fn parse_session(text: &str, at: usize) -> Option<Who> {
    let id = text.get(at..at + 15)?;
    if !id.starts_with(SESSION_HEAD) || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let before = at.checked_sub(1).map(|i| text.as_bytes()[i]);
    let after = text.as_bytes().get(at + 15);
    let alone = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric());
    (alone(before.as_ref()) && alone(after)).then(|| Who::from_str_radix(&id[11..], 16).ok())?
}

/// A sequence number at `at`, with its length: ten digits that end a path component, or the eleven
/// characters of a counter that wrapped to below -999,999,999.
pub(super) fn parse_seq(text: &str, at: usize) -> Option<(i32, usize)> {
    let bytes = text.as_bytes();
    let ends = |at: usize| bytes.get(at).is_none_or(|b| *b == b'/');
    let digits = |from: usize| bytes.get(from..from + 10).is_some_and(|d| d.iter().all(u8::is_ascii_digit));
    if bytes[at] == b'-' && digits(at + 1) && ends(at + 11) {
        // `n--2147483648`: only a number too large to be positive takes the sign along.
        let number: i64 = text[at..at + 11].parse().ok()?;
        if number < -i64::from(i32::MAX) || (at > 0 && bytes[at - 1] == b'-') {
            return i32::try_from(number).ok().map(|n| (n, 11));
        }
    }
    (digits(at) && ends(at + 10)).then(|| text[at..at + 10].parse().ok().map(|n| (n, 10))).flatten()
}

/// Ten digits.
pub(super) fn push_decimal(out: &mut String, mut number: u32) {
    let mut digits = [b'0'; 10];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    out.push_str(std::str::from_utf8(&digits).expect("digits"));
}

/// Eight digits.
pub(super) fn push_hex(out: &mut String, number: u32) {
    let digits: [u8; 8] = std::array::from_fn(|i| b"0123456789abcdef"[(number >> (28 - 4 * i) & 15) as usize]);
    out.push_str(std::str::from_utf8(&digits).expect("digits"));
}
