//! Reading case files. The language is described in `README.md` of this folder.

use std::path::Path;

/// One line to execute.
#[derive(Debug)]
pub struct Step {
    /// Where it stands.
    pub line: usize,
    /// Whether its observations are left out and it must succeed.
    pub setup: bool,
    /// Its words; a quoted text is one word and keeps its opening quote.
    pub words: Vec<String>,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    /// `file:line`, for messages.
    pub place: String,
    /// `Z5`, or `Z5a` where one number takes several cases.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The lines to execute.
    pub steps: Vec<Step>,
    /// What must be observed.
    pub expected: Vec<String>,
}

impl Case {
    /// The number in the conformance list.
    pub fn number(&self) -> u32 {
        let digits: String = self.id.chars().skip(1).take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("{}: `{}` is no case number", self.place, self.id))
    }
}

/// Reads all `*.txt` files of the folder, in the order of their names.
pub fn read_folder(folder: &Path) -> Vec<Case> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let name = file.file_name().expect("a name").to_string_lossy();
            parse(&name, &std::fs::read_to_string(file).expect("a case file"))
        })
        .collect()
}

fn parse(file: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut expecting = false;
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix("case ") {
            let (id, title) = header.split_once(' ').unwrap_or((header, ""));
            cases.push(Case {
                place: format!("{file}:{number}"),
                id: id.to_owned(),
                title: title.to_owned(),
                steps: Vec::new(),
                expected: Vec::new(),
            });
            expecting = false;
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{file}:{number}: a line in front of the first case"));
        if line == "----" {
            assert!(!expecting, "{file}:{number}: a second ---- in one case");
            expecting = true;
        } else if expecting {
            case.expected.push(line.to_owned());
        } else {
            let (setup, line) = match line.strip_prefix("setup ") {
                Some(line) => (true, line),
                None => (false, line),
            };
            case.steps.push(Step {
                line: number,
                setup,
                words: words(line).unwrap_or_else(|e| panic!("{file}:{number}: {e}")),
            });
        }
    }
    cases
}

fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let end = if let Some(quoted) = rest.strip_prefix('"') {
            quoted.find('"').ok_or("a quote is not closed")? + 2
        } else {
            // A semicolon between the members of a multi is a word of its own.
            match rest.find([' ', ';']) {
                Some(0) => 1,
                Some(end) => end,
                None => rest.len(),
            }
        };
        let word = &rest[..end];
        words.push(word.strip_suffix('"').unwrap_or(word).to_owned());
        rest = rest[end..].trim_start();
    }
    Ok(words)
}
