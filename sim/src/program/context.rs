//! The only door between a program and the world.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use overtake_recipes::{Environment, FencedResource, Stale, Token};
use smallvec::SmallVec;

use super::client::SimZooKeeper;
use super::node::Obs;
use super::ops::{Inner, Kind};
use crate::clock::rng::Rng;
use crate::names::{LIMIT, Text, many_ids, who};
use crate::resource::Effect;

/// Gives a program its services, time, randomness, tasks, marks and checkpoints, and nothing else.
#[derive(Clone)]
pub struct Context {
    pub(super) inner: Rc<RefCell<Inner>>,
}

impl Context {
    pub(super) fn new(inner: Rc<RefCell<Inner>>) -> Self {
        Self { inner }
    }

    /// Shows a fact to the properties, with a value that says more (the path of the lock node).
    pub fn mark_with(&self, name: &'static str, value: &str) {
        self.set_mark(name, Some(Text::new(value)));
    }

    /// Shows a fact to the properties.
    pub fn mark(&self, name: &'static str) {
        self.set_mark(name, None);
    }

    /// Takes a fact back.
    pub fn unmark(&self, name: &'static str) {
        let mut inner = self.inner.borrow_mut();
        if inner.marks.remove(name).is_some() {
            inner.changed = true;
            inner.live_mark(name, false);
        }
    }

    fn set_mark(&self, name: &'static str, value: Option<Text>) {
        let mut inner = self.inner.borrow_mut();
        if inner.marks.insert(name, value) != Some(value) {
            inner.changed = true;
            inner.live_mark(name, true);
        }
    }

    /// A step of the program's own that takes time: the work inside a critical section.
    pub fn work(&self, label: &'static str) -> impl Future<Output = ()> + use<> {
        let op = self.op(Kind::Work(label));
        async move {
            op.await;
        }
    }

    /// The resource that the lock protects, in a world that has one.
    pub fn resource(&self) -> SimResource {
        SimResource { ctx: self.clone() }
    }

    /// A free choice of a number below `n`: the search tries each.
    pub fn choose(&self, n: u8) -> impl Future<Output = u8> + use<> {
        let op = self.op(Kind::Choice(n));
        async move {
            match op.await {
                Obs::Choice(_, value) => value,
                other => unreachable!("a choice answered with {other}"),
            }
        }
    }

    /// Completes when the caller is interrupted (a fault with a budget of its own).
    pub fn interrupted(&self) -> impl Future<Output = ()> + use<> {
        let op = self.op(Kind::Interrupt);
        async move {
            op.await;
        }
    }

    /// Runs a call that may be cancelled at any of its awaits: `None` when it was, its future dropped.
    pub async fn cancellable<F: Future>(&self, call: F) -> Option<F::Output> {
        let call = std::pin::pin!(call);
        let interrupted = std::pin::pin!(self.interrupted());
        match futures_util::future::select(call, interrupted).await {
            futures_util::future::Either::Left((output, _)) => Some(output),
            futures_util::future::Either::Right(((), _)) => None,
        }
    }

    /// Awaits a call that checkpoints inside (a recipe's), while the caller keeps values that matter afterwards: they
    /// become part of the key of each such checkpoint. Without it a checkpoint of the recipe forgets its caller's state.
    pub async fn keeping<F: Future>(&self, key: &[&str], call: F) -> F::Output {
        let key: Vec<Text> = key.iter().map(|text| Text::new(text)).collect();
        let mut call = std::pin::pin!(call);
        std::future::poll_fn(|cx| {
            let before = self.inner.borrow().kept.len();
            self.inner.borrow_mut().kept.extend_from_slice(&key);
            let polled = call.as_mut().poll(cx);
            self.inner.borrow_mut().kept.truncate(before);
            polled
        })
        .await
    }

    /// Runs a future beside the others of this client and hands out its result.
    pub fn spawn_task<T: 'static>(&self, task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
        let slot = Rc::new(RefCell::new(None));
        let (result, inner) = (slot.clone(), self.inner.clone());
        self.inner.borrow_mut().spawned.push(Box::pin(async move {
            *result.borrow_mut() = Some(task.await);
            inner.borrow_mut().changed = true;
            None
        }));
        self.inner.borrow_mut().changed = true;
        JoinHandle { slot }
    }

    pub(super) fn op(&self, kind: Kind) -> OpFuture {
        let id = self.inner.borrow_mut().issue(kind);
        OpFuture { inner: self.inner.clone(), id, done: false }
    }
}

impl Environment for Context {
    type ZooKeeper = SimZooKeeper;

    fn zookeeper(&self) -> SimZooKeeper {
        SimZooKeeper::new(self.clone())
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> {
        let op = self.op(Kind::Timer(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)));
        async move {
            op.await;
        }
    }

    /// A function of the scenario's seed, the client and the bound: no hidden state, so that checkpoints stay honest. Clients
    /// that share their nodes share it too; give them different pauses with `literal_owners`.
    fn jitter(&self, below: u32) -> u32 {
        let inner = self.inner.borrow();
        let drawn = |seed| Rng::new(seed).fork(inner.slot as u64).fork(below.into()).below(below.max(1).into());
        inner.jitter.map_or(0, |seed| drawn(seed) as u32)
    }

    fn unique_id(&self) -> String {
        let mut inner = self.inner.borrow_mut();
        if inner.live.is_some() {
            inner.drawn += 1;
            return crate::names::unique_id(many_ids(inner.slot, inner.drawn - 1));
        }
        assert!(
            inner.drawn < inner.ids_end,
            "{LIMIT}a client draws more unique ids than a world can name; put a bound on its loop"
        );
        let id = who(inner.slot, inner.drawn);
        inner.drawn += 1;
        crate::names::unique_id(id.into())
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        drop(self.spawn_task(task));
    }

    fn keeping<F: Future>(&self, key: &[&str], call: F) -> impl Future<Output = F::Output> {
        Context::keeping(self, key, call)
    }

    fn checkpoint(&self, place: &'static str, key: &[&str]) {
        let mut inner = self.inner.borrow_mut();
        if inner.live.is_some() {
            return;
        }
        let (task, at) = (inner.current_task, inner.observed);
        let mut key: SmallVec<[Text; 2]> = key.iter().map(|text| Text::new(text)).collect();
        key.extend_from_slice(&inner.kept);
        inner.anchors[task].anchor = Some((place, key));
        inner.anchors[task].at = at;
    }
}

/// The resource, as a program reaches it. Its wire has nothing to do with the connection to ZooKeeper: a write goes through
/// whatever has become of the session.
#[derive(Clone)]
pub struct SimResource {
    ctx: Context,
}

impl std::fmt::Debug for SimResource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SimResource")
    }
}

impl FencedResource for SimResource {
    fn write(&self, path: &str, token: Token) -> impl Future<Output = Result<(), Stale>> {
        let session = self.ctx.inner.borrow().session;
        let op = self.ctx.op(Kind::Effect(Effect { session, path: Text::new(path), token: token.into() }));
        async move {
            match op.await {
                Obs::Written(_, true) => Ok(()),
                Obs::Written(_, false) => Err(Stale),
                other => unreachable!("a write answered with {other}"),
            }
        }
    }
}

/// The result of a spawned task.
#[derive(Debug)]
pub struct JoinHandle<T> {
    slot: Rc<RefCell<Option<T>>>,
}

impl<T> Future for JoinHandle<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<T> {
        self.slot.borrow_mut().take().map_or(Poll::Pending, Poll::Ready)
    }
}

/// An operation whose end the program waits for.
pub(super) struct OpFuture {
    pub(super) inner: Rc<RefCell<Inner>>,
    pub(super) id: usize,
    pub(super) done: bool,
}

impl Future for OpFuture {
    type Output = Obs;

    fn poll(mut self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Obs> {
        let id = self.id;
        let mut inner = self.inner.borrow_mut();
        let Some(obs) = inner.ops[id].ready.take() else {
            return Poll::Pending;
        };
        inner.changed = true;
        inner.live_over(id);
        drop(inner);
        self.done = true;
        Poll::Ready(obs)
    }
}

impl Drop for OpFuture {
    fn drop(&mut self) {
        // A future may be dropped while the run itself is being torn down.
        if let (false, Ok(mut inner)) = (self.done, self.inner.try_borrow_mut()) {
            let watch = inner.ops[self.id].watch;
            inner.ops[self.id].dropped = true;
            if let Some(watch) = watch {
                inner.ops[watch].dropped = true;
            }
            inner.live_dropped(self.id, watch);
            inner.changed = true;
        }
    }
}
