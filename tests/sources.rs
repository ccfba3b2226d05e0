//! Every source that the workspace cites by a short name is explained in `docs/sources.md`, or is a case or a report on file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Names of a topic in a seed, at the beginning of a citation, each with the heading that explains it. A citation may go on behind the
/// topic's name.
const TOPICS: [(&str, &str); 4] = [
    ("seed 3: ", "Seed 3"),
    ("seed 3, ", "Seed 3"),
    ("the slides on race conditions: ", "Seed 3"),
    ("the posts: ", "Seed 2"),
];

/// The files of the workspace that may cite: not what is built or written by runs, not the explanations, not this file.
fn texts() -> Vec<(String, String)> {
    let mut open = vec![PathBuf::from(ROOT)];
    let mut texts = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the workspace").flatten() {
            let path = entry.path();
            let below = path.strip_prefix(ROOT).expect("inside").to_string_lossy().replace('\\', "/");
            let name = entry.file_name().to_string_lossy().into_owned();
            let left_out = ["target", "report", "findings", "hunts", "REPORT.md"].contains(&name.as_str())
                || name.starts_with('.')
                || ["docs/sources.md", "tests/sources.rs"].contains(&below.as_str());
            let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
            if left_out {
            } else if path.is_dir() {
                open.push(path);
            } else if ["rs", "md", "txt", "trace", "toml"].contains(&kind) {
                texts.push((below, std::fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    texts.sort();
    texts
}

/// What stands behind each place where `marker` begins a word, with what stands before it.
fn after<'a>(text: &'a str, marker: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(marker)
        .map(|(at, _)| (&text[..at], &text[at + marker.len()..]))
        .filter(|(before, _)| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The number of a section at the beginning of the text, and what follows.
fn section(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (!number.is_empty()).then(|| (number, &text[number.len()..]))
}

/// The numbers of a list like `1 to 5, 8 and 12` at the beginning of the text.
fn list(mut text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut from: Option<u32> = None;
    loop {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let Ok(number) = text[..end].parse() else { return numbers };
        numbers.extend(from.take().map_or(number, |from| from + 1)..=number);
        text = &text[end..];
        let separator = [", ", " and ", " to "].into_iter().find(|separator| text.starts_with(separator));
        let Some(separator) = separator else { return numbers };
        from = (separator == " to ").then_some(number);
        text = &text[separator.len()..];
    }
}

/// Whether the word is one of the letters, followed by at most three digits.
fn is_numbered(word: &str, letters: &str) -> bool {
    let mut chars = word.chars();
    let digits = chars.as_str().get(1..).unwrap_or_default();
    chars.next().is_some_and(|first| letters.contains(first))
        && (1..=3).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether the words are the number of a report on data: `SR` and `06`.
fn is_report(class: &str, number: &str) -> bool {
    class.len() == 2
        && number.len() == 2
        && class.bytes().all(|letter| letter.is_ascii_uppercase())
        && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// The citations in a line of a file.
fn cited(file: &str, line: &str) -> Vec<String> {
    let mut cited = Vec::new();
    for (before, behind) in line.match_indices('§').map(|(at, _)| (&line[..at], &line[at + '§'.len_utf8()..])) {
        let work = before.trim_end_matches([',', ' ']);
        let of_a_paper =
            work.len() < before.len() && work.ends_with(|c: char| c.is_ascii_digit()) && !before.contains('§');
        if of_a_paper {
            continue;
        }
        if let Some((first, rest)) = section(behind) {
            cited.push(format!("§{first}"));
            let last = rest.strip_prefix(['-', '–']).and_then(section);
            cited.extend(last.map(|(last, _)| format!("§{last}")));
        }
    }
    for number in ["semantics ", "semantics` "]
        .iter()
        .flat_map(|name| after(line, name))
        .filter_map(|(_, behind)| section(behind))
    {
        cited.push(format!("semantics {} (without a §)", number.0));
    }
    for (_, behind) in after(line, "seed 1, section ") {
        cited.extend(section(behind).map(|(number, _)| format!("seed 1, section {number}")));
    }
    for (before, behind) in after(line, "slip ").chain(after(line, "slips ")) {
        let of_the_note =
            before.contains("seed 1") || ["recipes/", "models/", "threads/"].iter().any(|f| file.starts_with(f));
        let seed = if of_the_note { "the note" } else { "the posts" };
        cited.extend(list(behind).iter().map(|number| format!("slip {number} of {seed}")));
    }
    for (topic, heading) in TOPICS {
        let end = |text: &str| text.find([';', '"', '\\', ')']).unwrap_or(text.len());
        let begins =
            |before: &str| ["\"", "(", ": ", "; "].iter().any(|begin| before.ends_with(begin)) || before.is_empty();
        let named = after(line, topic).filter(|(before, _)| begins(before));
        cited.extend(named.map(|(_, behind)| format!("{heading}: {}", &behind[..end(behind)])));
    }
    for marker in ["pattern ", "PATTERN: &str = \""] {
        for (_, behind) in after(line, marker) {
            let end = behind.find(|c: char| !c.is_alphanumeric()).unwrap_or(behind.len());
            cited.extend(is_numbered(&behind[..end], "P").then(|| behind[..end].to_owned()));
        }
    }
    // Numbers of cases and reports stand in texts, not in code.
    if !file.ends_with(".rs") || line.contains('"') || line.contains("//") {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && !"-_+".contains(c)).collect();
        for word in words.iter().flat_map(|word| word.split('-')) {
            let numbered = is_numbered(word, "ZMD") || (word.len() == 3 && is_numbered(word, "O"));
            cited.extend(numbered.then(|| word.to_owned()));
        }
        for pair in words.iter().filter_map(|word| word.split_once('-')) {
            cited.extend(is_report(pair.0, pair.1).then(|| format!("{}-{}", pair.0, pair.1)));
        }
    }
    cited
}

/// What the text explains: its headings and the names in bold, under the heading where they stand.
fn explained(document: &str) -> Vec<String> {
    let mut heading = "";
    let mut all = Vec::new();
    for line in document.lines() {
        if let Some(new) = line.strip_prefix("## ") {
            heading = new.split(':').next().unwrap_or(new);
        }
        let bold = line.split("**").skip(1).step_by(2);
        for name in
            bold.flat_map(|names| if heading.starts_with("Seed") { vec![names] } else { names.split(", ").collect() })
        {
            all.push(match (heading, name.split(' ').next()) {
                ("Seed 1", Some("section")) => format!("seed 1, {name}"),
                ("Seed 1", Some("slip")) => format!("{name} of the note"),
                ("Seed 2", Some("slip")) => format!("{name} of the posts"),
                ("Seed 2" | "Seed 3", _) => format!("{heading}: {name}"),
                _ => name.to_owned(),
            });
        }
    }
    all
}

/// Cases and reports that are on file under their number.
fn on_file(texts: &[(String, String)]) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for (file, text) in texts {
        let cases = text.lines().filter_map(|line| line.strip_prefix("case "));
        let id = |case: &str| {
            case.chars().enumerate().take_while(|(at, c)| *at == 0 || c.is_ascii_digit()).map(|(_, c)| c).collect()
        };
        if file.starts_with("sim/tests/") {
            known.extend(cases.map(id));
        }
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        let mut parts = name.split('_');
        match (parts.next(), parts.next()) {
            (Some(number), Some(_)) if is_numbered(number, "O") => known.extend([number.to_owned()]),
            (Some(class), Some(number)) if is_report(class, number) => known.extend([format!("{class}-{number}")]),
            _ => {}
        }
    }
    known
}

fn document() -> String {
    std::fs::read_to_string(Path::new(ROOT).join("docs/sources.md")).expect("docs/sources.md")
}

fn is_known(known: &BTreeSet<String>, citation: &str) -> bool {
    let topic = |name: &&String| name.contains(": ") && citation.starts_with(name.as_str());
    known.contains(citation) || known.iter().any(|name| topic(&name))
}

#[test]
fn every_cited_source_is_explained() {
    let texts = texts();
    let mut known = on_file(&texts);
    known.extend(explained(&document()));
    let mut met = BTreeSet::new();
    let mut unknown = Vec::new();
    for (file, text) in &texts {
        for (number, line) in text.lines().enumerate() {
            for citation in cited(file, line) {
                if !is_known(&known, &citation) {
                    unknown.push(format!("{file}:{}: {citation}", number + 1));
                }
                met.insert(citation);
            }
        }
    }
    assert!(unknown.is_empty(), "not in docs/sources.md:\n{}", unknown.join("\n"));
    for citation in
        ["§6.6", "slip 13 of the note", "slip 13 of the posts", "seed 1, section 1.2.2", "P8", "Z138", "O12", "SR-06"]
    {
        assert!(met.contains(citation), "{citation} is cited nowhere: is it still looked for?");
    }
}

#[test]
fn nothing_is_explained_twice() {
    let mut seen = BTreeSet::new();
    let twice: Vec<String> = explained(&document()).into_iter().filter(|name| !seen.insert(name.clone())).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn citations_are_found_in_all_their_forms() {
    let all = |file, line| cited(file, line).join(" | ");
    assert_eq!(all("recipes/a.rs", "/// Slips in capitals are left alone (§1.2-1.6, Z99)."), "§1.2 | §1.6 | Z99");
    assert_eq!(
        all("recipes/a.rs", "/// slips 1 to 3, 8"),
        ["1", "2", "3", "8"].map(|n| format!("slip {n} of the note")).join(" | ")
    );
    assert_eq!(all("tests/a.trace", "source: semantics §6.6, slip 4 (M54)"), "§6.6 | slip 4 of the posts | M54");
    assert_eq!(
        all("tests/a.trace", "source: seed 1, section 1.2.2; slip 4"),
        "seed 1, section 1.2.2 | slip 4 of the note"
    );
    assert_eq!(all("a.md", "semantics 4.3; semantics` 9"), "semantics 4.3 (without a §) | semantics 9 (without a §)");
    assert_eq!(
        all("a.md", "Nishtala et al. 2013, §3.2.1; pattern P28; seed 3: a slide; O99, SR-99, U+D800"),
        "Seed 3: a slide | P28 | O99 | SR-99"
    );
    assert_eq!(all("a.rs", "let Z1 = M2 - D3;"), "");
}

#[test]
fn what_is_not_explained_is_not_known() {
    let known: BTreeSet<String> = explained(&document()).into_iter().collect();
    for citation in [
        "§1.9",
        "§10",
        "slip 33 of the note",
        "slip 14 of the posts",
        "seed 1, section 4",
        "P28",
        "Seed 3: a slide",
        "M999",
    ] {
        assert!(!is_known(&known, citation), "{citation}");
    }
    for citation in
        ["§1.8", "slip 32 of the note", "Seed 3: optimistic locking", "Seed 3: optimistic locking, the picture", "Z162"]
    {
        assert!(is_known(&known, citation), "{citation}");
    }
}
