//! The scenarios that come with Overtake.
pub mod barriers;
pub mod client_layer;
pub mod faulty_locks;
pub mod fencing;
pub mod leadership;
pub mod lock_matrix;
pub mod lock_matrix_extras;
pub mod lock_matrix_programs;
pub mod lock_matrix_worlds;
pub mod locks;
pub mod negative_controls;
pub mod negative_controls_records;
pub mod peers;
pub mod polite_lock;
pub mod programs;
pub mod queues;
pub mod read_write;
pub mod semaphore;
pub mod two_phase_commit;

use crate::scenario::Scenario;

/// All of them, the public bug reports included. Names are unique.
pub fn all() -> Vec<Scenario> {
    let mut all = locks::scenarios();
    all.extend(faulty_locks::scenarios());
    all.extend(polite_lock::scenarios());
    all.extend(read_write::scenarios());
    all.extend(semaphore::scenarios());
    all.extend(leadership::scenarios());
    all.extend(lock_matrix::scenarios());
    all.extend(lock_matrix_extras::scenarios());
    all.extend(fencing::scenarios());
    all.extend(lock_matrix_worlds::scenarios());
    all.extend(client_layer::scenarios());
    all.extend(negative_controls::scenarios());
    all.extend(barriers::scenarios());
    all.extend(queues::scenarios());
    all.extend(two_phase_commit::scenarios());
    all.extend(crate::bugs::all());
    all
}
