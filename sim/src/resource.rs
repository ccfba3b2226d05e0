//! The resource that a lock protects: it takes writes and compares their tokens (§3.7).

use overtake_recipes::Token as Shown;

use crate::names::{Name, Names, Text, Who};

/// A token on the wire, with names kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// No token.
    None,
    /// The number behind a lock node's name.
    Suffix(i32),
    /// A lock node's czxid.
    Czxid(u32),
    /// A number of the holders' own.
    Counter(i64),
}

impl From<Shown> for Token {
    fn from(token: Shown) -> Self {
        match token {
            Shown::None => Token::None,
            Shown::Suffix(number) => Token::Suffix(number),
            Shown::Czxid(zxid) => Token::Czxid(zxid as u32),
            Shown::Counter(number) => Token::Counter(number),
        }
    }
}

/// A write of the holder of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// The session in which the holder got the lock.
    pub session: Who,
    /// The node by which it holds.
    pub path: Text,
    /// What it shows to the resource.
    pub token: Token,
}

/// A grant, for the judge: the resource itself sees tokens only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    session: Who,
    path: Text,
    /// The transaction that created the lock node.
    czxid: u32,
}

/// The resource, and beside it what is needed to judge it: which lock nodes there were, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The latest token of each kind that was taken.
    latest: Vec<Token>,
    /// Every sequential node that was created, the oldest first.
    grants: Vec<Grant>,
    /// The latest grant whose write was taken.
    writer: Option<Grant>,
    /// The first write of an earlier holder that was taken after one of a later holder.
    overtaken: Option<(Text, Text)>,
    /// A holder of the latest grant that has written was refused.
    refused: Option<Text>,
}

impl Resource {
    /// Is told of a sequential node that was created.
    pub fn created(&mut self, session: Who, path: Text, czxid: u32) {
        self.grants.push(Grant { session, path, czxid });
    }

    /// Takes the write or refuses it (a holder by a node that no sequential create has made is nobody to the judge): whether a later token of the same kind was taken before.
    pub fn write(&mut self, effect: &Effect) -> bool {
        let kind = std::mem::discriminant(&effect.token);
        let latest = self.latest.iter_mut().find(|t| std::mem::discriminant(*t) == kind);
        let named = |g: &&Grant| g.path == effect.path;
        let own = self.grants.iter().rev().filter(named).find(|g| g.session == effect.session);
        // A holder by a node that somebody else made for it.
        let grant = own.or_else(|| self.grants.iter().rev().find(named)).copied();
        let is_latest = |g: Grant| self.writer.is_none_or(|w| w.czxid <= g.czxid);
        match latest {
            Some(latest) if *latest > effect.token => {
                if grant.is_some_and(is_latest) && self.refused.is_none() {
                    self.refused = Some(effect.path);
                }
                return false;
            }
            Some(latest) => *latest = effect.token,
            None if effect.token != Token::None => self.latest.push(effect.token),
            None => {}
        }
        if let Some(grant) = grant {
            match self.writer {
                Some(later) if later.czxid > grant.czxid => {
                    self.overtaken.get_or_insert((grant.path, later.path));
                }
                _ => self.writer = Some(grant),
            }
        }
        true
    }

    /// The node of the earlier holder whose write was taken after one of a later holder, and the later holder's node.
    pub fn overtaken(&self) -> Option<(Text, Text)> {
        self.overtaken
    }

    /// The node of a holder that was refused although no later holder had written.
    pub fn wrongly_refused(&self) -> Option<Text> {
        self.refused
    }

    /// The transactions that created the node at the path, the oldest first (several, if its parent was created again).
    pub fn births(&self, path: Text) -> impl Iterator<Item = u32> + '_ {
        self.grants.iter().filter(move |g| g.path == path).map(|g| g.czxid)
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::None => write!(f, "no token"),
            Token::Suffix(number) => write!(f, "suffix {number}"),
            Token::Czxid(zxid) => write!(f, "czxid {zxid}"),
            Token::Counter(number) => write!(f, "counter {number}"),
        }
    }
}

impl Names for Token {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Token::Suffix(number) => visit(Name::Seq(number)),
            Token::Czxid(zxid) => visit(Name::Zxid(zxid)),
            Token::None | Token::Counter(_) => {}
        }
    }
}

impl Names for Effect {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        if self.session != 0 {
            visit(Name::Who(&mut self.session));
        }
        self.path.names(visit);
        self.token.names(visit);
    }
}

impl Names for Grant {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Who(&mut self.session));
        self.path.names(visit);
        visit(Name::Zxid(&mut self.czxid));
    }
}

impl Names for Resource {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.latest.names(visit);
        self.grants.names(visit);
        self.writer.names(visit);
        if let Some((earlier, later)) = &mut self.overtaken {
            earlier.names(visit);
            later.names(visit);
        }
        self.refused.names(visit);
    }
}
