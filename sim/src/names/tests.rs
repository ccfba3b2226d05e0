//! Texts and their names.

use super::*;

#[test]
fn texts_come_back_as_they_went_in() {
    for text in [
        "/",
        "/lock",
        "/lock/n-0000000003",
        "/lock/10000000000",
        "/q/item-0000000001/lock-0000000002",
        "n--2147483648",
        "n-2147483647",
        "",
        "plain",
        "x-10000000000000a-0000000007",
        "00000012-0000-4000-8000-0f0e7a3e0000-lock-0000000001",
        "/lock/0010ffff-0000-4000-8000-0f0e7a3e0000-lock-0000000001",
        "/n--000000001",
    ] {
        assert_eq!(Text::new(text).to_string(), text);
    }
    let session = format!("{:x}", session_number(who(2, 1)));
    assert_eq!(session.len(), 15);
    assert_eq!(Text::new(&session).who[0], who(2, 1));
}

#[test]
fn ids_beyond_sixteen_bits_take_two_places() {
    assert_eq!(many_ids(3, 15), who(3, 15).into());
    let id = many_ids(3, 70_000);
    let path = Text::new(&format!("/lock/{}-lock-0000000007", unique_id(id)));
    assert_eq!(path.who.map(u32::from), [id >> 16, id & 0xFFFF]);
    assert_eq!(path.leaf().to_string(), format!("{}-lock-0000000007", unique_id(id)));
    assert_eq!(path.short(), "/lock/<4.70000>-lock-7");
    assert_eq!(path.leaf().with_seq(3).last_seq(), Some(3));
    let other = Text::new(&format!("/lock/{}-lock-0000000007", unique_id(many_ids(3, 70_001))));
    assert_ne!(path, other);
    assert_eq!(path.shape(), other.shape());
    let mut visited = 0;
    path.clone().names(&mut |_| visited += 1);
    assert_eq!(visited, 1, "the sequence number alone");
}

#[test]
fn parents_and_leaves_keep_their_names() {
    let path = Text::new("/q/item-0000000001/lock-0000000002");
    assert_eq!(path.parent(), Some(Text::new("/q/item-0000000001")));
    assert_eq!(path.leaf(), Text::new("lock-0000000002"));
    assert_eq!(path.parent().unwrap().parent(), Some(Text::new("/q")));
    assert_eq!(Text::new("/q").parent(), Some(Text::new("/")));
    assert_eq!(Text::new("/").parent(), None);
    assert_eq!(Text::new("/lock/n-").with_seq(7), Text::new("/lock/n-0000000007"));
    assert_eq!(Text::new("/lock/1").with_seq(0).to_string(), "/lock/10000000000");
}
