//! *Wrong:* relies on a cancel that comes in time. An answer that is back, and waits for its turn, is shown all the same. *Seen:*
//! ava/use-http#302. *Cure:* [`cancel_and_ignore`](crate::search::cancel_and_ignore).

use futures_util::future::{AbortHandle, abortable};
use overtake_recipes::store::{DataEnvironment, Search};

use crate::search::{A_TURN, BETWEEN_INPUTS, Screen};

/// Cancels the look-up before.
pub async fn search<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    let mut before: Option<AbortHandle> = None;
    for text in inputs {
        env.sleep(BETWEEN_INPUTS).await;
        if let Some(before) = before.take() {
            before.abort();
        }
        screen.typed(text);
        let (own, screen) = (env.clone(), screen.clone());
        let search = env.search();
        let (query, cancel) = abortable(async move { search.query(text).await });
        before = Some(cancel);
        env.spawn(async move {
            let Ok(Ok(results)) = query.await else { return };
            own.sleep(A_TURN).await;
            screen.show(&results);
        });
    }
}
