//! The report's stories on pages of their own, so that none is too long to be shown.

/// Where the stories begin in the rendered report.
const STORIES: &str = "\n## Stories\n";
/// The place that a link to a story leads to.
const PLACE: &str = "<a id=\"story-of-";

/// The report without its stories, and pages of stories by file name. Links follow them; `folder` is the one of the pages, as
/// links from the report name it.
pub(super) fn split(report: &str, folder: &str) -> (String, Vec<(String, String)>) {
    let Some(at) = report.find(STORIES) else { return (report.to_owned(), Vec::new()) };
    let (before, stories) = (&report[..at], &report[at + 1..]);
    let first = stories.find(PLACE).unwrap_or(stories.len());
    let about = stories[..first].trim().replacen("## ", "# ", 1);
    let mut pages: Vec<(String, String)> = Vec::new();
    for story in stories[first..].split(PLACE).filter(|story| !story.is_empty()) {
        let page = page_of(story);
        let place = pages.iter().position(|(name, _)| *name == page).unwrap_or_else(|| {
            pages.push((page.to_owned(), format!("{about}\n\n")));
            pages.len() - 1
        });
        pages[place].1 += &format!("{PLACE}{story}");
    }
    let mut links = String::from("## Stories\n\nThe shortest way to each violation is on pages of their own:\n\n");
    for (name, text) in &pages {
        links += &format!("- [{}]({folder}/{name}), {}\n", title(name), text.matches(PLACE).count());
    }
    let mut report = String::new();
    let mut rest = before;
    while let Some(at) = rest.find("](#story-of-") {
        let story = &rest[at + "](#story-of-".len()..];
        report += &format!("{}]({folder}/{}", &rest[..at], page_of(story));
        rest = &rest[at + 2..];
    }
    report += rest;
    (format!("{report}\n{links}"), pages)
}

/// The page of a story, by its name: reports on locks are `o01-…`, those on data `lu-01-…`.
fn page_of(story: &str) -> &'static str {
    let name: Vec<u8> = story.bytes().take(6).collect();
    match name[..] {
        [b'o', a, b, b'-', ..] if a.is_ascii_digit() && b.is_ascii_digit() => "stories-lock-reports.md",
        [a, b, b'-', c, d, b'-', ..]
            if a.is_ascii_lowercase() && b.is_ascii_lowercase() && c.is_ascii_digit() && d.is_ascii_digit() =>
        {
            "stories-data-reports.md"
        }
        _ => "stories.md",
    }
}

fn title(page: &str) -> &'static str {
    match page {
        "stories-lock-reports.md" => "public reports on locks",
        "stories-data-reports.md" => "public reports on data",
        _ => "spoilt recipes and other programs that break",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_follow_the_stories() {
        let report = "# Report\n\n[x](#story-of-o01-a) [y](#story-of-lu-01-b) [z](#story-of-seed) [p](#proof)\n\n## Stories\n\nAbout.\n\n\
                      <a id=\"story-of-o01-a\"></a>\n\nA\n\n<a id=\"story-of-lu-01-b\"></a>\n\nB\n\n<a id=\"story-of-seed\"></a>\n\nC\n";
        let (page, pages) = split(report, "report");
        assert!(page.contains("[x](report/stories-lock-reports.md#story-of-o01-a)"), "{page}");
        assert!(page.contains("[y](report/stories-data-reports.md#story-of-lu-01-b)"), "{page}");
        assert!(page.contains("[z](report/stories.md#story-of-seed) [p](#proof)"), "{page}");
        assert_eq!(pages.len(), 3);
        for (name, text) in &pages {
            assert!(text.starts_with("# Stories\n\nAbout.\n"), "{name}: {text}");
            assert_eq!(text.matches("<a id=").count(), 1);
        }
    }

    #[test]
    fn a_report_without_stories_stays() {
        assert_eq!(split("# Report\n", "report"), ("# Report\n".to_owned(), Vec::new()));
    }
}
