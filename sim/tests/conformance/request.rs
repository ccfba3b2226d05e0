//! Requests from the words of a line, and answers back to text.

use overtake_recipes::{AddWatchMode, CreateMode, EventKind};
use overtake_sim::names::Text;
use overtake_sim::zookeeper::{MultiResult, Reply, Request, Response, Stat, WatchTable, Write};

/// Reads a request, or answers `None` for an unknown verb.
pub fn parse(words: &[String]) -> Option<Request> {
    let path = |at: usize| Text::new(words.get(at).map_or("", String::as_str));
    let watch = words.last().is_some_and(|w| w == "watch");
    Some(match words[0].as_str() {
        "create" | "delete" | "set" | "check" => Request::Write(parse_write(words)),
        "multi" => Request::Multi(
            words[1..].split(|w| w == ";").filter(|member| !member.is_empty()).map(parse_write).collect(),
        ),
        "exists" => Request::Exists { path: path(1), watch },
        "get" => Request::GetData { path: path(1), watch },
        "children" => Request::GetChildren { path: path(1), watch },
        "add-watch" => Request::AddWatch {
            path: path(1),
            mode: match words[2].as_str() {
                "persistent" => AddWatchMode::Persistent,
                "recursive" => AddWatchMode::PersistentRecursive,
                other => panic!("unknown mode of a watch: {other}"),
            },
        },
        "remove-watches" => Request::RemoveWatches { path: path(1) },
        "sync" => Request::Sync,
        "close" => Request::CloseSession,
        _ => return None,
    })
}

fn parse_write(words: &[String]) -> Write {
    let path = Text::new(&words[1]);
    let data = words.iter().find_map(|w| w.strip_prefix('"')).map(Text::new);
    let version = || words[2..].iter().find(|w| !w.starts_with('"')).map(|w| w.parse().expect("a version"));
    match words[0].as_str() {
        "create" => {
            let mode = words[2..].iter().find(|w| !w.starts_with('"'));
            let mode = match mode.map_or("persistent", String::as_str) {
                "persistent" => CreateMode::Persistent,
                "seq" => CreateMode::PersistentSequential,
                "ephemeral" => CreateMode::Ephemeral,
                "eseq" => CreateMode::EphemeralSequential,
                "container" => CreateMode::Container,
                other => panic!("unknown mode of a node: {other}"),
            };
            Write::Create { path, data, mode }
        }
        "delete" => Write::Delete { path, version: version() },
        "set" => Write::SetData { path, data, version: version() },
        "check" => Write::Check { path, version: version() },
        other => panic!("unknown write: {other}"),
    }
}

/// Reads the tables of a reconnect: `data /p/a child /p`.
pub fn parse_tables(words: &[String]) -> Vec<(WatchTable, Text)> {
    words
        .chunks(2)
        .map(|pair| {
            let table = match pair[0].as_str() {
                "data" => WatchTable::Data,
                "exist" => WatchTable::Exist,
                "child" => WatchTable::Child,
                "persistent" => WatchTable::Persistent,
                "recursive" => WatchTable::Recursive,
                other => panic!("unknown watch table: {other}"),
            };
            (table, Text::new(&pair[1]))
        })
        .collect()
}

/// A name for each table, as in [`parse_tables`].
pub fn table(table: WatchTable) -> &'static str {
    match table {
        WatchTable::Data => "data",
        WatchTable::Exist => "exist",
        WatchTable::Child => "child",
        WatchTable::Persistent => "persistent",
        WatchTable::Recursive => "recursive",
    }
}

/// The name of an event.
pub fn event(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Created => "Created",
        EventKind::Deleted => "Deleted",
        EventKind::DataChanged => "DataChanged",
        EventKind::ChildrenChanged => "ChildrenChanged",
    }
}

/// `{c=5 m=6 p=5 v=1 cv=0 av=0 len=3 kids=0}`, with the owner's letter where there is one.
pub fn stat(stat: &Stat, letter: impl Fn(u16) -> char) -> String {
    let owner = stat.owner.map_or(String::new(), |who| format!(" owner={}", letter(who)));
    format!(
        "{{c={} m={} p={} v={} cv={} av={} len={} kids={}{owner}}}",
        stat.czxid, stat.mzxid, stat.pzxid, stat.version, stat.cversion, stat.aversion, stat.data_length, stat.children
    )
}

/// Data in quotes, or `null`.
pub fn data(data: Option<Text>) -> String {
    data.map_or("null".to_owned(), |text| format!("\"{text}\""))
}

/// An answer, with its header where that is asked for.
pub fn reply(reply: &Reply, header: bool, letter: impl Fn(u16) -> char + Copy) -> String {
    let text = match &reply.result {
        Ok(Response::Opened(_)) => "opened".to_owned(),
        Ok(response) => self::response(response, letter),
        Err(failure) if failure.members.is_empty() => failure.error.to_string(),
        Err(failure) => {
            let codes = failure.members.iter().map(|code| code.map_or("OK".to_owned(), |code| code.to_string()));
            format!("{} {}", failure.error, list(codes))
        }
    };
    if header { format!("{text} @{}", reply.zxid) } else { text }
}

/// A successful answer.
pub fn response(response: &Response, letter: impl Fn(u16) -> char + Copy) -> String {
    match response {
        Response::Created(path) => format!("created {path}"),
        Response::Done => "done".to_owned(),
        Response::Set(s) => format!("set {}", stat(s, letter)),
        Response::Data(d, s) => format!("{} {}", data(*d), stat(s, letter)),
        Response::Exists(None) => "missing".to_owned(),
        Response::Exists(Some(s)) => format!("there {}", stat(s, letter)),
        Response::Children(names) => format!("children {}", list(names.iter())),
        Response::Multi(results) => list(results.iter().map(|result| match result {
            MultiResult::Created(path) => format!("created {path}"),
            MultiResult::Set(s) => format!("set {}", stat(s, letter)),
            MultiResult::Done => "done".to_owned(),
        })),
        Response::Opened(_) => "opened".to_owned(),
    }
}

/// `[a, b]`
pub fn list(items: impl Iterator<Item = impl ToString>) -> String {
    let items: Vec<_> = items.map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}
