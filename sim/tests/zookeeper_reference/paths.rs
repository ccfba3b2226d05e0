//! Paths as strings.

use overtake_recipes::ZkError;
use overtake_sim::names::{Who, slot_of};

/// The letter of the client that a session belongs to.
pub fn letter(session: Who) -> char {
    (b'A' + slot_of(session) as u8) as char
}

/// Everything in front of the last slash.
pub fn parent(path: &str) -> &str {
    match path.rfind('/').expect("a path") {
        0 => "/",
        at => &path[..at],
    }
}

/// Whether the path is `top` or lies below.
pub fn within(path: &str, top: &str) -> bool {
    path == top || top == "/" || path.strip_prefix(top).is_some_and(|p| p.starts_with('/'))
}

/// The rules of a full path, without the characters that no test uses.
pub fn validate(path: &str) -> Result<(), ZkError> {
    let fine = path == "/"
        || path
            .strip_prefix('/')
            .is_some_and(|rest| rest.split('/').all(|part| !part.is_empty() && part != "." && part != ".."));
    if fine { Ok(()) } else { Err(ZkError::BadArguments) }
}

const ID_TAIL: &str = "-0000-4000-8000-0f0e7a3e0000";

/// The order in which nodes are shown: numbers of the sequential names first (no number before any
/// number), then the text around them, then the unique ids in them.
pub fn visible_key(path: &str) -> (Vec<i64>, String, Vec<String>) {
    let (mut numbers, mut shape, mut ids) = (Vec::new(), String::new(), Vec::new());
    for mut part in path.split('/').skip(1) {
        shape.push('/');
        if part.len() >= 36 && part[8..].starts_with(ID_TAIL) {
            ids.push(part[..8].to_owned());
            shape.push('\u{2}');
            part = &part[36..];
        }
        let (text, number) = split_number(part);
        shape.push_str(text);
        if let Some(number) = number {
            numbers.push(number);
            shape.push('\u{1}');
        }
    }
    (numbers, shape, ids)
}

/// `s-0000000003` is `s-` and 3, `s--2147483648` is `s-` and -2147483648.
fn split_number(part: &str) -> (&str, Option<i64>) {
    for len in [11, 10] {
        let Some(at) = part.len().checked_sub(len) else {
            continue;
        };
        let (text, digits) = part.split_at(at);
        let negative = len == 11 && digits == "-2147483648";
        if negative || (len == 10 && digits.bytes().all(|b| b.is_ascii_digit())) {
            return (text, digits.parse().ok());
        }
    }
    (part, None)
}
