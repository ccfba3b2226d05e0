//! Programs of threads, over every schedule.

use your_recipe::threads;

#[test]
fn work_is_done_twice_where_one_looks_once() {
    threads::looks_once().falsify("the work is done once");
}

#[test]
fn looking_again_under_the_lock_is_proved() {
    threads::looks_again().prove();
}
