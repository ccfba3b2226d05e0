//! ZooKeeper's client library as a program sees it, inside the simulator.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use overtake_recipes::zookeeper::{AddWatchMode, CreateMode, Op, OpResult, Stat, WatchedEvent};
use overtake_recipes::{Watch, ZkError, ZooKeeper};

use super::context::{Context, OpFuture};
use super::node::{Obs, Unread};
use super::ops::{Kind, OpState};
use crate::names::{LIMIT, Text, session_number};
use crate::zookeeper::{MultiResult, Request, Response, Stat as WireStat, Write};

/// The client's handle: one connection, one session at a time.
#[derive(Clone)]
pub struct SimZooKeeper {
    ctx: Context,
}

impl fmt::Debug for SimZooKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimZooKeeper")
    }
}

fn text(data: &[u8]) -> Text {
    Text::new(std::str::from_utf8(data).unwrap_or_else(|_| panic!("{LIMIT}node data in the simulator is text")))
}

fn bytes(data: Option<Text>) -> Vec<u8> {
    data.map_or(Vec::new(), |text| text.full().into_bytes())
}

fn write(op: Op) -> Write {
    match op {
        Op::Create { path, data, mode } => Write::Create { path: Text::new(&path), data: Some(text(&data)), mode },
        Op::Delete { path, version } => Write::Delete { path: Text::new(&path), version },
        Op::SetData { path, data, version } => {
            Write::SetData { path: Text::new(&path), data: Some(text(&data)), version }
        }
        Op::Check { path, version } => Write::Check { path: Text::new(&path), version },
    }
}

impl SimZooKeeper {
    pub(super) fn new(ctx: Context) -> Self {
        Self { ctx }
    }

    /// Sends the request now; the future waits for the answer and the watch that came with it.
    fn call(&self, request: Request) -> Call {
        Call { op: self.ctx.op(Kind::Request(request)) }
    }

    fn stat(&self, stat: WireStat) -> Stat {
        let disguise = self.ctx.inner.borrow().disguise;
        let zxid = |zxid: u32| match zxid {
            0 => disguise.untracked_zxid,
            zxid => i64::from(zxid),
        };
        Stat {
            czxid: zxid(stat.czxid),
            mzxid: zxid(stat.mzxid),
            pzxid: zxid(stat.pzxid),
            version: stat.version,
            cversion: disguise.cversion.unwrap_or(stat.cversion),
            aversion: stat.aversion,
            ephemeral_owner: stat.owner.map_or(0, session_number),
            data_length: stat.data_length as i32,
            num_children: stat.children as i32,
        }
    }
}

/// A request whose answer the program waits for.
struct Call {
    op: OpFuture,
}

impl Future for Call {
    type Output = Result<(Response, Option<SimWatch>), ZkError>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let id = self.op.id;
        let mut inner = self.op.inner.borrow_mut();
        let Some(obs) = inner.ops[id].ready.take() else { return Poll::Pending };
        let Obs::Reply(_, Some(result)) = obs else { unreachable!("a request answered with something else") };
        let watch = inner.ops[id].watch;
        inner.changed = true;
        inner.live_over(id);
        drop(inner);
        self.op.done = true;
        let watch = watch.map(|id| SimWatch { ctx: Context::new(self.op.inner.clone()), id });
        Poll::Ready(result.map(|response| (response, watch)))
    }
}

impl ZooKeeper for SimZooKeeper {
    type Watch = SimWatch;

    fn create(&self, path: &str, data: &[u8], mode: CreateMode) -> impl Future<Output = Result<String, ZkError>> {
        let path = Text::new(path);
        let call = self.call(Request::Write(Write::Create { path, data: Some(text(data)), mode }));
        async move {
            match call.await?.0 {
                Response::Created(path) => Ok(path.full()),
                other => unreachable!("create answered with {other}"),
            }
        }
    }

    fn delete(&self, path: &str, version: Option<i32>) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::Write(Write::Delete { path: Text::new(path), version }));
        async move { call.await.map(drop) }
    }

    fn set_data(&self, path: &str, data: &[u8], version: Option<i32>) -> impl Future<Output = Result<Stat, ZkError>> {
        let path = Text::new(path);
        let call = self.call(Request::Write(Write::SetData { path, data: Some(text(data)), version }));
        let this = self.clone();
        async move {
            match call.await?.0 {
                Response::Set(stat) => Ok(this.stat(stat)),
                other => unreachable!("setData answered with {other}"),
            }
        }
    }

    fn get_data(&self, path: &str) -> impl Future<Output = Result<(Vec<u8>, Stat), ZkError>> {
        let call = self.call(Request::GetData { path: Text::new(path), watch: false });
        let this = self.clone();
        async move {
            match call.await?.0 {
                Response::Data(data, stat) => Ok((bytes(data), this.stat(stat))),
                other => unreachable!("getData answered with {other}"),
            }
        }
    }

    fn watch_data(&self, path: &str) -> impl Future<Output = Result<(Vec<u8>, Stat, SimWatch), ZkError>> {
        let call = self.call(Request::GetData { path: Text::new(path), watch: true });
        let this = self.clone();
        async move {
            match call.await? {
                (Response::Data(data, stat), Some(watch)) => Ok((bytes(data), this.stat(stat), watch)),
                (other, _) => unreachable!("getData answered with {other}"),
            }
        }
    }

    fn exists(&self, path: &str) -> impl Future<Output = Result<Option<Stat>, ZkError>> {
        let call = self.call(Request::Exists { path: Text::new(path), watch: false });
        let this = self.clone();
        async move {
            match call.await?.0 {
                Response::Exists(stat) => Ok(stat.map(|s| this.stat(s))),
                other => unreachable!("exists answered with {other}"),
            }
        }
    }

    fn watch_exists(&self, path: &str) -> impl Future<Output = Result<(Option<Stat>, SimWatch), ZkError>> {
        let call = self.call(Request::Exists { path: Text::new(path), watch: true });
        let this = self.clone();
        async move {
            match call.await? {
                (Response::Exists(stat), Some(watch)) => Ok((stat.map(|s| this.stat(s)), watch)),
                (other, _) => unreachable!("exists answered with {other}"),
            }
        }
    }

    fn children(&self, path: &str) -> impl Future<Output = Result<Vec<String>, ZkError>> {
        let call = self.call(Request::GetChildren { path: Text::new(path), watch: false });
        async move {
            match call.await?.0 {
                Response::Children(names) => Ok(names.iter().map(|name| name.full()).collect()),
                other => unreachable!("getChildren answered with {other}"),
            }
        }
    }

    fn watch_children(&self, path: &str) -> impl Future<Output = Result<(Vec<String>, SimWatch), ZkError>> {
        let call = self.call(Request::GetChildren { path: Text::new(path), watch: true });
        async move {
            match call.await? {
                (Response::Children(names), Some(watch)) => Ok((names.iter().map(|name| name.full()).collect(), watch)),
                (other, _) => unreachable!("getChildren answered with {other}"),
            }
        }
    }

    fn multi(&self, ops: Vec<Op>) -> impl Future<Output = Result<Vec<OpResult>, ZkError>> {
        let call = self.call(Request::Multi(ops.into_iter().map(write).collect()));
        let this = self.clone();
        async move {
            let Response::Multi(results) = call.await?.0 else { unreachable!("multi answered with something else") };
            let result = |r: &MultiResult| match r {
                MultiResult::Created(path) => OpResult::Created(path.full()),
                MultiResult::Set(stat) => OpResult::Set(this.stat(*stat)),
                MultiResult::Done => OpResult::Done,
            };
            Ok(results.iter().map(result).collect())
        }
    }

    fn sync(&self, _: &str) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::Sync);
        async move { call.await.map(drop) }
    }

    fn add_watch(&self, path: &str, mode: AddWatchMode) -> impl Future<Output = Result<SimWatch, ZkError>> {
        let call = self.call(Request::AddWatch { path: Text::new(path), mode });
        async move { Ok(call.await?.1.expect("addWatch leaves a watch")) }
    }

    fn remove_watches(&self, path: &str) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::RemoveWatches { path: Text::new(path) });
        async move { call.await.map(drop) }
    }

    fn session_id(&self) -> i64 {
        match self.ctx.inner.borrow().session {
            0 => 0,
            session => session_number(session),
        }
    }

    fn session_events(&self) -> SimWatch {
        let id = self.ctx.inner.borrow_mut().issue(Kind::Watch(None, Text::new("")));
        SimWatch { ctx: self.ctx.clone(), id }
    }

    fn close(&self) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::CloseSession);
        async move { call.await.map(drop) }
    }

    fn connect(&self) -> impl Future<Output = Result<(), ZkError>> {
        let call = self.call(Request::OpenSession);
        async move { call.await.map(drop) }
    }
}

/// A watch inside the simulator.
pub struct SimWatch {
    ctx: Context,
    id: usize,
}

impl fmt::Debug for SimWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimWatch").field("id", &self.id).finish()
    }
}

impl SimWatch {
    fn event(op: &OpState, unread: Unread) -> WatchedEvent {
        match (unread, &op.kind) {
            (Unread::Session(state), _) => WatchedEvent::Session(state),
            (Unread::Node(kind, path), Kind::Watch(_, own)) => {
                WatchedEvent::Node { kind, path: path.unwrap_or(*own).full() }
            }
            (Unread::Node(..), _) => unreachable!("an event for something that is no watch"),
        }
    }
}

impl Watch for SimWatch {
    fn next(&mut self) -> impl Future<Output = WatchedEvent> {
        std::future::poll_fn(|_| {
            let mut inner = self.ctx.inner.borrow_mut();
            let Some(unread) = inner.ops[self.id].unread.pop_front() else {
                return std::task::Poll::Pending;
            };
            inner.changed = true;
            std::task::Poll::Ready(Self::event(&inner.ops[self.id], unread))
        })
    }
}

impl Drop for SimWatch {
    fn drop(&mut self) {
        if let Ok(mut inner) = self.ctx.inner.try_borrow_mut() {
            inner.ops[self.id].dropped = true;
            inner.live_over(self.id);
            inner.changed = true;
        }
    }
}
