//! The peers' lock by hand: a whole state in 128 bits, an upper limit for what a search over it can do.
//!
//! Per client 8 bits: where it is (4), whom it waits for (3, 0 for nobody, else its place plus 1), expired (1). The queue of
//! live nodes stands above bit 64, 4 bits each, the oldest lowest.

/// A state.
pub type State = u128;

const IDLE: u32 = 0;
const CREATED: u32 = 1;
const WATCHES: u32 = 2;
const HOLDS: u32 = 3;
const WAITS: u32 = 4;
const TOLD: u32 = 5;
const RELEASES: u32 = 6;
const DONE: u32 = 7;
const LOST: u32 = 8;

/// The lock with so many clients and expiries.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// Clients, at most 7.
    pub clients: u32,
    /// Sessions that may expire.
    pub expiries: u32,
}

#[inline]
fn at(state: State, client: u32) -> u32 {
    (state >> (8 * client)) as u32 & 15
}

#[inline]
fn waits_for(state: State, client: u32) -> u32 {
    (state >> (8 * client + 4)) as u32 & 7
}

#[inline]
fn expired(state: State, client: u32) -> bool {
    state >> (8 * client + 7) & 1 == 1
}

#[inline]
fn put(state: State, client: u32, at: u32, waits_for: u32) -> State {
    let cleared = state & !(0x7F << (8 * client));
    cleared | State::from(at | waits_for << 4) << (8 * client)
}

impl Lock {
    /// The node of the client leaves the queue; whoever waits for it is told.
    fn leave(self, state: State, client: u32) -> State {
        let (mut queue, mut kept, mut shift) = ((state >> 64) as u64, 0u64, 0);
        while queue != 0 {
            if queue & 15 != u64::from(client + 1) {
                kept |= (queue & 15) << shift;
                shift += 4;
            }
            queue >>= 4;
        }
        let mut next = State::from(state as u64) | State::from(kept) << 64;
        for other in 0..self.clients {
            if waits_for(next, other) == client + 1 {
                let here = at(next, other);
                next = put(next, other, if here == WAITS { TOLD } else { here }, 0);
            }
        }
        next
    }

    /// Calls `emit` with every next state.
    #[inline]
    pub fn successors(self, state: State, mut emit: impl FnMut(State)) {
        let queue = (state >> 64) as u64;
        let spent = (0..self.clients).filter(|c| expired(state, *c)).count() as u32;
        for client in 0..self.clients {
            let (here, dead) = (at(state, client), expired(state, client));
            match here {
                IDLE if !dead => {
                    let length = (64 - queue.leading_zeros()).div_ceil(4);
                    let queue = queue | u64::from(client + 1) << (4 * length);
                    emit(put(State::from(state as u64) | State::from(queue) << 64, client, CREATED, 0));
                }
                CREATED if !dead => {
                    let mut place = 0;
                    while queue >> (4 * place) & 15 != u64::from(client + 1) {
                        place += 1;
                    }
                    emit(match place {
                        0 => put(state, client, HOLDS, 0),
                        _ => put(state, client, WATCHES, (queue >> (4 * (place - 1))) as u32 & 15),
                    });
                }
                WATCHES if !dead => {
                    let before = waits_for(state, client);
                    emit(put(state, client, if before == 0 { CREATED } else { WAITS }, before));
                }
                TOLD => emit(put(state, client, CREATED, 0)),
                HOLDS => emit(put(state, client, RELEASES, 0)),
                RELEASES if !dead => emit(put(self.leave(state, client), client, DONE, 0)),
                _ => {}
            }
            if !dead && here != DONE && spent < self.expiries {
                let gone = self.leave(put(state, client, here, 0), client);
                emit(gone | 1 << (8 * client + 7));
            }
            if dead && here != LOST {
                emit(put(state, client, LOST, 0));
            }
        }
    }

    /// At most one client holds by a live node.
    #[inline]
    pub fn is_safe(self, state: State) -> bool {
        let holds = |c: &u32| matches!(at(state, *c), HOLDS | RELEASES) && !expired(state, *c);
        (0..self.clients).filter(holds).count() <= 1
    }
}

/// Distinct states and transitions, breadth first with fingerprints only, looked up in batches.
pub fn search(lock: Lock) -> (usize, usize) {
    const BATCH: usize = 256;
    let mix = |state: State| {
        let m = (state as u64 ^ 0x9E37_79B9_7F4A_7C15) as u128 * ((state >> 64) as u64 ^ 0xD1B5_4A32_D192_ED03) as u128;
        let n = u128::from(m as u64 ^ (m >> 64) as u64 ^ (state as u64).rotate_left(29)) * 0xA076_1D64_78BD_642F;
        (n as u64 ^ (n >> 64) as u64).max(1)
    };
    let mut table = vec![0u64; 1 << 12];
    let (mut level, mut next, mut states, mut transitions) = (vec![0], Vec::new(), 1, 0);
    insert(&mut table, mix(0));
    let mut found = Vec::new();
    while !level.is_empty() {
        for batch in level.chunks(BATCH) {
            found.clear();
            for &state in batch {
                lock.successors(state, |next| {
                    let print = mix(next);
                    overtake_sim::world::prefetch(&table[place(&table, print)]);
                    found.push((print, next));
                });
            }
            transitions += found.len();
            for &(print, state) in &found {
                if insert(&mut table, print) {
                    assert!(lock.is_safe(state));
                    states += 1;
                    next.push(state);
                }
            }
            if (states + BATCH * 16) * 4 > table.len() * 3 {
                let grown = vec![0; table.len() * 2];
                for print in std::mem::replace(&mut table, grown).into_iter().filter(|p| *p != 0) {
                    insert(&mut table, print);
                }
            }
        }
        level.clear();
        std::mem::swap(&mut level, &mut next);
    }
    (states, transitions)
}

#[inline]
fn place(table: &[u64], print: u64) -> usize {
    (print >> 16) as usize & (table.len() - 1)
}

#[inline]
fn insert(table: &mut [u64], print: u64) -> bool {
    let mut at = place(table, print);
    loop {
        match table[at] {
            0 => {
                table[at] = print;
                return true;
            }
            found if found == print => return false,
            _ => at = (at + 1) & (table.len() - 1),
        }
    }
}
