//! *Wrong:* whatever arrives is shown. *Seen:* the cart's search by PLU, the mobile app's search; mozilla/sumo#707. *Cure:*
//! [`numbered`](crate::search::numbered).

use overtake_recipes::store::DataEnvironment;

use crate::search::{BETWEEN_INPUTS, Screen, results};

/// Shows what arrives.
pub async fn search<E: DataEnvironment>(env: &E, screen: &impl Screen, inputs: &'static [&'static str]) {
    for text in inputs {
        env.sleep(BETWEEN_INPUTS).await;
        screen.typed(text);
        let (own, screen) = (env.clone(), screen.clone());
        env.spawn(async move {
            if let Some(results) = results(&own, text).await {
                screen.show(&results);
            }
        });
    }
}
