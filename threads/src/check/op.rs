//! Operations on shared things, and when the order of two of them can make a difference.

use super::ledger::Task;

/// No object.
pub(crate) const NOTHING: u32 = u32::MAX;
/// What all starts of threads have in common: they number the threads.
pub(crate) const STARTS: u32 = u32::MAX - 1;
/// Bits of an object's number that count the objects of the thread that made it.
const COUNT_BITS: u32 = 18;
/// The objects of a thread that are the thread itself, seen from others.
const SELF: u32 = (1 << COUNT_BITS) - 1;
/// The thread's life: its start, its end, and who waits for that.
const LIFE: u32 = SELF - 1;
/// Numbers of parts begin here.
const PARTS: u32 = 1 << 31;
/// Most parts of what one mutex guards.
const MOST_PARTS: u32 = 256;

/// The number of a thread's object. It does not depend on the order of events.
pub(crate) fn object(task: Task, count: usize) -> u32 {
    assert!(count < LIFE as usize && task < 1 << (31 - COUNT_BITS), "too many objects in an execution");
    (task as u32) << COUNT_BITS | count as u32
}

/// The thread as an object: what parks and unparks are about.
pub(crate) fn token(task: Task) -> u32 {
    object(task, 0) | SELF
}

/// The thread's life as an object: what its start, its end and joins are about.
pub(crate) fn life(task: Task) -> u32 {
    object(task, 0) | LIFE
}

/// A part of what the mutex guards.
pub(crate) fn part(mutex: u32, number: u32) -> u32 {
    if mutex == NOTHING {
        // Nobody searches.
        return NOTHING;
    }
    assert!(number < MOST_PARTS && mutex < PARTS / MOST_PARTS, "too many parts, or a mutex that is not the stage's");
    PARTS | (mutex * MOST_PARTS) | number
}

/// The thread that made the object.
pub(crate) fn owner_of(object: u32) -> Task {
    (object >> COUNT_BITS) as usize
}

/// The object's place among those of its thread; `None` for the thread itself.
pub(crate) fn place_of(object: u32) -> Option<usize> {
    Some(object & SELF).filter(|at| *at < LIFE).map(|at| at as usize)
}

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Begin,
    Lock,
    Unlock,
    Wait,
    TimedWait,
    Wake,
    Notify,
    Read,
    Write,
    Park,
    Parked,
    Unpark,
    Spawn,
    Join,
    Yield,
    Pass,
}

impl What {
    /// Whether a thread may do it while it has locked a mutex by parts. Two that have no part in common are not tried in both
    /// orders, so whatever else they have in common must be ordered by a part; words are, where all their writers have it.
    pub fn may_stand_among_parts(self) -> bool {
        matches!(self, What::Unlock | What::Wait | What::Read | What::Write)
    }
}

/// How a use of a thing stands to other uses of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// It may come before or after any other one.
    Free,
    /// The same, and it lets go on who waits for it: a notification, an unpark.
    Lets,
    /// It lets go on who waits for it, and never comes after that: the start of a thread for its first step, its end for who
    /// waits for that.
    First,
    /// It comes after the one that let it go on, without fail, and has nothing to do with others: a wake-up, a thread's first
    /// step.
    Follows,
    /// It ends what a lock has begun: nobody who wants the lock could have come in just before.
    Releases,
}

/// What is used by an operation, and whether it is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub of: u32,
    pub writes: bool,
    pub order: Order,
}

impl Use {
    pub const NONE: Self = Self { of: NOTHING, writes: false, order: Order::Free };

    pub fn writes(of: u32) -> Self {
        Self { of, writes: true, order: Order::Free }
    }

    pub fn reads(of: u32) -> Self {
        Self { of, writes: false, order: Order::Free }
    }

    pub fn first(of: u32) -> Self {
        Self { of, writes: true, order: Order::First }
    }

    pub fn follows(of: u32) -> Self {
        Self { of, writes: true, order: Order::Follows }
    }

    /// The same at the end of a lock.
    pub fn released(self) -> Self {
        Self { order: Order::Releases, ..self }
    }

    /// The order of the two makes a difference.
    pub fn conflicts(self, other: Self) -> bool {
        let follows = self.order == Order::Follows || other.order == Order::Follows;
        self.is_of(other) && !follows && (self.writes || other.writes)
    }

    fn is_of(self, other: Self) -> bool {
        self.of == other.of && self.of != NOTHING
    }

    /// The order of the two makes a difference, and there may be both.
    pub fn races(self, other: Self) -> bool {
        let free = |order| matches!(order, Order::Free | Order::Lets);
        self.conflicts(other) && free(self.order) && free(other.order)
    }

    /// It may be what the other one has waited for: the first such is, after it began to wait.
    pub fn lets(self, other: Self) -> bool {
        self.is_of(other) && (self.order, other.order) == (Order::Lets, Order::Follows)
    }

    /// It may be what the other one has waited for: the last such is.
    pub fn is_first(self, other: Self) -> bool {
        self.is_of(other) && (self.order, other.order) == (Order::First, Order::Follows)
    }
}

/// What an operation uses.
pub(crate) type Uses = [Use; 5];

/// An operation on shared things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    pub what: What,
    pub uses: Uses,
}

impl Op {
    pub fn new(what: What) -> Self {
        Self { what, uses: [Use::NONE; 5] }
    }

    pub fn on(self) -> u32 {
        self.uses[0].of
    }

    /// Uses an object: changes it unless it is read.
    pub fn of(what: What, object: u32) -> Self {
        let order = match what {
            What::Wake | What::Parked | What::Join => Order::Follows,
            What::Notify | What::Unpark => Order::Lets,
            _ => Order::Free,
        };
        Self::new(what).and(Use { of: object, writes: what != What::Read, order })
    }

    /// Concerns nobody else: what the thread does next can be looked at at once. (Notifications wake all, so being woken takes
    /// nothing from anybody.)
    pub fn is_silent(self) -> bool {
        matches!(self.what, What::Begin | What::Wake | What::Parked)
    }

    /// And another one.
    pub fn and(mut self, other: Use) -> Self {
        if other.of != NOTHING {
            let free = self.uses.iter_mut().find(|used| used.of == NOTHING);
            *free.expect("an operation uses five things at most") = other;
        }
        self
    }
}
