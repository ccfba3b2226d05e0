//! What kind of reason a violation has.

use std::sync::Arc;

use crate::property::{Kind, Property};

/// The kind of a reason: the sentence without its numbers, so that `client 3 holds by /lock/<3.0>-lock-2` is of one kind
/// with `client 1 holds by /lock/<1.0>-lock-0`.
pub fn reason_kind(because: &str) -> String {
    let mut kind = String::new();
    for c in because.chars() {
        if !c.is_ascii_digit() {
            kind.push(c);
        } else if !kind.ends_with('#') {
            kind.push('#');
        }
    }
    kind
}

/// The property, violated for that kind of reason only.
pub(super) fn only(property: &Property, wanted: String) -> Property {
    let mut only = property.clone();
    only.kind = match &property.kind {
        Kind::Always(check) => {
            let check = check.clone();
            Kind::Always(Arc::new(move |view| check(view).or_else(|why| unless(&wanted, why))))
        }
        Kind::AtRest(check) => {
            let check = check.clone();
            Kind::AtRest(Arc::new(move |view| check(view).or_else(|why| unless(&wanted, why))))
        }
        other => other.clone(),
    };
    only
}

fn unless(wanted: &str, why: String) -> Result<(), String> {
    if reason_kind(&why) == wanted { Err(why) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_matter_and_words_do() {
        let kind = reason_kind("client 3 holds by /lock/<3.0>-lock-12");
        assert_eq!(kind, reason_kind("client 1 holds by /lock/<1.0>-lock-0"));
        assert_ne!(kind, reason_kind("client 1 waits by /lock/<1.0>-lock-0"));
    }
}
