//! Steps that the programs of the reports share. They are right; what is wrong stands in the reports.

use overtake_recipes::store::documents::{Op, Response, eq};
use overtake_recipes::store::{Change, DataEnvironment, Dht, Documents, Expiration, Filter, Isolation, Item};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::{self, Stores};

/// How a program ends.
pub type Ended = Result<(), StoreError>;

/// A world with a document store.
pub fn documents(store: stores::Documents) -> Stores {
    Stores { documents: Some(store), ..Stores::default() }
}

/// A world with a hash table.
pub fn table(table: stores::Dht) -> Stores {
    Stores { dht: Some(table), ..Stores::default() }
}

/// The document of that `_id`.
pub fn by_id(id: &str) -> Filter {
    eq("_id", id)
}

/// The value of the field is at least that.
pub fn at_least(field: &'static str, value: impl Into<Value>) -> Filter {
    Filter::Gte(field.into(), value.into())
}

/// The value of the field is less than that.
pub fn less(field: &'static str, value: impl Into<Value>) -> Filter {
    Filter::Lt(field.into(), value.into())
}

/// `$push` to a list.
pub fn push(field: &'static str, value: impl Into<Value>) -> Change {
    Change::Push(field.into(), value.into())
}

/// The document of that `_id`, [`Value::Null`] when there is none: its fields then read as 0 and empty.
pub async fn read(ctx: &Context, collection: &'static str, id: &str) -> Result<Value, StoreError> {
    Ok(ctx.documents().find_one(collection, by_id(id)).await?.unwrap_or_default())
}

/// Changes the first document that matches: whether there was one.
pub async fn change(
    ctx: &Context,
    collection: &'static str,
    filter: Filter,
    changes: Vec<Change>,
) -> Result<bool, StoreError> {
    Ok(ctx.documents().update_one(collection, filter, changes).await?.matched > 0)
}

/// The client's only transaction.
pub struct Transaction<'a> {
    ctx: &'a Context,
}

impl<'a> Transaction<'a> {
    /// Begins it.
    pub async fn begin(ctx: &'a Context, isolation: Isolation) -> Result<Self, StoreError> {
        ctx.documents().within(0, "", Op::Begin(isolation)).await?;
        Ok(Self { ctx })
    }

    async fn run(&self, collection: &'static str, op: Op) -> Result<Response, StoreError> {
        self.ctx.documents().within(0, collection, op).await
    }

    /// The document of that `_id`, [`Value::Null`] when there is none.
    pub async fn read(&self, collection: &'static str, id: &str) -> Result<Value, StoreError> {
        Ok(self.run(collection, Op::FindOne(by_id(id))).await?.document().unwrap_or_default())
    }

    /// The same, locked until the end of the transaction.
    pub async fn lock(&self, collection: &'static str, id: &str) -> Result<Value, StoreError> {
        Ok(self.run(collection, Op::FindForUpdate(by_id(id))).await?.document().unwrap_or_default())
    }

    /// All documents that match.
    pub async fn find(&self, collection: &'static str, filter: Filter) -> Result<Vec<Value>, StoreError> {
        Ok(self.run(collection, Op::Find(filter, None)).await?.documents())
    }

    /// Makes a document.
    pub async fn insert(&self, collection: &'static str, document: Value) -> Ended {
        self.run(collection, Op::Insert(document)).await.map(drop)
    }

    /// Changes the first document that matches: whether there was one.
    pub async fn change(
        &self,
        collection: &'static str,
        filter: Filter,
        changes: Vec<Change>,
    ) -> Result<bool, StoreError> {
        Ok(self.run(collection, Op::UpdateOne(filter, changes, false)).await?.updated().matched > 0)
    }

    /// Ends it; all of it takes effect, or none.
    pub async fn commit(self) -> Ended {
        self.run("", Op::Commit).await.map(drop)
    }

    /// Ends it without effect.
    pub async fn abort(self) -> Ended {
        self.run("", Op::Abort).await.map(drop)
    }
}

/// The item of a key that is never taken away.
pub async fn get(ctx: &Context, key: &str) -> Result<Item, StoreError> {
    Ok(ctx.dht().get(key).await?.expect("nothing takes it away"))
}

/// Stores for good.
pub async fn put(ctx: &Context, key: &str, value: impl Into<Value>) -> Ended {
    ctx.dht().set(key, value.into(), Expiration::Never).await
}

/// The list with one element more.
pub fn with(list: &Value, element: &str) -> Value {
    let mut elements = list.as_list().unwrap_or_default().to_vec();
    elements.push(element.into());
    Value::List(elements)
}

/// Makes the call again until there is an answer. For calls that may take effect twice.
pub async fn insist<T, F: Future<Output = Result<T, StoreError>>>(
    mut call: impl FnMut() -> F,
) -> Result<T, StoreError> {
    loop {
        match call().await {
            Err(StoreError::Unknown) => {}
            answer => return answer,
        }
    }
}
