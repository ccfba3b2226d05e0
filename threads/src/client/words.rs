//! Requests and events in words.

use std::fmt;

use overtake_recipes::{CreateMode, Op};

use super::request::{Frame, Request};

/// A path without the digits that nobody reads: ids lose their tails, numbers their zeros.
pub fn short(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        if let Some(id) = rest.get(..36).filter(|id| is_id(id)) {
            let digits = id[..8].trim_start_matches('0');
            out += &format!("<{}>", if digits.is_empty() { "0" } else { digits });
            rest = &rest[36..];
        } else if rest.len() >= 10 && rest.as_bytes()[..10].iter().all(u8::is_ascii_digit) {
            let digits = rest[..10].trim_start_matches('0');
            out += if digits.is_empty() { "0" } else { digits };
            rest = &rest[10..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn is_id(text: &str) -> bool {
    let hyphen = |at| matches!(at, 8 | 13 | 18 | 23);
    text.bytes().enumerate().all(|(at, c)| if hyphen(at) { c == b'-' } else { c.is_ascii_hexdigit() })
}

fn mode(mode: CreateMode) -> &'static str {
    match mode {
        CreateMode::Persistent => "persistent",
        CreateMode::PersistentSequential => "persistent, sequential",
        CreateMode::Ephemeral => "ephemeral",
        CreateMode::EphemeralSequential => "ephemeral, sequential",
        CreateMode::Container => "container",
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = |watch: &bool| if *watch { " and watch" } else { "" };
        match self {
            Request::Create { path, mode: m, .. } => write!(f, "create {} ({})", short(path), mode(*m)),
            Request::Delete { path, .. } => write!(f, "delete {}", short(path)),
            Request::SetData { path, data, .. } => {
                write!(f, "setData {} {:?}", short(path), String::from_utf8_lossy(data))
            }
            Request::GetData { path, watch } => write!(f, "getData {}{}", short(path), watched(watch)),
            Request::Exists { path, watch } => write!(f, "exists {}{}", short(path), watched(watch)),
            Request::Children { path, watch } => write!(f, "getChildren {}{}", short(path), watched(watch)),
            Request::Multi(ops) => {
                let path = |op: &Op| match op {
                    Op::Create { path, .. } => format!("create {}", short(path)),
                    Op::Delete { path, .. } => format!("delete {}", short(path)),
                    Op::SetData { path, .. } => format!("setData {}", short(path)),
                    Op::Check { path, .. } => format!("check {}", short(path)),
                };
                let ops: Vec<String> = ops.iter().map(path).collect();
                write!(f, "multi [{}]", ops.join(", "))
            }
            Request::Sync => f.write_str("sync"),
            Request::AddWatch { path, mode } => write!(f, "addWatch {} ({mode:?})", short(path)),
            Request::RemoveWatches { path } => write!(f, "removeWatches {}", short(path)),
            Request::Connect => f.write_str("open a session"),
            Request::Close => f.write_str("close the session"),
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Frame::Event(kind, path) => write!(f, "{kind:?} {}", short(path)),
            Frame::Session(state) => write!(f, "{state:?}"),
            Frame::Reply(number, Ok(_)) => write!(f, "the answer to call {number}"),
            Frame::Reply(number, Err(error)) => write!(f, "{error} to call {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_short() {
        let path = "/lock/_c_00000010-0000-4000-8000-0f0e7a3e0000-lock-0000000012";
        assert_eq!(short(path), "/lock/_c_<10>-lock-12");
        assert_eq!(short("/lock/é-0000000000"), "/lock/é-0");
    }
}
