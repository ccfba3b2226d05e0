//! A search while somebody types: each input starts a look-up, answers come in any order, and what is shown must be what was
//! asked last.
//!
//! A look-up is out once it is sent. Its answer comes back to the client, and some turns of the event loop later the code
//! that waits for it goes on. A cancel stops what has not come back; it comes too late for an answer that waits for its turn.
//! So a cancel saves work, and is no protection by itself ([`faulty::cancel_only`]).
//!
//! The cures: a **number** for each input, looked at in the moment of showing ([`numbered`], [`newest`]); a cancel **and** such
//! a look ([`cancel_and_ignore`]); or one look-up at a time, with everything that follows it, in the hands of the one who may
//! drop it as a whole ([`switch_to_latest`]).
//!
//! Source: the slides on race conditions: one lookup could overtake the other, in the search of the cart and of the mobile app.

pub mod faulty;

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Either, abortable, select};
use overtake_recipes::store::{DataEnvironment, Search};

/// What the person sees.
pub trait Screen: Clone + 'static {
    /// The field reads so now.
    fn typed(&self, text: &str);

    /// These results are shown now, in place of those before.
    fn show(&self, results: &str);
}

/// What passes between two keys, or two inputs.
pub const BETWEEN_INPUTS: Duration = Duration::from_millis(200);

/// Until the event loop comes to what waits for its turn.
const A_TURN: Duration = Duration::ZERO;

/// The results for a text, when it is the turn of the code that waits for them; nothing when the look-up has failed.
async fn results<E: DataEnvironment>(env: &E, text: &str) -> Option<String> {
    let results = env.search().query(text).await.ok()?;
    env.sleep(A_TURN).await;
    Some(results)
}

/// Each input has a number. Results are shown if theirs is the last one.
pub async fn numbered<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    let last = Rc::new(Cell::new(0));
    for (number, text) in inputs.iter().enumerate() {
        env.sleep(BETWEEN_INPUTS).await;
        screen.typed(text);
        last.set(number);
        let (own, screen, last) = (env.clone(), screen.clone(), last.clone());
        env.spawn(async move {
            let results = results(&own, text).await;
            if let Some(results) = results.filter(|_| last.get() == number) {
                screen.show(&results);
            }
        });
    }
}

/// Each input has a number. Results are shown unless some of a later input are shown already: so there is something to see while
/// the last answer is still on its way.
pub async fn newest<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    let shown = Rc::new(Cell::new(None));
    for (number, text) in inputs.iter().enumerate() {
        env.sleep(BETWEEN_INPUTS).await;
        screen.typed(text);
        let (own, screen, shown) = (env.clone(), screen.clone(), shown.clone());
        env.spawn(async move {
            let results = results(&own, text).await;
            if let Some(results) = results.filter(|_| shown.get() < Some(number)) {
                shown.set(Some(number));
                screen.show(&results);
            }
        });
    }
}

/// An input cancels the look-up of the one before. Since that may be too late, results of another input than the last are
/// ignored all the same.
pub async fn cancel_and_ignore<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    let last = Rc::new(Cell::new(0));
    let mut before: Option<AbortHandle> = None;
    for (number, text) in inputs.iter().enumerate() {
        env.sleep(BETWEEN_INPUTS).await;
        if let Some(before) = before.take() {
            before.abort();
        }
        screen.typed(text);
        last.set(number);
        let (own, screen, last) = (env.clone(), screen.clone(), last.clone());
        let search = env.search();
        let (query, cancel) = abortable(async move { search.query(text).await });
        before = Some(cancel);
        env.spawn(async move {
            let Ok(Ok(results)) = query.await else { return };
            own.sleep(A_TURN).await;
            if last.get() == number {
                screen.show(&results);
            }
        });
    }
}

/// One look-up at a time: the next input drops it with all that would follow it, the showing included.
pub async fn switch_to_latest<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    let mut current: Pin<Box<dyn Future<Output = ()>>> = Box::pin(pending());
    for text in inputs {
        let mut input = pin!(env.sleep(BETWEEN_INPUTS));
        while let Either::Right(((), _)) = select(&mut input, &mut current).await {
            current = Box::pin(pending());
        }
        screen.typed(text);
        let (own, screen) = (env.clone(), screen.clone());
        current = Box::pin(async move {
            if let Some(results) = results(&own, text).await {
                screen.show(&results);
            }
        });
    }
    current.await;
}
