//! Reading case files. The language is described in `README.md` of this folder.

use std::path::Path;

use overtake_recipes::store::documents::{Op, Request, Returning, Sort};
use overtake_recipes::store::{Isolation, Value};

use super::json;

/// One case.
#[derive(Debug)]
pub struct Case {
    /// `file:line`, for messages.
    pub place: String,
    /// `D5`, or `D5b` where one number takes several cases.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The lines to execute.
    pub lines: Vec<String>,
    /// What must be observed.
    pub expected: Vec<String>,
}

impl Case {
    /// The number in the conformance list; `None` for a rule that has none there.
    pub fn number(&self) -> Option<u32> {
        let digits: String = self.id.strip_prefix('D')?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }
}

/// Reads all `*.txt` files of the folder, in the order of their names.
pub fn read_folder(folder: &Path) -> Vec<Case> {
    let entries = std::fs::read_dir(folder).expect("the folder of the cases");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "txt"));
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        parse(&name, &std::fs::read_to_string(file).expect("a case file"))
    };
    files.iter().flat_map(read).collect()
}

fn parse(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut expecting = false;
    for (number, line) in text.lines().enumerate() {
        let (place, line) = (format!("{file}:{}", number + 1), line.trim().to_owned());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix("case ") {
            let (id, title) = header.split_once(' ').unwrap_or((header, ""));
            let (id, title) = (id.to_owned(), title.to_owned());
            cases.push(Case { place, id, title, lines: Vec::new(), expected: Vec::new() });
            expecting = false;
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{place}: a line in front of the first case"));
        match line.as_str() {
            "----" => expecting = true,
            _ if expecting => case.expected.push(line),
            _ => case.lines.push(line),
        }
    }
    cases
}

/// Reads a request: `update c {a: 1} {$set: {b: 2}} upsert`, with `t1`, `#7` or `replica` in front.
pub fn request(text: &str) -> Result<Request, String> {
    let (mut transaction, mut operation, mut secondary) = (None, None, false);
    let mut rest = text.trim();
    let verb = loop {
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind.trim_start();
        if word == "replica" {
            secondary = true;
        } else if let Some(number) = word.strip_prefix('t').and_then(|number| number.parse().ok()) {
            transaction = Some(number);
        } else if let Some(number) = word.strip_prefix('#').and_then(|number| number.parse().ok()) {
            operation = Some(number);
        } else {
            break word;
        }
    };
    let (collection, op) = operation_of(verb, rest)?;
    Ok(Request { collection, op, transaction, operation, secondary })
}

fn operation_of(verb: &str, rest: &str) -> Result<(&'static str, Op), String> {
    let isolation = |word| match word {
        "read-committed" => Ok(Isolation::ReadCommitted),
        "snapshot" => Ok(Isolation::Snapshot),
        "serialisable" => Ok(Isolation::Serialisable),
        other => Err(format!("`{other}` is no isolation")),
    };
    match verb {
        "begin" => return Ok(("c", Op::Begin(isolation(rest)?))),
        "commit" => return Ok(("c", Op::Commit)),
        "abort" => return Ok(("c", Op::Abort)),
        _ => {}
    }
    let (name, mut rest) = rest.split_once(' ').ok_or("a collection and more")?;
    let collection = match name {
        "c" => "c",
        "d" => "d",
        "baskets" => "baskets",
        "payments" => "payments",
        "users" => "users",
        other => return Err(format!("`{other}` is no collection here")),
    };
    let mut values = Vec::new();
    while rest.starts_with('{') {
        let (value, behind) = json::value(rest)?;
        values.push(value);
        rest = behind.trim_start();
    }
    let words: Vec<_> = rest.split_whitespace().collect();
    let sorted = words.iter().find_map(|word| word.strip_prefix("by:"));
    let sort = sorted.map(|field| Sort {
        field: field.trim_start_matches('-').to_owned().into(),
        descending: field.starts_with('-'),
    });
    let upsert = words.contains(&"upsert");
    let returning = if words.contains(&"new") { Returning::After } else { Returning::Before };
    let mut values = values.into_iter();
    let mut next = || values.next().ok_or("a document is missing".to_owned());
    let op = match verb {
        "find" => Op::Find(json::filter(next()?)?, sort),
        "find-one" => Op::FindOne(json::filter(next()?)?),
        "lock" => Op::FindForUpdate(json::filter(next()?)?),
        "count" => Op::Count(json::filter(next()?)?),
        "insert" => Op::Insert(next()?),
        "replace" => Op::Replace(json::filter(next()?)?, next()?, upsert),
        "update" => Op::UpdateOne(json::filter(next()?)?, json::changes(next()?)?, upsert),
        "update-many" => Op::UpdateMany(json::filter(next()?)?, json::changes(next()?)?),
        "legacy-update" => Op::LegacyUpdate(json::filter(next()?)?, next()?, upsert),
        "find-and-modify" => {
            Op::FindAndModify(json::filter(next()?)?, sort, json::changes(next()?)?, returning, upsert)
        }
        "find-and-delete" => Op::FindAndDelete(json::filter(next()?)?, sort),
        "delete" => Op::DeleteOne(json::filter(next()?)?),
        "delete-many" => Op::DeleteMany(json::filter(next()?)?),
        other => return Err(format!("`{other}` is no operation")),
    };
    Ok((collection, op))
}

/// A document to begin with.
pub fn document(text: &str) -> Result<Value, String> {
    json::value(text).map(|(value, _)| value)
}
