//! Looks at the states of sampled runs: each distinct one once, whatever the number of runs that pass through it.

use overtake_sim::world::{Engine, World};
use rustc_hash::FxHashMap;

use crate::property::{Kind, Property};
use crate::search::table::fingerprint;
use crate::space::PropertyId;

/// Most states that a judge remembers; then it starts afresh. What it answers does not depend on that.
const MOST_KNOWN: usize = 1 << 21;

/// Judges the states of runs for one thread.
///
/// The properties that a state violates, reaches or meets depend on the state alone (a property of a step excepted), so
/// they are looked at once for each fingerprint. Two states that share one of the 64-bit fingerprints would share the
/// answer: about n²/2⁶⁵ odds for n states.
#[derive(Debug)]
pub struct Judge<'w> {
    world: &'w World,
    properties: &'w [Property],
    /// For each property the bits of its marks, and how many clients must carry one of them.
    guards: Vec<Option<(u32, usize)>>,
    /// Bits of the properties of each kind.
    kept: u64,
    sometimes: u64,
    eventually: u64,
    known: FxHashMap<u64, u64>,
    client_prints: Vec<u64>,
    service_prints: Vec<u64>,
    words: Vec<u32>,
    fresh: Vec<u64>,
    reached: u64,
    /// Bits of the `eventually` properties whose goal this run has not met.
    missed: u64,
}

impl<'w> Judge<'w> {
    /// A judge of the properties, for runs of this engine.
    ///
    /// # Panics
    /// When there are more than 64 properties.
    pub fn new(engine: &mut Engine<'w>, properties: &'w [Property]) -> Self {
        assert!(properties.len() <= 64, "at most 64 properties in one scenario");
        let guards = properties.iter().map(|p| {
            let guard = p.guard.as_ref()?;
            Some((guard.marks.iter().map(|m| engine.mark_bit(m)).fold(0, |a, b| a | b), guard.at_least))
        });
        let guards = guards.collect();
        let bits = |wanted: fn(&Kind) -> bool| {
            let those = properties.iter().enumerate().filter(|(_, p)| wanted(&p.kind));
            those.fold(0u64, |bits, (id, _)| bits | 1 << id)
        };
        Self {
            world: engine.world(),
            properties,
            guards,
            kept: bits(|kind| matches!(kind, Kind::Always(_) | Kind::AtRest(_))),
            sometimes: bits(|kind| matches!(kind, Kind::Sometimes(_))),
            eventually: bits(|kind| matches!(kind, Kind::Eventually(_))),
            known: FxHashMap::default(),
            client_prints: Vec::new(),
            service_prints: Vec::new(),
            words: Vec::new(),
            fresh: Vec::new(),
            reached: 0,
            missed: 0,
        }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.missed = self.eventually;
    }

    /// Bits of the `eventually` properties whose goal the run has not met so far.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// A run goes on that has missed those goals so far.
    pub fn resume(&mut self, missed: u64) {
        self.missed = missed;
    }

    /// Looks at a state. `notified` watch events were sent by the step that led to it (0 for the initial state), and it
    /// is at rest when nothing but faults is enabled in it. Answers the violated property; of several, the first.
    pub fn look(&mut self, engine: &mut Engine<'_>, state: &[u32], notified: u8, at_rest: bool) -> Option<PropertyId> {
        let print = self.print(state);
        let bits = match self.known.get(&print) {
            Some(&bits) => bits,
            None => self.look_at_new(engine, state, print, at_rest),
        };
        self.missed &= !bits;
        let mut violated = bits & self.kept;
        if at_rest {
            violated |= self.missed;
        }
        if notified > 0 {
            for (id, property) in self.properties.iter().enumerate() {
                if matches!(property.kind, Kind::AtMostNotified(most) if usize::from(notified) > most) {
                    violated |= 1 << id;
                }
            }
        }
        (violated != 0).then(|| violated.trailing_zeros() as PropertyId)
    }

    /// The fingerprints of states that this judge had not met before, in the order in which it met them; each is told
    /// once, unless the judge had to forget it meanwhile.
    pub fn take_fresh(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.fresh)
    }

    /// Bits of the `sometimes` properties that any run has reached.
    pub fn reached(&self) -> u64 {
        self.reached
    }

    /// The bits that hold of a state: a violated property, a reached `sometimes`, a met goal.
    #[cold]
    fn look_at_new(&mut self, engine: &mut Engine<'_>, state: &[u32], print: u64, at_rest: bool) -> u64 {
        let view = self.world.view(state);
        let mut bits = 0u64;
        for (id, property) in self.properties.iter().enumerate() {
            if let Some((marks, at_least)) = self.guards[id]
                && engine.marked(state, marks) < at_least
            {
                continue;
            }
            let holds = match &property.kind {
                Kind::Always(check) => check(&view).is_err(),
                Kind::AtRest(check) => at_rest && check(&view).is_err(),
                Kind::Sometimes(check) | Kind::Eventually(check) => check(&view),
                Kind::AtMostNotified(_) => false,
            };
            bits |= u64::from(holds) << id;
        }
        if self.known.len() == MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(print, bits);
        self.fresh.push(print);
        self.reached |= bits & self.sometimes;
        bits
    }

    /// The fingerprint of what a state is, the same in every process.
    fn print(&mut self, state: &[u32]) -> u64 {
        let world = self.world;
        self.words.clear();
        self.words.push(state[0]);
        let mut push = |print: u64| self.words.extend([print as u32, (print >> 32) as u32]);
        push(kept(&mut self.service_prints, state[1], |id| world.service_print(id)));
        for &cid in &state[2..] {
            push(kept(&mut self.client_prints, cid, |id| world.client_print(id)));
        }
        fingerprint(&self.words)
    }
}

/// The hash of the value with the number, worked out once.
#[inline]
fn kept(prints: &mut Vec<u64>, id: u32, work_out: impl FnOnce(u32) -> u64) -> u64 {
    let at = id as usize;
    if prints.len() <= at {
        prints.resize(at + 1, 0);
    }
    if prints[at] == 0 {
        prints[at] = work_out(id);
    }
    prints[at]
}
