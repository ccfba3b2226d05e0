//! Nobody awaits the update.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::Value;
use overtake_recipes::store::documents::Filter;

use super::super::{as_written, until_it_is_in};

/// *Wrong:* the slide's example assigns the task and does not await it. *Seen:* the caller goes on, and says that it is done, before
/// it is; an error is nobody's. *Cure:* await.
pub fn not_awaited<E: DataEnvironment + 'static, Fut: Future<Output = Value> + 'static>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    change: impl Fn(Value) -> Fut + 'static,
) {
    let task = env.clone();
    env.spawn(async move {
        let _nobody_looks = as_written(&task, collection, filter, &until_it_is_in(), change).await;
    });
}
