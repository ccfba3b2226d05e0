//! Random operations on the owner table and the gate against the plainest thing that could be right.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use overtake_threads::Std;
use overtake_threads::faulty::{OwnersSlot, OwnersUnnamed, Owns};
use overtake_threads::gate::Gate;
use overtake_threads::owners::Owners;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const THREADS: usize = 3;

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

fn agrees<O: Owns>(acts: &[(usize, Act)]) -> Result<(), TestCaseError> {
    let owners = Arc::new(O::make());
    with_threads(&owners, |threads| {
        let mut plain = Plain::default();
        for &(thread, act) in acts {
            if !plain.is_sensible(thread, act) {
                continue;
            }
            threads[thread].0.send(act).expect("the thread listens");
            let comes = threads[thread].1.recv().expect("the thread answers");
            prop_assert_eq!(comes, plain.act(thread, act), "thread {} does {:?}", thread, act);
        }
        Ok(())
    })
}

fn acts() -> impl Strategy<Value = Vec<(usize, Act)>> {
    let act = prop_oneof![
        2 => (1..100_usize).prop_map(Act::Hold),
        2 => Just(Act::Again),
        4 => Just(Act::Release),
        3 => Just(Act::Forget),
        1 => Just(Act::Anybody),
        2 => Just(Act::Count),
    ];
    proptest::collection::vec((0..THREADS, act), 0..60)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn the_owner_table_is_what_it_seems(acts in acts()) {
        agrees::<Owners<Std, usize>>(&acts)?;
    }

    /// Flag and number in one word are the same as flag and number.
    #[test]
    fn the_gate_is_what_it_seems(acts in proptest::collection::vec(0..4_u8, 0..60)) {
        let gate = Gate::<Std>::new();
        let (mut closed, mut inside) = (false, 0);
        for act in acts {
            match act {
                0 => {
                    prop_assert_eq!(gate.enter(), !closed);
                    inside += usize::from(!closed);
                }
                1 if inside > 0 => {
                    gate.leave();
                    inside -= 1;
                }
                // Rarely, or it is always closed.
                2 if inside > 1 || closed => {
                    prop_assert_eq!(gate.close(), inside > 0);
                    closed = true;
                }
                _ => prop_assert_eq!(gate.is_closed(), closed),
            }
        }
    }
}

/// The comparison can fail: tables that are wrong whatever the order of events are caught.
#[test]
fn spoilt_tables_are_caught() {
    let caught = |agrees: fn(&[(usize, Act)]) -> Result<(), TestCaseError>| {
        TestRunner::new(config(200)).run(&acts(), |acts| agrees(&acts)).is_err()
    };
    assert!(caught(agrees::<OwnersSlot<Std>>), "one slot for all");
    assert!(caught(agrees::<OwnersUnnamed<Std>>), "nobody has a name");
    assert!(!caught(agrees::<Owners<Std, usize>>));
}
