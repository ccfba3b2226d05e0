//! Who waits for what: the story of a deadlock.

use super::hub::Hub;
use super::request::{Service, Table};
use super::words::short;
use crate::sync::Threads;

impl<S: Threads, V: Service> Hub<S, V> {
    /// Who waits for what, in a sentence; a circle is told as one.
    pub fn who_waits(&self) -> String {
        let mut shared = S::lock_to(&self.shared, || "looks who waits for what".into());
        let mut waits = Vec::new();
        for member in &mut shared.members {
            let waiting = member.watches.iter().filter(|watch| !watch.path.is_empty());
            waits.extend(waiting.filter_map(|watch| {
                let (thread, path) = (watch.waits.clone()?, watch.path.clone());
                Some(Wait { thread, path, below: watch.table == Table::Child })
            }));
        }
        story(&waits, &shared.makers)
    }
}

/// What a thread waits for.
struct Wait {
    thread: String,
    path: String,
    /// For a change of its children.
    below: bool,
}

impl Wait {
    /// The first node that it waits for, or among whose like it waits, and who made it.
    fn made<'a>(&self, makers: &'a [(String, String)]) -> Option<&'a (String, String)> {
        let parent = |path: &str| path.rsplit_once('/').is_some_and(|(parent, _)| parent == self.path);
        makers.iter().find(|(made, _)| if self.below { parent(made) } else { *made == self.path })
    }

    fn what(&self) -> String {
        format!("{}{}", if self.below { "a change below " } else { "" }, short(&self.path))
    }
}

/// From who waits for what, and who made which node.
fn story(waits: &[Wait], makers: &[(String, String)]) -> String {
    for first in waits {
        let (mut circle, mut at) = (Vec::new(), first);
        while let Some((made, next)) = at.made(makers) {
            let which =
                if at.below { format!("where {next} made {}", short(made)) } else { format!("which {next} made") };
            circle.push(format!("{} waits for {}, {which}", at.thread, at.what()));
            if *next == first.thread {
                let kind = if circle.len() == 1 { "waits for itself" } else { "is in a circle" };
                return format!("{} {kind}: {}", first.thread, circle.join("; "));
            }
            let Some(next) = waits.iter().find(|wait| wait.thread == *next) else { break };
            if circle.len() > waits.len() {
                break;
            }
            at = next;
        }
    }
    let all: Vec<String> = waits.iter().map(|wait| format!("{} waits for {}", wait.thread, wait.what())).collect();
    if all.is_empty() { "nobody waits for a node".into() } else { all.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
    }

    fn waits(pairs: &[(&str, &str)]) -> Vec<Wait> {
        pairs.iter().map(|(a, b)| Wait { thread: (*a).into(), path: (*b).into(), below: false }).collect()
    }

    #[test]
    fn circles_are_told() {
        let made = pairs(&[("/l/0", "A"), ("/l/1", "B"), ("/m/0", "B"), ("/m/1", "A")]);
        assert_eq!(story(&waits(&[("A", "/l/0")]), &made), "A waits for itself: A waits for /l/0, which A made");
        let two = story(&waits(&[("B", "/l/0"), ("A", "/m/0")]), &made);
        assert_eq!(two, "B is in a circle: B waits for /l/0, which A made; A waits for /m/0, which B made");
        assert_eq!(story(&waits(&[("B", "/l/0")]), &made), "B waits for /l/0");
        assert_eq!(story(&waits(&[("C", "/l/1"), ("B", "/l/0")]), &made), "C waits for /l/1; B waits for /l/0");
        let below = Wait { thread: "B".into(), path: "/l".into(), below: true };
        assert_eq!(story(&[below], &made), "B waits for a change below /l");
        let below = Wait { thread: "A".into(), path: "/l".into(), below: true };
        let own = "A waits for itself: A waits for a change below /l, where A made /l/0";
        assert_eq!(story(&[below], &made), own);
    }
}
