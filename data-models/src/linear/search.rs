//! The search for an order: Wing and Gong, with Lowe's memory.
//!
//! Calls without an answer are what makes such a search slow: each may be in or not. Two things are known of them. Of two
//! configurations that differ only in them, one in which some are in cannot do what one in which only a part of these
//! are in cannot do as well, for the others can still come, or be left out. And of two that ask the same, the one
//! that was called first can stand for the other.

use rustc_hash::FxHashMap;

use super::spec::Spec;

/// A call with its moments.
#[derive(Clone, Debug)]
pub(super) struct Interval<'a, O, A> {
    pub called: usize,
    /// With the answer; `None` for a call that has none.
    pub returned: Option<(usize, &'a A)>,
    pub op: &'a O,
}

pub(super) type IntervalOf<'a, S> = Interval<'a, <S as Spec>::Op, <S as Spec>::Answer>;

/// Which calls that return are in, and what the object holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration<T> {
    /// All calls that return before the one with this rank are in, and that one is not: ranks count returns.
    low: u32,
    /// What is in beyond them, sorted.
    beyond: Box<[u32]>,
    state: T,
}

/// The calls without an answer that are in, sorted.
type Unanswered = Box<[u32]>;

/// What was tried: for each configuration those sets of calls without an answer of which none is a part of another.
struct Memory<T> {
    tried: FxHashMap<Configuration<T>, Vec<Unanswered>>,
    count: usize,
}

impl<T: Clone + Eq + std::hash::Hash> Memory<T> {
    /// Whether nothing that can do at least as much was tried; it counts as tried from now on.
    fn is_new(&mut self, at: &Configuration<T>, unanswered: &Unanswered) -> bool {
        let part = |part: &Unanswered, of: &Unanswered| part.iter().all(|i| of.binary_search(i).is_ok());
        let tried = match self.tried.get_mut(at) {
            Some(tried) => tried,
            None => self.tried.entry(at.clone()).or_default(),
        };
        if tried.iter().any(|less| part(less, unanswered)) {
            return false;
        }
        tried.retain(|more| !part(unanswered, more));
        tried.push(unanswered.clone());
        self.count += 1;
        true
    }
}

/// For each call without an answer, the one before it that asks the same and has none either.
fn twins<O: PartialEq, A>(intervals: &[Interval<'_, O, A>]) -> Vec<Option<u32>> {
    let mut latest: Vec<usize> = Vec::new();
    let mut twins = vec![None; intervals.len()];
    for (i, interval) in intervals.iter().enumerate().filter(|(_, interval)| interval.returned.is_none()) {
        match latest.iter_mut().find(|other| intervals[**other].op == interval.op) {
            Some(other) => twins[i] = Some(std::mem::replace(other, i) as u32),
            None => latest.push(i),
        }
    }
    twins
}

/// Where the search ended.
#[derive(Clone, Debug)]
pub(super) enum End<T> {
    /// In an order of all calls that returned, and of some that did not.
    Order,
    /// Nowhere: there was too much to try.
    CutOff,
    /// In nothing.
    Stuck {
        /// How many of the calls that return, in the order of their returns, could be put in.
        returned: usize,
        /// Every different state in which all returned calls but the last are in, with an order that leads there.
        finals: Vec<(T, Vec<usize>)>,
    },
}

/// What a search came to.
#[derive(Clone, Debug)]
pub(super) struct Searched<T> {
    pub end: End<T>,
    pub configurations: usize,
}

/// The events of the calls that return and are not in: a list with a head at 0, sorted by moments. Those that do not
/// return have a place in time too, but not in the list.
struct Events {
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The call of each event, and whether this is its return.
    of: Vec<(u32, bool)>,
    /// Where the call and the return of each call are.
    call: Vec<u32>,
    returned: Vec<u32>,
}

const HEAD: usize = 0;

impl Events {
    fn new<O, A>(intervals: &[Interval<'_, O, A>]) -> Self {
        let calls = intervals.iter().enumerate().map(|(i, interval)| (interval.called, i as u32, false));
        let returns = intervals.iter().enumerate();
        let returns = returns.filter_map(|(i, interval)| Some((interval.returned.as_ref()?.0, i as u32, true)));
        let mut all: Vec<_> = calls.chain(returns).collect();
        all.sort_unstable();
        let (mut call, mut returned) = (vec![0; intervals.len()], vec![0; intervals.len()]);
        let mut of = vec![(u32::MAX, false)];
        for (at, (_, i, is_return)) in all.into_iter().enumerate() {
            let place = if is_return { &mut returned } else { &mut call };
            place[i as usize] = at as u32 + 1;
            of.push((i, is_return));
        }
        let count = of.len() as u32;
        let next = (0..count).map(|at| if at + 1 == count { HEAD as u32 } else { at + 1 }).collect();
        let previous = (0..count).map(|at| if at == 0 { count - 1 } else { at - 1 }).collect();
        let mut events = Self { next, previous, of, call, returned };
        let unanswered = (0..intervals.len()).filter(|i| intervals[*i].returned.is_none());
        unanswered.for_each(|i| events.take(events.call[i]));
        events
    }

    fn take(&mut self, at: u32) {
        let (previous, next) = (self.previous[at as usize], self.next[at as usize]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
    }

    /// Puts back what was taken last.
    fn put_back(&mut self, at: u32) {
        let (previous, next) = (self.previous[at as usize], self.next[at as usize]);
        self.next[previous as usize] = at;
        self.previous[next as usize] = at;
    }

    /// Takes a call and its return out.
    fn lift(&mut self, i: usize) {
        self.take(self.call[i]);
        self.take(self.returned[i]);
    }

    fn unlift(&mut self, i: usize) {
        self.put_back(self.returned[i]);
        self.put_back(self.call[i]);
    }
}

/// What is tried next: a call that returns, from the list of events, or one that does not.
#[derive(Clone, Copy)]
enum Next {
    Event(u32),
    /// By place among those.
    Unanswered(usize),
}

/// Looks for an order of the calls, which are sorted by the moments of their calls; gives up after so many configurations.
pub(super) fn search<S: Spec>(
    spec: &S,
    initial: &S::State,
    intervals: &[IntervalOf<'_, S>],
    limit: usize,
) -> Searched<S::State> {
    let mut by_return: Vec<usize> = (0..intervals.len()).filter(|i| intervals[*i].returned.is_some()).collect();
    by_return.sort_unstable_by_key(|i| intervals[*i].returned.as_ref().map(|(moment, _)| *moment));
    let mut rank = vec![u32::MAX; intervals.len()];
    by_return.iter().enumerate().for_each(|(at, i)| rank[*i] = at as u32);
    let all = by_return.len() as u32;

    let mut events = Events::new(intervals);
    let never_return: Vec<usize> = (0..intervals.len()).filter(|i| intervals[*i].returned.is_none()).collect();
    let twins = twins(intervals);
    let mut at = Configuration { low: 0, beyond: Box::default(), state: initial.clone() };
    let mut unanswered = Unanswered::default();
    let mut memory = Memory { tried: FxHashMap::default(), count: 0 };
    memory.is_new(&at, &unanswered);
    let mut stack: Vec<(usize, Configuration<S::State>, Unanswered)> = Vec::new();
    let mut highest = 0;
    let mut finals: FxHashMap<S::State, Vec<usize>> = FxHashMap::default();
    let mut keep = |at: &Configuration<S::State>, stack: &[(usize, Configuration<S::State>, Unanswered)]| {
        if at.low + 1 == all && !finals.contains_key(&at.state) {
            finals.insert(at.state.clone(), stack.iter().map(|(i, ..)| *i).collect());
        }
    };
    keep(&at, &stack);
    let mut next = Next::Event(events.next[HEAD]);
    while at.low < all {
        if memory.count > limit {
            return Searched { end: End::CutOff, configurations: memory.count };
        }
        // Those without an answer come last, so that what can be done with few of them is known when more are in.
        let i = match next {
            Next::Event(event) if !events.of[event as usize].1 => {
                next = Next::Event(events.next[event as usize]);
                events.of[event as usize].0 as usize
            }
            Next::Event(_) => {
                next = Next::Unanswered(0);
                continue;
            }
            Next::Unanswered(place) => {
                // What was called before the first return of a call that is not in can be next.
                let first_return = events.returned[by_return[at.low as usize]];
                match never_return.get(place).filter(|i| events.call[**i] < first_return) {
                    Some(i) => {
                        next = Next::Unanswered(place + 1);
                        *i
                    }
                    None => {
                        // Something returns that is not in: one of those before it was put in too early.
                        let Some((last, before, without)) = stack.pop() else { break };
                        (at, unanswered) = (before, without);
                        next = if intervals[last].returned.is_some() {
                            events.unlift(last);
                            Next::Event(events.next[events.call[last] as usize])
                        } else {
                            Next::Unanswered(never_return.partition_point(|i| *i <= last))
                        };
                        continue;
                    }
                }
            }
        };
        let Interval { op, returned, .. } = &intervals[i];
        let (after, with_it) = if let Some((_, answer)) = returned {
            let Some(state) = spec.step(&at.state, op, Some(answer)) else { continue };
            (with(&at, i as u32, state, &rank, &by_return), unanswered.clone())
        } else {
            let is_in = |i: u32| unanswered.binary_search(&i).is_ok();
            if is_in(i as u32) || twins[i].is_some_and(|twin| !is_in(twin)) {
                continue;
            }
            let Some(state) = spec.step(&at.state, op, None) else { continue };
            // One that changes nothing need not be in.
            if state == at.state {
                continue;
            }
            let mut more = unanswered.to_vec();
            more.insert(more.partition_point(|other| *other < i as u32), i as u32);
            (Configuration { state, ..at.clone() }, more.into())
        };
        if memory.is_new(&after, &with_it) {
            let (before, without) = (std::mem::replace(&mut at, after), std::mem::replace(&mut unanswered, with_it));
            stack.push((i, before, without));
            highest = highest.max(at.low);
            keep(&at, &stack);
            if intervals[i].returned.is_some() {
                events.lift(i);
            }
            next = Next::Event(events.next[HEAD]);
        }
    }
    let end = if at.low == all {
        let order: Vec<usize> = stack.iter().map(|(i, ..)| *i).collect();
        let explains = explains(spec, initial, intervals, &order);
        assert!(explains, "the order that was found explains nothing: {order:?} of {intervals:?}");
        End::Order
    } else {
        let mut finals: Vec<_> = finals.into_iter().collect();
        finals.sort_by(|(_, a), (_, b)| (a.len(), a).cmp(&(b.len(), b)));
        End::Stuck { returned: highest as usize, finals }
    };
    Searched { end, configurations: memory.count }
}

/// Whether the order has all that returned, keeps to real time, and gives the answers: asked once more of what was found, by the
/// definition and with nothing of the search.
fn explains<S: Spec>(spec: &S, initial: &S::State, intervals: &[IntervalOf<'_, S>], order: &[usize]) -> bool {
    let mut state = initial.clone();
    let mut moment = 0;
    let mut is_in = vec![false; intervals.len()];
    for i in order {
        let Interval { called, returned, op } = &intervals[*i];
        // Each takes effect as early as it can; that must be before it returns.
        moment = moment.max(*called);
        let late = returned.as_ref().is_some_and(|(returned, _)| moment > *returned);
        match spec.step(&state, op, returned.as_ref().map(|(_, answer)| *answer)) {
            Some(after) if !late && !std::mem::replace(&mut is_in[*i], true) => state = after,
            _ => return false,
        }
    }
    intervals.iter().zip(is_in).all(|(interval, is_in)| is_in || interval.returned.is_none())
}

/// The configuration with one more call in.
fn with<T: Clone>(at: &Configuration<T>, i: u32, state: T, rank: &[u32], by_return: &[usize]) -> Configuration<T> {
    let mut low = at.low;
    let mut beyond = at.beyond.to_vec();
    if rank[i as usize] == low {
        low += 1;
        while let Some(place) = by_return.get(low as usize).and_then(|i| beyond.binary_search(&(*i as u32)).ok()) {
            beyond.remove(place);
            low += 1;
        }
    } else if let Err(place) = beyond.binary_search(&i) {
        beyond.insert(place, i);
    }
    Configuration { low, beyond: beyond.into(), state }
}
