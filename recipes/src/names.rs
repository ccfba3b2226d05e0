//! Names of nodes: the number that the server appended, and the order it gives.

/// The number behind a sequential node: the last ten digits. What stands before it does not count.
///
/// The counter has 32 bits and is printed with `%010d`, so a counter that wrapped gives
/// `lock--2147483648` (eleven characters) up to `lock--000000001`. Such numbers are negative and sort
/// **before** all others, as in every client that looks at the number at all.
pub fn suffix(name: &str) -> Option<i64> {
    let at = name.len().checked_sub(10)?;
    let (before, number) = (name.get(..at)?, name.get(at..)?);
    let digits = number.strip_prefix('-').unwrap_or(number);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = number.parse().ok()?;
    // A hyphen alone may belong to the name; only a number too large to be positive claims it.
    let too_large = number > i64::from(i32::MAX) && before.ends_with('-');
    let wrapped = before.ends_with("--") || too_large;
    Some(if wrapped { -number } else { number })
}

/// The contenders among a node's children, lowest number first. Names without a number are not
/// contenders.
pub fn contenders(mut children: Vec<String>) -> Vec<String> {
    children.retain(|name| suffix(name).is_some());
    children.sort_by_cached_key(|name| suffix(name));
    children
}

/// The path of a child.
pub fn join(parent: &str, name: &str) -> String {
    format!("{}/{name}", parent.trim_end_matches('/'))
}

/// The last component of a path.
pub fn leaf(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_is_the_last_ten_digits() {
        assert_eq!(suffix("lock-0000000003"), Some(3));
        assert_eq!(suffix("0000000003"), Some(3));
        assert_eq!(suffix("lock-2147483647"), Some(2_147_483_647));
        assert_eq!(suffix("x-10000000000000a-0000000007"), Some(7));
        // The seed's order 1: no separator before the digits.
        assert_eq!(suffix("10000000012"), Some(12));
        assert_eq!(suffix("10000000000"), suffix("20000000000"));
    }

    #[test]
    fn a_wrapped_counter_is_negative() {
        assert_eq!(suffix("lock--2147483648"), Some(-2_147_483_648));
        assert_eq!(suffix("lock--2147483647"), Some(-2_147_483_647));
        assert_eq!(suffix("lock--000000001"), Some(-1));
        assert_eq!(suffix("lock-2147483648"), Some(-2_147_483_648));
    }

    #[test]
    fn other_names_have_no_suffix() {
        for name in ["", "lock", "lock-12", "lock-000000000x", "ready", "é23456789"] {
            assert_eq!(suffix(name), None, "{name}");
        }
    }

    #[test]
    fn contenders_come_by_number_not_by_name() {
        let children = ["a-lock-0000000010", "ready", "b-lock-0000000009", "c-lock--2147483648"];
        let children = children.map(str::to_owned).to_vec();
        assert_eq!(contenders(children), ["c-lock--2147483648", "b-lock-0000000009", "a-lock-0000000010"]);
    }

    #[test]
    fn paths_join_and_split() {
        assert_eq!(join("/lock", "n-1"), "/lock/n-1");
        assert_eq!(join("/", "lock"), "/lock");
        assert_eq!(leaf("/lock/n-1"), "n-1");
        assert_eq!(leaf("n-1"), "n-1");
    }
}
