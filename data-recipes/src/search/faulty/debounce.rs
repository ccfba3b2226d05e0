//! *Wrong:* waits for a pause in the typing before it looks up, and takes that for order. It makes the race rarer: a look-up that is out
//! is overtaken as before. *Seen:* in place of a cure, everywhere. *Cure:* [`numbered`](crate::search::numbered).

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::store::DataEnvironment;

use crate::search::{BETWEEN_INPUTS, Screen, results};

const PAUSE: Duration = Duration::from_millis(300);

/// Looks up after each pause.
pub async fn search<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    env.sleep(BETWEEN_INPUTS).await;
    for (number, text) in inputs.iter().enumerate() {
        screen.typed(text);
        let mut next = pin!(env.sleep(BETWEEN_INPUTS));
        let is_last = number + 1 == inputs.len();
        if !is_last && let Either::Left(_) = select(&mut next, pin!(env.sleep(PAUSE))).await {
            continue;
        }
        let (own, screen) = (env.clone(), screen.clone());
        env.spawn(async move {
            if let Some(results) = results(&own, text).await {
                screen.show(&results);
            }
        });
        if !is_last {
            next.await;
        }
    }
}
