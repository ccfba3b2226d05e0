//! A page that asks more than once and shows answers, for the reports of the class "overtaking response".

use std::cell::Cell;
use std::rc::Rc;

use overtake_recipes::store::{DataEnvironment, Search as _};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Search, Stores};

/// What a person sees, and would remember of it.
#[derive(Clone)]
pub struct Page {
    ctx: Context,
    /// The number of the newest request whose answer was ever shown.
    newest: Rc<Cell<usize>>,
}

impl Page {
    /// An empty one.
    pub fn new(ctx: &Context) -> Self {
        Self { ctx: ctx.clone(), newest: Rc::default() }
    }

    /// The person asks for something.
    pub fn typed(&self, text: &str) {
        self.ctx.mark_with("typed", text);
    }

    /// The answer to the request of that number (from 1) is on the screen now.
    pub fn show(&self, number: usize, answer: &str) {
        self.ctx.mark_with("shown", answer);
        if number < self.newest.get() {
            self.ctx.mark_with("went back", answer);
        }
        self.newest.set(number.max(self.newest.get()));
    }
}

/// The answer to a query, when it is the turn of the code that waits for it: what is back may wait a little.
pub async fn answer(ctx: &Context, query: &str) -> Result<String, StoreError> {
    let answer = ctx.search().query(query).await?;
    ctx.sleep(std::time::Duration::ZERO).await;
    Ok(answer)
}

/// A world with a search endpoint.
pub fn endpoint() -> Stores {
    Stores { search: Some(Search), ..Stores::default() }
}
