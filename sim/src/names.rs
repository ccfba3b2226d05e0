//! Names: the parts of a value that matter only by equality or by order.
//!
//! Three kinds occur in a world with ZooKeeper: **sequence numbers** (the ten digits behind a
//! sequential node), **zxids**, and **owners** (a session or a unique id, both of which belong to a
//! client). Values keep them apart from their text, so that a whole world can be renumbered without
//! looking into strings, and so that two worlds that differ only in such numbers can be made one.

mod digits;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{OnceLock, RwLock};

use rustc_hash::FxHashMap;

use digits::{parse_id, parse_seq, parse_session, push_decimal, push_hex};

/// A session or unique id: `slot * 16 + index`, where the slot is the client's place in the world and
/// the index counts its sessions (from 1) or its unique ids (from 0).
pub type Who = u16;

/// How the panics start that say what a world cannot hold. They are no outcome of a program.
pub const LIMIT: &str = "limit of the checker: ";

/// How many sessions, and how many unique ids, one client may draw.
pub const PER_CLIENT: u16 = 16;

/// The [`Who`] of the `index`-th session or id of the client at `slot`.
pub fn who(slot: usize, index: usize) -> Who {
    assert!(
        index < PER_CLIENT as usize,
        "{LIMIT}client {slot} drew more than {PER_CLIENT} sessions or unique ids: put a bound on its loop"
    );
    (slot as u16) * PER_CLIENT + index as u16
}

/// The client's place in the world.
pub fn slot_of(who: Who) -> usize {
    (who / PER_CLIENT) as usize
}

/// The number that a program sees as the id of a session. The first 13 hexadecimal digits are fixed,
/// so that the id is found again inside a text.
pub fn session_number(session: Who) -> i64 {
    0x0100_0000_0000_0000 | i64::from(session)
}

/// The text of a unique id, in the form of a UUID. Ids above 16 bits are for runs that are not searched.
pub fn unique_id(id: u32) -> String {
    format!("{id:08x}{ID_TAIL}")
}

/// Bits of a wide id that count the ids of one client.
const WIDE_BITS: u32 = 20;

/// The number of the `index`-th unique id of the client at `slot` where a client may draw more than [`PER_CLIENT`]: up
/// to 2²⁰ of them. The first [`PER_CLIENT`] are the same as in a world.
///
/// # Panics
/// When the client has drawn all of its ids, or the slot is above 4094.
pub fn many_ids(slot: usize, index: usize) -> u32 {
    assert!(
        slot < 4095 && index < 1 << WIDE_BITS,
        "{LIMIT}client {slot} has drawn all of its 2^{WIDE_BITS} unique ids"
    );
    match index < PER_CLIENT.into() {
        true => who(slot, index).into(),
        false => (slot as u32 + 1) << WIDE_BITS | index as u32,
    }
}

/// One name inside a value.
#[derive(Debug)]
pub enum Name<'a> {
    /// A sequence number; renumbering keeps the order.
    Seq(&'a mut i32),
    /// A transaction number; renumbering keeps the order. 0 stands for "not tracked".
    Zxid(&'a mut u32),
    /// A session or unique id; renumbering follows the permutation of the clients.
    Who(&'a mut Who),
}

/// A value whose names can be visited, always in the same order.
pub trait Names {
    /// Calls `visit` for every name.
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>));
}

impl<T: Names> Names for Vec<T> {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        for item in self {
            item.names(visit);
        }
    }
}

impl<T: Names> Names for Option<T> {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        if let Some(item) = self {
            item.names(visit);
        }
    }
}

/// What a hole in a template stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    Seq,
    Id,
    /// A unique id of more than 16 bits, which takes two places of owners. Only live runs draw such ids, and nobody
    /// renames them.
    WideId,
    Session,
}

impl Hole {
    /// How many places for owners it takes.
    fn whos(self) -> usize {
        match self {
            Hole::Seq => 0,
            Hole::Id | Hole::Session => 1,
            Hole::WideId => 2,
        }
    }
}

/// A text split into its fixed pieces and the holes between them.
#[derive(Debug)]
struct Template {
    /// `pieces.len() == holes.len() + 1`
    pieces: Vec<String>,
    holes: Vec<Hole>,
    /// How many sequence numbers the holes take, and how many places for owners.
    seqs: usize,
    whos: usize,
    /// Template of the parent path, if the text is a path with a parent.
    parent: Option<u32>,
    /// Template of the last component.
    leaf: u32,
    /// Template of the text with a sequence number behind it, once it was asked for.
    with_seq: OnceLock<u32>,
    /// Hash of the pieces and holes: unlike the number of the template the same in every run.
    print: u64,
}

/// Read without a lock (the searches do so all the time), written under one.
#[derive(Default)]
struct Templates {
    by_key: RwLock<FxHashMap<String, u32>>,
    all: boxcar::Vec<Template>,
}

fn templates() -> &'static Templates {
    static TEMPLATES: OnceLock<Templates> = OnceLock::new();
    TEMPLATES.get_or_init(Default::default)
}

/// Most sequence numbers, and most owners, in one text.
pub const HOLES: usize = 2;

/// A text (a path, a child's name, a node's data, a checkpoint key) with its names kept apart. Copied
/// and compared as a few numbers; the fixed pieces are interned for the life of the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text {
    template: u32,
    /// Sequence numbers from left to right; unused places are 0.
    pub seq: [i32; HOLES],
    /// Owners from left to right; unused places are 0.
    pub who: [Who; HOLES],
}

const SEQ_MARK: char = '\u{1}';
const ID_MARK: char = '\u{2}';
const SESSION_MARK: char = '\u{3}';
const WIDE_MARK: char = '\u{4}';
const ID_TAIL: &str = "-0000-4000-8000-0f0e7a3e0000";
const SESSION_HEAD: &str = "10000000000";
/// The name of a node that no service holds any more, when the world forgets such names.
pub const GONE: i32 = -1;

/// The number of a template depends on what the process has seen before; what is hashed must not, because symmetry sorts
/// by hashes, and the same scenario must have the same states and stories in every run.
impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (template(self.template).print, self.seq, self.who).hash(state);
    }
}

thread_local! {
    /// Room for the key of a template, kept for speed.
    static KEY: RefCell<String> = const { RefCell::new(String::new()) };
}

fn template(id: u32) -> &'static Template {
    &templates().all[id as usize]
}

fn intern_template(key: &str) -> u32 {
    if let Some(&id) = templates().by_key.read().expect("template table").get(key) {
        return id;
    }
    let (parent, leaf_key) = match key.rfind('/') {
        Some(_) if key == "/" => (None, None),
        Some(0) => (Some("/"), Some(&key[1..])),
        Some(at) => (Some(&key[..at]), Some(&key[at + 1..])),
        None => (None, None),
    };
    let parent = parent.map(intern_template);
    let leaf = leaf_key.map(intern_template);
    let mut pieces = vec![String::new()];
    let mut holes = Vec::new();
    for c in key.chars() {
        let hole = match c {
            SEQ_MARK => Hole::Seq,
            ID_MARK => Hole::Id,
            SESSION_MARK => Hole::Session,
            WIDE_MARK => Hole::WideId,
            _ => {
                pieces.last_mut().expect("a piece").push(c);
                continue;
            }
        };
        holes.push(hole);
        pieces.push(String::new());
    }
    let mut hasher = rustc_hash::FxHasher::default();
    key.hash(&mut hasher);
    let print = hasher.finish();
    let mut by_key = templates().by_key.write().expect("template table");
    if let Some(&id) = by_key.get(key) {
        return id;
    }
    let seqs = holes.iter().filter(|h| **h == Hole::Seq).count();
    let whos = holes.iter().map(|h| h.whos()).sum();
    let all = &templates().all;
    let next = all.count() as u32;
    let id = all.push(Template {
        seqs,
        whos,
        pieces,
        holes,
        parent,
        leaf: leaf.unwrap_or(next),
        with_seq: OnceLock::new(),
        print,
    });
    assert_eq!(id as u32, next, "templates are added under the lock");
    by_key.insert(key.to_owned(), next);
    next
}

impl Text {
    /// Finds the names in a text: ten digits at the end of a path component, unique ids and session
    /// ids anywhere.
    ///
    /// # Panics
    /// When one text holds more than [`HOLES`] sequence numbers or owners.
    pub fn new(text: &str) -> Self {
        if !digits::may_hold_names(text) {
            return Self { template: intern_template(text), seq: [0; HOLES], who: [0; HOLES] };
        }
        let mut key = KEY.take();
        key.clear();
        let (mut seq, mut who) = ([0; HOLES], [0; HOLES]);
        let (mut seqs, mut whos) = (0, 0);
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let digit = rest.as_bytes()[0];
            if !digit.is_ascii_hexdigit() && digit != b'-' {
                let plain = rest.find(|c: char| c.is_ascii_hexdigit() || c == '-').unwrap_or(rest.len());
                key.push_str(&rest[..plain]);
                at += plain;
            } else if let Some(id) = parse_id(rest) {
                match Who::try_from(id) {
                    Ok(id) => {
                        put(&mut who, &mut whos, id, text);
                        key.push(ID_MARK);
                    }
                    Err(_) => {
                        put(&mut who, &mut whos, (id >> 16) as Who, text);
                        put(&mut who, &mut whos, id as Who, text);
                        key.push(WIDE_MARK);
                    }
                }
                at += 36;
            } else if let Some(session) = parse_session(text, at) {
                put(&mut who, &mut whos, session, text);
                key.push(SESSION_MARK);
                at += 15;
            } else if let Some((number, len)) = parse_seq(text, at) {
                put(&mut seq, &mut seqs, number, text);
                key.push(SEQ_MARK);
                at += len;
            } else {
                key.push(digit.into());
                at += 1;
            }
        }
        let template = intern_template(&key);
        KEY.set(key);
        Self { template, seq, who }
    }

    /// The path or name with a sequence number appended (a sequential create).
    pub fn with_seq(self, number: i32) -> Self {
        let t = template(self.template);
        let used = t.seqs;
        assert!(used < HOLES, "{LIMIT}{self}: a path may hold {HOLES} sequence numbers at most");
        let mut text = self;
        text.template = *t.with_seq.get_or_init(|| {
            let mut key = key_of(t);
            key.push(SEQ_MARK);
            intern_template(&key)
        });
        text.seq[used] = number;
        text
    }

    /// The parent of a path, `None` for `/` and for a text without a slash.
    pub fn parent(self) -> Option<Self> {
        let parent = template(self.template).parent?;
        let t = template(parent);
        let mut text = self;
        text.template = parent;
        for i in t.seqs..HOLES {
            text.seq[i] = 0;
        }
        for i in t.whos..HOLES {
            text.who[i] = 0;
        }
        Some(text)
    }

    /// The last component of a path.
    pub fn leaf(self) -> Self {
        let t = template(self.template);
        let Some(parent) = t.parent else { return self };
        let p = template(parent);
        let (seqs, whos) = (p.seqs, p.whos);
        let mut text = Self { template: t.leaf, seq: [0; HOLES], who: [0; HOLES] };
        text.seq[..HOLES - seqs].copy_from_slice(&self.seq[seqs..]);
        text.who[..HOLES - whos].copy_from_slice(&self.who[whos..]);
        text
    }

    /// The fixed pieces with marks for the holes: equal for texts that differ only in names, and
    /// ordered the same way in every run.
    pub fn shape(self) -> String {
        key_of(template(self.template))
    }

    /// The sequence number that stands last, if any.
    pub fn last_seq(self) -> Option<i32> {
        template(self.template).seqs.checked_sub(1).map(|i| self.seq[i])
    }

    /// The text with short names, for people: `/lock/n-3`, `/lock/id 2.0-lock-3`.
    pub fn short(self) -> String {
        self.render(
            |seq| {
                if seq == GONE { "gone".into() } else { seq.to_string() }
            },
            |who, hole| match hole {
                Hole::WideId => format!("<{}.{}>", who >> WIDE_BITS, who & ((1 << WIDE_BITS) - 1)),
                _ => format!("<{}.{}>", slot_of(who as Who) + 1, who as Who % PER_CLIENT),
            },
        )
    }

    fn render(self, seq: impl Fn(i32) -> String, who: impl Fn(u32, Hole) -> String) -> String {
        let mut out = String::new();
        self.fill(&mut out, |out, number| *out += &seq(number), |out, number, hole| *out += &who(number, hole));
        out
    }

    /// Writes the pieces with what `seq` and `who` write into the holes.
    #[inline]
    fn fill(self, out: &mut String, seq: impl Fn(&mut String, i32), who: impl Fn(&mut String, u32, Hole)) {
        let t = template(self.template);
        out.push_str(&t.pieces[0]);
        let (mut s, mut w) = (0, 0);
        for (hole, piece) in t.holes.iter().zip(&t.pieces[1..]) {
            match hole {
                Hole::Seq => seq(out, self.seq[s]),
                Hole::WideId => who(out, u32::from(self.who[w]) << 16 | u32::from(self.who[w + 1]), *hole),
                Hole::Id | Hole::Session => who(out, self.who[w].into(), *hole),
            }
            s += usize::from(*hole == Hole::Seq);
            w += hole.whos();
            out.push_str(piece);
        }
    }

    /// The full text, as a program sees it: what [`fmt::Display`] writes, without the machinery of formatting.
    pub fn full(self) -> String {
        let mut out = String::with_capacity(64);
        self.fill(
            &mut out,
            |out, number| match u32::try_from(number) {
                Ok(number) => push_decimal(out, number),
                Err(_) => *out += &format!("{number:010}"),
            },
            |out, who, hole| match hole {
                Hole::Session => *out += &format!("{:x}", session_number(who as Who)),
                _ => {
                    push_hex(out, who);
                    out.push_str(ID_TAIL);
                }
            },
        );
        out
    }
}

/// The full text, as a program sees it.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.short())
    }
}

impl Names for Text {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        let t = template(self.template);
        let (mut s, mut w) = (0, 0);
        for hole in &t.holes {
            match hole {
                Hole::Seq => visit(Name::Seq(&mut self.seq[s])),
                Hole::Id | Hole::Session => visit(Name::Who(&mut self.who[w])),
                Hole::WideId => {}
            }
            s += usize::from(*hole == Hole::Seq);
            w += hole.whos();
        }
    }
}

fn key_of(t: &Template) -> String {
    let mut key = t.pieces[0].clone();
    for (hole, piece) in t.holes.iter().zip(&t.pieces[1..]) {
        key.push(match hole {
            Hole::Seq => SEQ_MARK,
            Hole::Id => ID_MARK,
            Hole::Session => SESSION_MARK,
            Hole::WideId => WIDE_MARK,
        });
        key.push_str(piece);
    }
    key
}

fn put<T>(places: &mut [T; HOLES], used: &mut usize, value: T, text: &str) {
    assert!(*used < HOLES, "{LIMIT}{text:?} holds more than {HOLES} sequence numbers or owners");
    places[*used] = value;
    *used += 1;
}
