//! The language of timed cases; `README.md` of this folder describes it.

use overtake_sim::clock::{Library, duration};

use super::bench::{Act, Seen, Setup};

/// A span of time in which something is expected.
#[derive(Clone, Debug)]
pub struct Span {
    /// Its text.
    pub text: String,
    /// The first moment in it.
    pub first: u64,
    /// The last moment in it.
    pub last: u64,
}

/// What is expected of a client, in order.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The time-out that it is granted.
    Granted(char, u64),
    /// Something that is seen of it.
    Seen(char, Seen, Span),
    /// Nothing is seen of it.
    Nothing(char),
}

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// File and line.
    pub place: String,
    /// `Z93`.
    pub id: String,
    /// What to run, in its first phase.
    pub setup: Setup,
    /// What to see.
    pub expected: Vec<Expected>,
}

/// Reads the cases of a file. Panics with the place of a line that is none.
pub fn read(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut expecting = false;
    for (number, line) in text.lines().enumerate() {
        let place = format!("{file}:{}", number + 1);
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.starts_with('#') {
            continue;
        }
        if let ["case", id, ..] = words[..] {
            expecting = false;
            let setup = Setup {
                tick: 500 * duration::MILLISECOND,
                latency: "const:1ms".parse().expect("a distribution"),
                clients: Vec::new(),
                acts: Vec::new(),
                phase: 0,
                drift: 0,
                hiccups: None,
                until: 0,
                seed: 1,
            };
            cases.push(Case { place, id: id.into(), setup, expected: Vec::new() });
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{place}: a case starts with `case`"));
        if words == ["----"] {
            expecting = true;
        } else if expecting {
            let expected = expected(&words).unwrap_or_else(|why| panic!("{place}: {line:?}: {why}"));
            case.expected.push(expected);
        } else {
            setup(&words, &mut case.setup).unwrap_or_else(|why| panic!("{place}: {line:?}: {why}"));
        }
    }
    cases
}

fn name(word: &str) -> Result<char, String> {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_uppercase() => Ok(letter),
        _ => Err(format!("{word:?} is no client; a client is one capital letter")),
    }
}

fn setup(words: &[&str], setup: &mut Setup) -> Result<(), String> {
    let long = duration::parse;
    match *words {
        ["tick", tick] => setup.tick = long(tick)?,
        ["until", until] => setup.until = long(until)?,
        ["client", who, wished] => setup.clients.push((name(who)?, None, long(wished)?, false)),
        ["client", who, wished, "at", "the", "follower"] => setup.clients.push((name(who)?, None, long(wished)?, true)),
        ["client", who, wished, library] => {
            setup.clients.push((name(who)?, Some(Library::named(library)?), long(wished)?, false));
        }
        ["every", gap, who, "asks", "until", last] => {
            let (gap, who, last) = (long(gap)?, name(who)?, long(last)?);
            let times = (1..).map(|n| n * gap).take_while(|at| *at <= last);
            setup.acts.extend(times.map(|at| (at, Act::Asks(who))));
        }
        ["at", at, who, "asks"] => setup.acts.push((long(at)?, Act::Asks(name(who)?))),
        ["at", at, who, "is", "silent", length] => setup.acts.push((long(at)?, Act::Silent(name(who)?, long(length)?))),
        ["at", at, "the", "server", "pauses", length, first, "first"] => {
            let expiry_first = match first {
                "expiry" => true,
                "sockets" => false,
                _ => return Err("either `expiry first` or `sockets first`".into()),
            };
            setup.acts.push((long(at)?, Act::ServerPauses(long(length)?, expiry_first)));
        }
        ["at", at, who, "pauses", length] => setup.acts.push((long(at)?, Act::Pauses(name(who)?, long(length)?))),
        ["at", at, "the", "server" | "leader" | "quorum", "is", "gone", length] => {
            setup.acts.push((long(at)?, Act::Down(long(length)?)));
        }
        _ => return Err("is no line of a case".into()),
    }
    Ok(())
}

fn expected(words: &[&str]) -> Result<Expected, String> {
    match *words {
        [who, "is", "granted", timeout] => Ok(Expected::Granted(name(who)?, duration::parse(timeout)?)),
        [who, "goes", "on"] => Ok(Expected::Nothing(name(who)?)),
        [who, seen, "in", ref span @ ..] => {
            let seen = match seen {
                "expires" => Seen::Expired,
                "Disconnected" => Seen::Disconnected,
                "SyncConnected" => Seen::SyncConnected,
                "Expired" => Seen::ToldExpired,
                _ => return Err(format!("{seen:?} is nothing that is seen of a client")),
            };
            Ok(Expected::Seen(name(who)?, seen, self::span(&span.join(" "))?))
        }
        _ => Err("is no expectation".into()),
    }
}

/// `(2s, 2.5s]`: a round bracket leaves its end out.
fn span(text: &str) -> Result<Span, String> {
    let bad = || format!("{text:?} is no span such as (2s, 2.5s]");
    let inside = text.strip_prefix(['(', '[']).and_then(|rest| rest.strip_suffix([')', ']'])).ok_or_else(bad)?;
    let (first, last) = inside.split_once(',').ok_or_else(bad)?;
    let (first, last) = (duration::parse(first)?, duration::parse(last)?);
    Ok(Span {
        text: text.into(),
        first: first + u64::from(text.starts_with('(')),
        last: last - u64::from(text.ends_with(')')),
    })
}
