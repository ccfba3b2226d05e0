//! Random things to do to a server.

use overtake_recipes::{AddWatchMode, CreateMode};
use overtake_sim::names::{Text, Who, who};
use overtake_sim::zookeeper::{Notification, Refused, Reply, Request, WatchTable, Write, ZooKeeper};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// One thing to do.
#[derive(Clone, Debug)]
pub enum Act {
    Request(Who, Request),
    Open(Who),
    BeginExpiry(Who),
    FinishExpiry(Who),
    Drop(Who),
    TakeOver(Who),
    /// With a zxid so far behind the server's, or ahead of it when negative.
    Reconnect(Who, Vec<(WatchTable, Text)>, i32),
    Sweep(Text),
}

/// What an act led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The answer to a request.
    pub reply: Option<Reply>,
    /// The answer to anything else.
    pub note: &'static str,
    pub events: Vec<Notification>,
}

/// The zxid that a reconnecting client claims to have seen.
pub fn seen(act: &Act, last_zxid: u32) -> u32 {
    match act {
        Act::Reconnect(_, _, back) => last_zxid.saturating_add_signed(-back),
        _ => 0,
    }
}

/// Does the act to the server. `None` when it makes no sense now.
pub fn run(server: &mut ZooKeeper, act: &Act, seen: u32) -> Option<Outcome> {
    let mut events = Vec::new();
    let (mut reply, mut note) = (None, "");
    let yes_or_no = |yes| if yes { "yes" } else { "no" };
    match act {
        Act::Open(session) if server.is_known(*session) => return None,
        Act::Open(session) => {
            reply = Some(server.apply(*session, &Request::OpenSession, &mut events));
        }
        Act::Request(session, request) => {
            reply = Some(server.apply(*session, request, &mut events));
        }
        Act::BeginExpiry(session) => server.begin_expiry(*session),
        Act::FinishExpiry(session) => server.apply_close(*session, &mut events),
        Act::Drop(session) => server.disconnect(*session),
        Act::TakeOver(session) => note = yes_or_no(server.take_over(*session)),
        Act::Reconnect(session, tables, _) => {
            note = match server.reconnect(*session, tables, seen, &mut events) {
                Ok(()) => "welcome",
                Err(Refused::SessionOver) => "session over",
                Err(Refused::ClientAhead) => "client ahead",
            }
        }
        Act::Sweep(path) => {
            let due = server.sweepable().contains(path);
            let swept = server.sweep_container(*path, &mut events);
            assert_eq!(due, swept, "what is sweepable can be swept, and nothing else");
            note = yes_or_no(swept);
        }
    }
    if let Some(reply) = &reply {
        assert_eq!(reply.zxid, server.last_zxid());
    }
    Some(Outcome { reply, note, events })
}

/// The sessions that take part.
pub const SESSIONS: [Who; 3] = [17, 33, 49];

const ID: &str = "00000020-0000-4000-8000-0f0e7a3e0000-lock-";
const OTHER_ID: &str = "00000010-0000-4000-8000-0f0e7a3e0000-lock-";

/// Paths that are likely to exist or to collide, and a few that are refused.
fn path() -> impl Strategy<Value = Text> {
    let common = [
        "/a",
        "/b",
        "/a/k",
        "/a/k/g",
        "/b/k",
        "/a/s-0000000000",
        "/a/s-0000000001",
        "/a/s-0000000002",
        "/b/t-0000000000",
        "/b/0000000001",
    ];
    let rare = [
        "/",
        "/a/",
        "/a//b",
        "/a/..",
        "/a/./k",
        "a",
        "/no/k",
        "/zookeeper",
        "/zookeeper/quota",
        "/a/s-2147483647",
        "/a/s--2147483648",
    ];
    prop_oneof![
        8 => select(common.to_vec()),
        1 => select(rare.to_vec()),
    ]
    .prop_map(Text::new)
}

fn prefix() -> impl Strategy<Value = Text> {
    let lock = format!("/a/{ID}");
    let other = format!("/a/{OTHER_ID}");
    let deep = format!("/a/s-0000000000/{ID}");
    let prefixes = ["/a/s-", "/a/s-", "/a/t-", "/b/t-", "/b/", "/a/k/s-", &lock, &other, &deep].map(Text::new);
    select(prefixes.to_vec())
}

fn data() -> impl Strategy<Value = Option<Text>> {
    let texts = ["", "x", "one text", ID].map(|text| Some(Text::new(text)));
    select([&texts[..], &[None]].concat())
}

fn version() -> impl Strategy<Value = Option<i32>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(-1)),
        4 => (0..3).prop_map(Some),
    ]
}

fn create() -> impl Strategy<Value = Write> {
    let plain = [CreateMode::Persistent, CreateMode::Persistent, CreateMode::Ephemeral, CreateMode::Container];
    let sequential = [CreateMode::PersistentSequential, CreateMode::EphemeralSequential];
    prop_oneof![(path(), select(plain.to_vec())), (prefix(), select(sequential.to_vec())),]
        .prop_flat_map(|(path, mode)| data().prop_map(move |data| Write::Create { path, data, mode }))
}

fn other_write() -> impl Strategy<Value = Write> {
    prop_oneof![
        4 => (path(), version()).prop_map(|(path, version)| Write::Delete { path, version }),
        4 => (path(), data(), version())
            .prop_map(|(path, data, version)| Write::SetData { path, data, version }),
        1 => (path(), version()).prop_map(|(path, version)| Write::Check { path, version }),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let write = prop_oneof![create(), other_write()];
    // With more than two creates the third wrapped number could come up, which no text can tell from a
    // name that ends in a minus.
    let multi = (vec(create(), 0..=2), vec(other_write(), 0..=2))
        .prop_map(|(creates, others)| [creates, others].concat())
        .prop_shuffle();
    let modes = [AddWatchMode::Persistent, AddWatchMode::PersistentRecursive];
    prop_oneof![
        8 => write.prop_map(Request::Write),
        2 => multi.prop_map(Request::Multi),
        2 => (path(), any::<bool>()).prop_map(|(path, watch)| Request::Exists { path, watch }),
        2 => (path(), any::<bool>()).prop_map(|(path, watch)| Request::GetData { path, watch }),
        3 => (path(), any::<bool>()).prop_map(|(path, watch)| Request::GetChildren { path, watch }),
        1 => (path(), select(modes.to_vec()))
            .prop_map(|(path, mode)| Request::AddWatch { path, mode }),
        1 => path().prop_map(|path| Request::RemoveWatches { path }),
        1 => Just(Request::Sync),
        1 => Just(Request::CloseSession),
    ]
}

fn table() -> impl Strategy<Value = WatchTable> {
    use WatchTable::{Child, Data, Exist, Persistent, Recursive};
    select(vec![Data, Exist, Child, Persistent, Recursive])
}

/// Any one thing.
pub fn act() -> impl Strategy<Value = Act> {
    let session = || select(SESSIONS.to_vec());
    let tables = vec((table(), path()), 0..5);
    prop_oneof![
        24 => (session(), request()).prop_map(|(who, request)| Act::Request(who, request)),
        2 => session().prop_map(Act::Open),
        1 => session().prop_map(Act::BeginExpiry),
        1 => session().prop_map(Act::FinishExpiry),
        1 => session().prop_map(Act::Drop),
        1 => session().prop_map(Act::TakeOver),
        3 => (session(), tables, -1..6)
            .prop_map(|(who, tables, back)| Act::Reconnect(who, tables, back)),
        1 => path().prop_map(Act::Sweep),
    ]
}

/// What most sequences start with, so that they get somewhere.
pub fn opening() -> Vec<Act> {
    let create = |path: &str, mode| {
        let path = Text::new(path);
        let data = None;
        Act::Request(SESSIONS[0], Request::Write(Write::Create { path, data, mode }))
    };
    let mut acts = SESSIONS.map(Act::Open).to_vec();
    acts.push(create("/a", CreateMode::Persistent));
    acts.push(create("/b", CreateMode::Container));
    acts
}

#[test]
fn the_ids_in_the_paths_belong_to_the_sessions_that_take_part() {
    assert_eq!(SESSIONS, [who(1, 1), who(2, 1), who(3, 1)]);
    assert_eq!(Text::new(ID).who[0], who(2, 0));
    assert_eq!(Text::new(OTHER_ID).who[0], who(1, 0));
}
