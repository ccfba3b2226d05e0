//! The stores as a program sees them, inside the simulator.

use std::fmt;
use std::future::Future;

use overtake_recipes::store::{Node, dht, documents, messages};
use overtake_recipes::{DataEnvironment, StoreError, store};

use super::context::Context;
use super::node::Obs;
use super::ops::Kind;
use crate::names::{LIMIT, Text};
use crate::stores::{Answer, Call, inside, outside};

impl Context {
    /// Sends the call now; the future waits for its answer. Dropping it gives the answer up, not the call.
    fn call(&self, call: Call) -> impl Future<Output = Result<Answer, StoreError>> + use<> {
        let op = self.op(Kind::Call(call));
        async move {
            match op.await {
                Obs::Answer(_, Some(result)) => result,
                other => unreachable!("a call answered with {other}"),
            }
        }
    }
}

impl DataEnvironment for Context {
    type Dht = SimDht;
    type Documents = SimDocuments;
    type Messages = SimMessages;
    type Search = SimSearch;

    fn dht(&self) -> SimDht {
        SimDht { ctx: self.clone() }
    }

    fn documents(&self) -> SimDocuments {
        SimDocuments { ctx: self.clone() }
    }

    fn messages(&self) -> SimMessages {
        SimMessages { ctx: self.clone() }
    }

    fn search(&self) -> SimSearch {
        SimSearch { ctx: self.clone() }
    }
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            ctx: Context,
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

handle!(
    /// The hash table's client.
    SimDht
);
handle!(
    /// The document store's client.
    SimDocuments
);
handle!(
    /// The queues' client.
    SimMessages
);
handle!(
    /// The search endpoint's client.
    SimSearch
);

impl store::Dht for SimDht {
    fn request(&self, request: dht::Request) -> impl Future<Output = Result<dht::Response, StoreError>> {
        let call = self.ctx.call(Call::Dht(inside(request)));
        async {
            match call.await? {
                Answer::Dht(response) => Ok(outside(response)),
                other => unreachable!("a node of the hash table answered with {other}"),
            }
        }
    }

    fn owner(&self, key: &str) -> Node {
        let inner = self.ctx.inner.borrow();
        let table = inner.table.as_ref().unwrap_or_else(|| panic!("{LIMIT}a hash table, and the world has none"));
        table.owner(inner.ring, key)
    }
}

impl store::Documents for SimDocuments {
    fn request(&self, request: documents::Request) -> impl Future<Output = Result<documents::Response, StoreError>> {
        let call = self.ctx.call(Call::Documents(inside(request)));
        async {
            match call.await? {
                Answer::Documents(response) => Ok(outside(response)),
                other => unreachable!("the document store answered with {other}"),
            }
        }
    }
}

impl store::Messages for SimMessages {
    fn request(&self, request: messages::Request) -> impl Future<Output = Result<messages::Response, StoreError>> {
        let call = self.ctx.call(Call::Messages(inside(request)));
        async {
            match call.await? {
                Answer::Messages(response) => Ok(outside(response)),
                other => unreachable!("the queues answered with {other}"),
            }
        }
    }
}

impl store::Search for SimSearch {
    fn query(&self, text: &str) -> impl Future<Output = Result<String, StoreError>> {
        let call = self.ctx.call(Call::Search(Text::new(text)));
        async {
            match call.await? {
                Answer::Search(results) => Ok(results.full()),
                other => unreachable!("the search endpoint answered with {other}"),
            }
        }
    }
}
