//! The two orders of texts: one for storage, one for eyes.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use rustc_hash::FxHasher;

use crate::names::{HOLES, Name, Names, Text};

/// The path `/`.
pub(super) fn root() -> Text {
    static ROOT: OnceLock<Text> = OnceLock::new();
    *ROOT.get_or_init(|| Text::new("/"))
}

/// The text without its names: equal for texts of one template.
fn bare(mut text: Text) -> Text {
    text.seq = [0; HOLES];
    text.who = [0; HOLES];
    text
}

fn fingerprint(bare: Text) -> u64 {
    let mut hasher = FxHasher::default();
    bare.hash(&mut hasher);
    hasher.finish()
}

/// The order in which nodes and watches are kept: cheap, total, the same for equal contents, and kept by
/// a monotone renumbering; it may differ from one process to the next, so it must not be shown.
pub(super) fn stored(a: Text, b: Text) -> Ordering {
    let (bare_a, bare_b) = (bare(a), bare(b));
    if bare_a == bare_b {
        return a.seq.cmp(&b.seq).then(a.who.cmp(&b.who));
    }
    fingerprint(bare_a).cmp(&fingerprint(bare_b)).then_with(|| a.shape().cmp(&b.shape()))
}

/// The order in which siblings are shown: by sequence number, those without one in front, then by text.
/// The same in every process, and kept by a monotone renumbering; so an unused place must not be taken
/// for the number 0.
pub(super) fn listed(a: Text, b: Text) -> Ordering {
    if bare(a) == bare(b) {
        return a.seq.cmp(&b.seq).then(a.who.cmp(&b.who));
    }
    a.seq[..numbers(a)].cmp(&b.seq[..numbers(b)]).then_with(|| a.shape().cmp(&b.shape())).then(a.who.cmp(&b.who))
}

/// How many sequence numbers the text holds.
fn numbers(mut text: Text) -> usize {
    let mut numbers = 0;
    text.names(&mut |name| numbers += usize::from(matches!(name, Name::Seq(_))));
    numbers
}

/// Deals out a sorted list so that no recipe gets away with taking the first entry for the lowest:
/// the odd places, then the even ones (§1.8).
pub(super) fn deal(sorted: &[Text]) -> Vec<Text> {
    let odd = sorted.iter().skip(1).step_by(2);
    let even = sorted.iter().step_by(2);
    odd.chain(even).map(|path| path.leaf()).collect()
}

/// Whether `path` lies strictly below `ancestor`.
pub(super) fn is_below(path: Text, ancestor: Text) -> bool {
    std::iter::successors(path.parent(), |p| p.parent()).any(|p| p == ancestor)
}

/// Whether a server takes the path at all (§1.5). Slow: to be asked only about paths of no node.
pub(super) fn is_valid(path: Text) -> bool {
    let text = path.to_string();
    let Some(components) = text.strip_prefix('/') else {
        return false;
    };
    components.is_empty() || components.split('/').all(is_valid_component)
}

/// Whether the text can be a component of a path (§1.5).
pub(super) fn is_valid_component(text: &str) -> bool {
    // The surrogates of the rule cannot occur in a `char`; what is left of U+D800..U+F8FF is the private
    // use area.
    let forbidden = |c: char| matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{ffff}');
    let plain = text.bytes().all(|b| matches!(b, b' '..=b'~'));
    !matches!(text, "" | "." | "..") && (plain || !text.chars().any(forbidden))
}

/// Whether the path holds a NUL, which is refused before anything is looked up.
pub(super) fn has_nul(path: Text) -> bool {
    path.to_string().contains('\0')
}

/// Whether the path is one of the server's own nodes below `/` (§1.5, Z27).
pub(super) fn is_reserved(path: Text) -> bool {
    static RESERVED: OnceLock<[Text; 3]> = OnceLock::new();
    RESERVED.get_or_init(|| ["/zookeeper", "/zookeeper/quota", "/zookeeper/config"].map(Text::new)).contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_no_path_may_hold() {
        for c in ['\0', '\u{1f}', '\u{7f}', '\u{9f}', '\u{e000}', '\u{f8ff}', '\u{fff0}', '\u{ffff}'] {
            assert!(!is_valid_component(&format!("a{c}b")), "{c:?}");
        }
        for c in [' ', '\u{7e}', '\u{a0}', '\u{d7ff}', '\u{f900}', '\u{ffef}', '\u{10000}'] {
            assert!(is_valid_component(&format!("a{c}b")), "{c:?}");
        }
        assert!(is_valid_component("...") && is_valid_component(".a"));
    }

    #[test]
    fn both_orders_are_total_and_kept_by_renumbering() {
        let texts = [
            "/",
            "/q",
            "/q/x",
            "/q/n-0000000000",
            "/q/n-0000000004",
            "/q/m-0000000004",
            "/q/n-0000000000/m-0000000001",
            "/q/00000010-0000-4000-8000-0f0e7a3e0000-0000000004",
            "/q/00000011-0000-4000-8000-0f0e7a3e0000-0000000004",
        ]
        .map(Text::new);
        let renumbered = |mut text: Text| {
            text.names(&mut |name| {
                if let Name::Seq(number) = name {
                    *number = *number * 3 + 5;
                }
            });
            text
        };
        for order in [stored, listed] {
            for a in texts {
                for b in texts {
                    assert_eq!(order(a, b), order(b, a).reverse());
                    assert_eq!(order(a, b) == Ordering::Equal, a == b);
                    assert_eq!(order(a, b), order(renumbered(a), renumbered(b)));
                    for c in texts {
                        if order(a, b).is_lt() && order(b, c).is_lt() {
                            assert!(order(a, c).is_lt());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_dealt_list_never_starts_with_the_lowest() {
        let path = Text::new("/q/n-");
        let sorted: Vec<_> = (0..6).map(|number| path.with_seq(number)).collect();
        let dealt: Vec<_> = deal(&sorted).iter().map(|name| name.seq[0]).collect();
        assert_eq!(dealt, [1, 3, 5, 0, 2, 4]);
        assert_eq!(deal(&sorted[..1]), [Text::new("n-0000000000")]);
        assert_eq!(deal(&[]), []);
    }
}
