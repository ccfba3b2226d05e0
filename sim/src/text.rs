//! Requests, answers and events as people read them.

use std::fmt;

use overtake_recipes::CreateMode;

use crate::names::{PER_CLIENT, Text, slot_of};
use crate::zookeeper::{MultiResult, Request, Response, Stat, Write};

fn mode(mode: CreateMode) -> &'static str {
    match mode {
        CreateMode::Persistent => "persistent",
        CreateMode::PersistentSequential => "persistent, sequential",
        CreateMode::Ephemeral => "ephemeral",
        CreateMode::EphemeralSequential => "ephemeral, sequential",
        CreateMode::Container => "container",
    }
}

fn version(version: Option<i32>) -> String {
    version.map_or(String::new(), |v| format!(" at version {v}"))
}

fn data(data: Option<Text>) -> String {
    match data.map(Text::short) {
        Some(text) if text.is_empty() => String::new(),
        Some(text) => format!(" {text:?}"),
        None => String::new(),
    }
}

impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Write::Create { path, data: d, mode: m } => {
                write!(f, "create {}{} ({})", path.short(), data(*d), mode(*m))
            }
            Write::Delete { path, version: v } => {
                write!(f, "delete {}{}", path.short(), version(*v))
            }
            Write::SetData { path, data: d, version: v } => {
                write!(f, "setData {}{}{}", path.short(), data(*d), version(*v))
            }
            Write::Check { path, version: v } => write!(f, "check {}{}", path.short(), version(*v)),
        }
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    write!(f, "[")?;
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    write!(f, "]")
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = |watch: &bool| if *watch { " and watch" } else { "" };
        match self {
            Request::Write(write) => write!(f, "{write}"),
            Request::Multi(writes) => {
                write!(f, "multi ")?;
                list(f, writes)
            }
            Request::Exists { path, watch } => {
                write!(f, "exists {}{}", path.short(), watched(watch))
            }
            Request::GetData { path, watch } => {
                write!(f, "getData {}{}", path.short(), watched(watch))
            }
            Request::GetChildren { path, watch } => {
                write!(f, "getChildren {}{}", path.short(), watched(watch))
            }
            Request::Sync => write!(f, "sync"),
            Request::AddWatch { path, mode } => write!(f, "addWatch {} ({mode:?})", path.short()),
            Request::RemoveWatches { path } => write!(f, "removeWatches {}", path.short()),
            Request::OpenSession => write!(f, "open a session"),
            Request::CloseSession => write!(f, "close the session"),
        }
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {}", self.version)?;
        if let Some(owner) = self.owner {
            write!(f, ", owner session {}.{}", slot_of(owner) + 1, owner % PER_CLIENT)?;
        }
        if self.czxid != 0 {
            write!(f, ", czxid {}", self.czxid)?;
        }
        Ok(())
    }
}

impl fmt::Display for MultiResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MultiResult::Created(path) => write!(f, "created {}", path.short()),
            MultiResult::Set(stat) => write!(f, "set, {stat}"),
            MultiResult::Done => write!(f, "ok"),
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Response::Created(path) => write!(f, "created {}", path.short()),
            Response::Done => write!(f, "ok"),
            Response::Set(stat) => write!(f, "set, {stat}"),
            Response::Data(d, stat) => write!(f, "data{}, {stat}", data(*d)),
            Response::Exists(Some(stat)) => write!(f, "exists, {stat}"),
            Response::Exists(None) => write!(f, "does not exist"),
            Response::Children(names) => {
                write!(f, "children ")?;
                list(f, &names.iter().map(|n| n.short()).collect::<Vec<_>>())
            }
            Response::Multi(results) => {
                write!(f, "multi ")?;
                list(f, results)
            }
            Response::Opened(session) => {
                write!(f, "session {}.{}", slot_of(*session) + 1, session % PER_CLIENT)
            }
        }
    }
}
