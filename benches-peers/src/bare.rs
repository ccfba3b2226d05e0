//! What an event queue alone can do: no programs, no wires, no services.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use overtake_sim::clock::Rng;

const MIN: u64 = 1_000_000;
const SPREAD: u64 = 9_000_000;

/// Plain events: who, and which way.
pub fn plain(clients: usize, round_trips: u64) {
    let mut rng = Rng::new(1);
    let mut left = vec![round_trips; clients];
    let mut heap: BinaryHeap<Reverse<(u64, u64, u32, bool)>> = BinaryHeap::new();
    let mut number = 0;
    for client in 0..clients {
        heap.push(Reverse((MIN + rng.below(SPREAD), number, client as u32, true)));
        number += 1;
    }
    let mut done = 0;
    while let Some(Reverse((at, _, client, to_server))) = heap.pop() {
        if !to_server {
            done += 1;
            left[client as usize] -= 1;
            if left[client as usize] == 0 {
                continue;
            }
        }
        heap.push(Reverse((at + MIN + rng.below(SPREAD), number, client, !to_server)));
        number += 1;
    }
    assert_eq!(done, clients as u64 * round_trips);
}

/// Each message is 16 bytes on the heap, and each event is written into a log.
pub fn logged(clients: usize, round_trips: u64) {
    let mut rng = Rng::new(1);
    let mut left = vec![round_trips; clients];
    let mut heap: BinaryHeap<Reverse<(u64, u64, u32, bool, Box<[u8; 16]>)>> = BinaryHeap::new();
    let mut log = Vec::new();
    let mut number = 0;
    for client in 0..clients {
        heap.push(Reverse((MIN + rng.below(SPREAD), number, client as u32, true, Box::new([client as u8; 16]))));
        number += 1;
    }
    let mut done = 0;
    while let Some(Reverse((at, n, client, to_server, message))) = heap.pop() {
        log.push((at, n, client, message[0]));
        let mut answer = Box::new(*message);
        answer[1] = answer[1].wrapping_add(1);
        if !to_server {
            done += 1;
            left[client as usize] -= 1;
            if left[client as usize] == 0 {
                continue;
            }
        }
        heap.push(Reverse((at + MIN + rng.below(SPREAD), number, client, !to_server, answer)));
        number += 1;
    }
    assert_eq!(done, clients as u64 * round_trips);
    assert_eq!(log.len() as u64, 2 * done);
}
