//! Panics that are caught on purpose, and say nothing.

use std::any::Any;
use std::cell::Cell;
use std::panic;
use std::sync::Once;

use shuttle::Runner;
use shuttle::scheduler::DfsScheduler;

thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });

/// shuttle's panic hook is process-wide, is installed by the first runner and speaks of every panic in the process. Lets
/// it be installed once, over nothing, and takes it away again; what stays is a hook that is silent on threads that
/// search.
fn tame() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        Runner::new(DfsScheduler::new(Some(1), false), super::search::config()).run(|| {});
        drop(panic::take_hook());
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
}

/// Does something whose panics say nothing.
pub(super) fn quietly<T>(act: impl FnOnce() -> T) -> T {
    struct Loud(bool);
    impl Drop for Loud {
        fn drop(&mut self) {
            QUIET.set(self.0);
        }
    }
    tame();
    let _loud = Loud(QUIET.replace(true));
    act()
}

/// What a panic says.
pub(super) fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words")
}
