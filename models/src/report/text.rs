//! Words, numbers, links and tables in Markdown.

use crate::trace::slug;

/// `1,234,567`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 step`, `2 steps`.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// The odds that a state was taken for another.
pub(super) fn odds(odds: f64) -> String {
    match odds {
        o if o <= 0.0 => "none".into(),
        o if o > 0.1 => format!("{:.0} %", o.min(1.0) * 100.0),
        o => format!("< 10⁻{}", raised((-o.log10()).floor() as usize)),
    }
}

fn raised(number: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}

/// A text that stands in Markdown as it is.
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '<' => plain += "&lt;",
            '>' => plain += "&gt;",
            '|' | '*' | '`' | '[' | ']' | '\\' | '_' => plain.extend(['\\', c]),
            '\n' => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// A text within HTML.
pub(super) fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\n', " ")
}

/// A word as it must be typed in a shell: what would be more than a word is put into double quotes.
pub(super) fn typed(word: &str) -> String {
    let mut typed = String::from("\"");
    for c in word.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            typed.push('\\');
        }
        typed.push(c);
    }
    typed + "\""
}

/// A place to link to.
pub(super) fn anchor(name: &str) -> String {
    format!("<a id=\"{}\"></a>", slug(name))
}

/// A link to [`anchor`] of that name.
pub(super) fn down(text: &str, name: &str) -> String {
    format!("[{text}](#{})", slug(name))
}

/// Where something comes from: a link with a short name, or the text.
pub fn origin(source: &str) -> String {
    if !source.starts_with("https://") {
        return plain(source);
    }
    let path: Vec<&str> = source.trim_start_matches("https://").split('/').collect();
    let short = match path[..] {
        ["github.com", owner, name, "issues" | "pull", number] => format!("{owner}/{name}#{number}"),
        ["github.com", owner, name, "commit", commit] => {
            format!("{owner}/{name}@{}", commit.get(..7).unwrap_or(commit))
        }
        ["issues.apache.org", "jira", "browse", issue] => issue.into(),
        _ => path.join("/"),
    };
    format!("[{}]({source})", plain(&short))
}

/// A table; the columns named in `right` are flush right.
pub(super) struct Table {
    head: Vec<String>,
    right: &'static [usize],
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>, right: &'static [usize]) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), right, rows: Vec::new() }
    }

    /// Adds a row of as many cells as the head has.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.head.len(), "a row has as many cells as the head");
        self.rows.push(cells);
    }

    pub fn text(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = |column| if self.right.contains(&column) { "---:" } else { "---" };
        let rule: Vec<String> = (0..self.head.len()).map(|column| rule(column).into()).collect();
        let mut text = line(&self.head) + &line(&rule);
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(8_320_420), "8,320,420");
        assert_eq!(counted(1, "step", "steps"), "1 step");
        assert_eq!(odds(3e-9), "< 10⁻⁸");
        assert_eq!(odds(0.0), "none");
    }

    #[test]
    fn sources_have_short_names() {
        assert_eq!(
            origin("https://github.com/Netflix/curator/issues/115"),
            "[Netflix/curator#115](https://github.com/Netflix/curator/issues/115)"
        );
        assert!(origin("https://github.com/a/b/commit/0123456789").starts_with("[a/b@0123456]"));
        assert_eq!(origin("seed 1, section 2"), "seed 1, section 2");
    }

    #[test]
    fn nothing_leaves_its_cell() {
        assert_eq!(plain("a | b <c>"), "a \\| b &lt;c&gt;");
        assert_eq!(html("a < b & c"), "a &lt; b &amp; c");
        assert_eq!(typed("a \"b\""), r#""a \"b\"""#);
    }
}
