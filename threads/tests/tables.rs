//! Random operations on the owner table and the gate against the plainest thing that could be right.
//!
//! The sequences come from a generator of our own and are the same on every machine; one that shows something is shortened.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use overtake_threads::Std;
use overtake_threads::faulty::{OwnersSlot, OwnersUnnamed, Owns};
use overtake_threads::gate::Gate;
use overtake_threads::owners::Owners;

const THREADS: usize = 3;
/// Sequences that are tried.
const SEQUENCES: u64 = 300;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most as u64) as usize
    }
}

/// What a thread does with the table.
#[derive(Clone, Copy, Debug)]
enum Act {
    Hold(usize),
    Again,
    Release,
    Forget,
    Anybody,
    Count,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    Nothing,
    Yes(bool),
    Released(Option<(usize, usize)>),
    Times(usize),
}

fn act<O: Owns>(owners: &O, act: Act) -> Comes {
    match act {
        Act::Hold(granted) => {
            owners.hold(granted);
            Comes::Nothing
        }
        Act::Again => Comes::Yes(owners.again()),
        Act::Release => Comes::Released(owners.release()),
        Act::Forget => {
            owners.forget();
            Comes::Nothing
        }
        Act::Anybody => Comes::Yes(owners.anybody()),
        Act::Count => Comes::Times(owners.count()),
    }
}

/// Threads with what they hold and how often.
#[derive(Default)]
struct Plain(BTreeMap<usize, (usize, usize)>);

impl Plain {
    /// A thread acquires what it does not hold, and forgets after its last release, as the mutex has it.
    fn is_sensible(&self, thread: usize, act: Act) -> bool {
        let own = self.0.get(&thread);
        match act {
            Act::Hold(_) => own.is_none(),
            Act::Release | Act::Again => own.is_none_or(|(_, count)| *count > 0),
            Act::Forget => own.is_none_or(|(_, count)| *count == 0),
            Act::Anybody | Act::Count => true,
        }
    }

    fn act(&mut self, thread: usize, act: Act) -> Comes {
        let own = self.0.get_mut(&thread);
        match (act, own) {
            (Act::Hold(granted), _) => {
                self.0.insert(thread, (granted, 1));
                Comes::Nothing
            }
            (Act::Again, own) => Comes::Yes(own.map(|(_, count)| *count += 1).is_some()),
            (Act::Release, own) => Comes::Released(own.map(|(granted, count)| {
                *count -= 1;
                (*granted, *count)
            })),
            (Act::Forget, _) => {
                self.0.remove(&thread);
                Comes::Nothing
            }
            (Act::Anybody, _) => Comes::Yes(!self.0.is_empty()),
            (Act::Count, own) => Comes::Times(own.map_or(0, |(_, count)| *count)),
        }
    }
}

/// Threads that do what they are told, one after the other.
fn with_threads<O: Owns, T>(owners: &Arc<O>, tell: impl FnOnce(&[(Sender<Act>, Receiver<Comes>)]) -> T) -> T {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let ((tells, told), (says, said)) = (channel(), channel());
                scope.spawn(move || told.into_iter().try_for_each(|it| says.send(act(&**owners, it))));
                (tells, said)
            })
            .collect();
        tell(&threads)
    })
}

/// Does the acts that are sensible; the first one that comes to something else is the error.
fn agrees<O: Owns>(acts: &[(usize, Act)]) -> Result<(), String> {
    let owners = Arc::new(O::make());
    with_threads(&owners, |threads| {
        let mut plain = Plain::default();
        for &(thread, act) in acts {
            if !plain.is_sensible(thread, act) {
                continue;
            }
            threads[thread].0.send(act).expect("the thread listens");
            let comes = threads[thread].1.recv().expect("the thread answers");
            let right = plain.act(thread, act);
            if comes != right {
                return Err(format!("thread {thread} does {act:?}: {comes:?} instead of {right:?}"));
            }
        }
        Ok(())
    })
}

fn acts(seed: u64) -> Vec<(usize, Act)> {
    let mut numbers = Numbers(seed);
    let length = numbers.below(60);
    let mut act = || {
        let thread = numbers.below(THREADS);
        let act = match numbers.below(14) {
            0..2 => Act::Hold(1 + numbers.below(99)),
            2..4 => Act::Again,
            4..8 => Act::Release,
            8..11 => Act::Forget,
            11 => Act::Anybody,
            _ => Act::Count,
        };
        (thread, act)
    };
    (0..length).map(|_| act()).collect()
}

/// The first sequence on which the table is not what it seems, without what makes no difference.
fn caught<O: Owns>() -> Option<String> {
    let mut acts = (0..SEQUENCES).map(acts).find(|acts| agrees::<O>(acts).is_err())?;
    let mut at = 0;
    while at < acts.len() {
        let left_out = acts.remove(at);
        if agrees::<O>(&acts).is_ok() {
            acts.insert(at, left_out);
            at += 1;
        }
    }
    agrees::<O>(&acts).err().map(|why| format!("{why}, after {acts:?}"))
}

#[test]
fn the_owner_table_is_what_it_seems() {
    assert_eq!(caught::<Owners<Std, usize>>(), None);
}

/// The comparison can fail: tables that are wrong whatever the order of events are caught.
#[test]
fn spoilt_tables_are_caught() {
    let why = caught::<OwnersSlot<Std>>().expect("one slot for all is not a table");
    println!("{why}");
    assert!(why.contains("Hold"), "a table is wrong about who holds: {why}");
    let why = caught::<OwnersUnnamed<Std>>().expect("a counter without a name is not a table");
    println!("{why}");
    assert!(why.contains("Hold"), "a table is wrong about who holds: {why}");
}

/// Flag and number in one word are the same as flag and number.
#[test]
fn the_gate_is_what_it_seems() {
    let (mut let_in, mut turned_away) = (0, 0);
    for seed in 0..SEQUENCES {
        let mut numbers = Numbers(seed);
        let gate = Gate::<Std>::new();
        let (mut closed, mut inside) = (false, 0);
        for _ in 0..60 {
            match numbers.below(8) {
                0..3 => {
                    assert_eq!(gate.enter(), !closed, "sequence {seed}");
                    inside += usize::from(!closed);
                    *(if closed { &mut turned_away } else { &mut let_in }) += 1;
                }
                3..5 if inside > 0 => {
                    gate.leave();
                    inside -= 1;
                }
                // Rarely, or it is always closed.
                5 if closed || numbers.below(8) == 0 => {
                    assert_eq!(gate.close(), inside > 0, "sequence {seed}");
                    closed = true;
                }
                _ => assert_eq!(gate.is_closed(), closed, "sequence {seed}"),
            }
        }
    }
    assert!(let_in > 1_000 && turned_away > 1_000, "{let_in} and {turned_away}");
}
