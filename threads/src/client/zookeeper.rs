//! The client as the recipes see it.

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use overtake_recipes::{
    AddWatchMode, CreateMode, Op, OpResult, SessionState, Stat, Watch, WatchedEvent, ZkError, ZooKeeper,
};

use super::Client;
use super::hub::{Call, Watching, part};
use super::request::{Answer, Frame, Request, Response, Service, Table};
use crate::sync::{Part, Threads};

/// The client's handle, on one thread.
pub struct Handle<S: Threads, V: Service> {
    pub(super) client: Client<S, V>,
    /// The session in which the last create was sent.
    pub(super) created_in: Rc<Cell<i64>>,
}

impl<S: Threads, V: Service> Clone for Handle<S, V> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), created_in: self.created_in.clone() }
    }
}

impl<S: Threads, V: Service> fmt::Debug for Handle<S, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {}", self.client.inner.place + 1)
    }
}

/// A watch of a client.
pub struct HandleWatch<S: Threads, V: Service> {
    client: Client<S, V>,
    number: u64,
}

impl<S: Threads, V: Service> HandleWatch<S, V> {
    fn new(client: &Client<S, V>, number: u64) -> Self {
        Self { client: client.clone(), number }
    }
}

impl<S: Threads, V: Service> Watch for HandleWatch<S, V> {
    fn next(&mut self) -> impl Future<Output = WatchedEvent> {
        let Self { client, number } = self;
        poll_fn(move |context| {
            let what = || format!("looks at its watch {number}");
            let mut shared = client.inner.hub.lock(&[Part::written(part::inbox(client.inner.place))], what);
            let member = &mut shared.members[client.inner.place];
            let closed = member.closed;
            let Some(watch) = member.watches.get(*number) else {
                return Poll::Ready(WatchedEvent::Session(SessionState::Expired));
            };
            match watch.unread.pop_front() {
                Some(event) => {
                    watch.waits = None;
                    Poll::Ready(event)
                }
                None if closed => Poll::Ready(WatchedEvent::Session(SessionState::Expired)),
                None => {
                    watch.waker = Some(context.waker().clone());
                    watch.waits = Some(S::name());
                    Poll::Pending
                }
            }
        })
    }
}

impl<S: Threads, V: Service> Drop for HandleWatch<S, V> {
    fn drop(&mut self) {
        let what = || format!("forgets its watch {}", self.number);
        let parts = [Part::written(part::inbox(self.client.inner.place))];
        let mut shared = self.client.inner.hub.lock(&parts, what);
        shared.members[self.client.inner.place].watches.remove(self.number);
    }
}

impl Request {
    /// The watch that a successful request leaves.
    fn leaves(&self, answer: &Response) -> Option<(Table, String)> {
        match (self, answer) {
            (Request::GetData { path, watch: true }, _) => Some((Table::Data, path.clone())),
            (Request::Exists { path, watch: true }, Response::Exists(None)) => Some((Table::Exist, path.clone())),
            (Request::Exists { path, watch: true }, _) => Some((Table::Data, path.clone())),
            (Request::Children { path, watch: true }, _) => Some((Table::Child, path.clone())),
            (Request::AddWatch { path, mode: AddWatchMode::Persistent }, _) => Some((Table::Persistent, path.clone())),
            (Request::AddWatch { path, mode: AddWatchMode::PersistentRecursive }, _) => {
                Some((Table::Recursive, path.clone()))
            }
            _ => None,
        }
    }
}

impl<S: Threads, V: Service> Handle<S, V> {
    /// Makes the request now; the future waits for the answer, and hands out the watch that came with it.
    fn call(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<(Response, Option<HandleWatch<S, V>>), ZkError>> + use<S, V> {
        let client = self.client.clone();
        let (place, queue) = (client.inner.place, client.inner.options.replies_queue);
        let (answer, (watch, queued)) = client.inner.hub.serve(place, &request, queue, |shared, answer, told| {
            let watch = match answer {
                Ok(response) => request.leaves(response).map(|(table, path)| {
                    let watching = Watching { table, path, unread: Default::default(), waker: None, waits: None };
                    shared.members[place].watches.add(watching)
                }),
                Err(_) => None,
            };
            if let Request::Create { .. } = request {
                self.created_in.set(shared.service.session(place));
            }
            if let Ok(Response::Created(path)) = answer {
                shared.makers.push((path.clone(), S::name()));
            }
            let queued = queue.then(|| {
                let number = shared.members[place].calls.add(Call { answer: None, waker: None });
                shared.send(place, Frame::Reply(number, answer.clone()), told);
                number
            });
            (watch, queued)
        });
        async move {
            let answer: Answer = match queued {
                Some(number) => client.answer(number).await,
                None => answer,
            };
            answer.map(|response| (response, watch.map(|number| HandleWatch::new(&client, number))))
        }
    }
}

impl<S: Threads, V: Service> Client<S, V> {
    /// Waits until the event thread has delivered the answer.
    async fn answer(&self, number: u64) -> Answer {
        poll_fn(move |context| {
            let what = || format!("looks for the answer to call {number}");
            let mut shared = self.inner.hub.lock(&[Part::written(part::inbox(self.inner.place))], what);
            let member = &mut shared.members[self.inner.place];
            if member.closed {
                return Poll::Ready(Err(ZkError::SessionExpired));
            }
            let Some(call) = member.calls.get(number) else { return Poll::Ready(Err(ZkError::ConnectionLoss)) };
            match call.answer.take() {
                Some(answer) => {
                    member.calls.remove(number);
                    Poll::Ready(answer)
                }
                None => {
                    call.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

macro_rules! expect {
    ($call:expr, $pattern:pat => $value:expr) => {{
        let call = $call;
        async move {
            match call.await? {
                $pattern => Ok($value),
                (other, _) => unreachable!("an answer to something else: {other:?}"),
            }
        }
    }};
}

impl<S: Threads, V: Service> ZooKeeper for Handle<S, V> {
    type Watch = HandleWatch<S, V>;

    fn create(&self, path: &str, data: &[u8], mode: CreateMode) -> impl Future<Output = Result<String, ZkError>> {
        let request = Request::Create { path: path.into(), data: data.into(), mode };
        expect!(self.call(request), (Response::Created(path), _) => path)
    }

    fn delete(&self, path: &str, version: Option<i32>) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::Delete { path: path.into(), version });
        async move { call.await.map(drop) }
    }

    fn set_data(&self, path: &str, data: &[u8], version: Option<i32>) -> impl Future<Output = Result<Stat, ZkError>> {
        let request = Request::SetData { path: path.into(), data: data.into(), version };
        expect!(self.call(request), (Response::Set(stat), _) => stat)
    }

    fn get_data(&self, path: &str) -> impl Future<Output = Result<(Vec<u8>, Stat), ZkError>> {
        expect!(self.call(Request::GetData { path: path.into(), watch: false }), (Response::Data(data, stat), _) => (data, stat))
    }

    fn watch_data(&self, path: &str) -> impl Future<Output = Result<(Vec<u8>, Stat, Self::Watch), ZkError>> {
        let call = self.call(Request::GetData { path: path.into(), watch: true });
        expect!(call, (Response::Data(data, stat), Some(watch)) => (data, stat, watch))
    }

    fn exists(&self, path: &str) -> impl Future<Output = Result<Option<Stat>, ZkError>> {
        expect!(self.call(Request::Exists { path: path.into(), watch: false }), (Response::Exists(stat), _) => stat)
    }

    fn watch_exists(&self, path: &str) -> impl Future<Output = Result<(Option<Stat>, Self::Watch), ZkError>> {
        let call = self.call(Request::Exists { path: path.into(), watch: true });
        expect!(call, (Response::Exists(stat), Some(watch)) => (stat, watch))
    }

    fn children(&self, path: &str) -> impl Future<Output = Result<Vec<String>, ZkError>> {
        expect!(self.call(Request::Children { path: path.into(), watch: false }), (Response::Children(names), _) => names)
    }

    fn watch_children(&self, path: &str) -> impl Future<Output = Result<(Vec<String>, Self::Watch), ZkError>> {
        let call = self.call(Request::Children { path: path.into(), watch: true });
        expect!(call, (Response::Children(names), Some(watch)) => (names, watch))
    }

    fn multi(&self, ops: Vec<Op>) -> impl Future<Output = Result<Vec<OpResult>, ZkError>> {
        expect!(self.call(Request::Multi(ops)), (Response::Multi(results), _) => results)
    }

    fn sync(&self, _: &str) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::Sync);
        async move { call.await.map(drop) }
    }

    fn add_watch(&self, path: &str, mode: AddWatchMode) -> impl Future<Output = Result<Self::Watch, ZkError>> {
        expect!(self.call(Request::AddWatch { path: path.into(), mode }), (_, Some(watch)) => watch)
    }

    fn remove_watches(&self, path: &str) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::RemoveWatches { path: path.into() });
        async move { call.await.map(drop) }
    }

    fn session_id(&self) -> i64 {
        self.client.session()
    }

    fn session_events(&self) -> Self::Watch {
        let client = &self.client;
        let watching = Watching {
            table: Table::Session,
            path: String::new(),
            unread: Default::default(),
            waker: None,
            waits: None,
        };
        let what = || "listens to the connection".into();
        let parts = [Part::written(part::inbox(client.inner.place))];
        let number = client.inner.hub.lock(&parts, what).members[client.inner.place].watches.add(watching);
        HandleWatch::new(client, number)
    }

    fn close(&self) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::Close);
        async move { call.await.map(drop) }
    }

    fn connect(&self) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::Connect);
        async move { call.await.map(drop) }
    }
}
