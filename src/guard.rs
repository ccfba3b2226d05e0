//! Panics of a check as sentences: what a world cannot hold, and defects of the checker.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// How many guarded calls run.
static GUARDED: AtomicUsize = AtomicUsize::new(0);
/// Where the first panic since then came from.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Calls it; a panic becomes the sentence that it was raised with, and is not printed.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    keep_quiet();
    GUARDED.fetch_add(1, Ordering::SeqCst);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    GUARDED.fetch_sub(1, Ordering::SeqCst);
    outcome.unwrap_or_else(|panic| {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
        Err(format!("the search came to its limits: {}{place}", text(&*panic)))
    })
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

fn keep_quiet() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if GUARDED.load(Ordering::SeqCst) == 0 {
                return before(info);
            }
            let mut place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
            let here = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
            *place = place.take().or(here);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_sentence_with_its_place() {
        let told = guarded::<()>(|| panic!("{} clients are too many", 13)).unwrap_err();
        assert!(told.contains("13 clients are too many (src/guard.rs:"), "{told}");
        assert_eq!(guarded(|| Ok(1)), Ok(1));
    }
}
