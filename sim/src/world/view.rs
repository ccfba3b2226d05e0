//! A state as values, for properties and stories.

use super::history::Recorded;
use super::services::Services;
use super::{Budget, CRASHED, Client, Flight, Frame, LateCall, Link, World};
use crate::ensemble::Ensemble;
use crate::names::{Text, Who};
use crate::program::{NodeKey, OpView, Outcome};
use crate::resource::Resource;
use crate::stores::{Call, Progress, Stores};
use crate::zookeeper::{Request, ZooKeeper};

/// A state of a world.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    world: &'a World,
    words: &'a [u32],
}

/// A client in a state of a world.
#[derive(Clone, Copy, Debug)]
pub struct ClientView<'a> {
    world: &'a World,
    client: &'a Client,
    slot: usize,
}

impl<'a> View<'a> {
    pub(super) fn new(world: &'a World, words: &'a [u32]) -> Self {
        Self { world, words }
    }

    /// The world.
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// The server; with several, the tree with all that is committed.
    pub fn zookeeper(&self) -> &'a ZooKeeper {
        self.services().zookeeper()
    }

    /// All servers.
    pub fn ensemble(&self) -> &'a Ensemble {
        &self.services().ensemble
    }

    /// What the lock protects, in a world that has it.
    pub fn resource(&self) -> Option<&'a Resource> {
        self.services().resource.as_deref()
    }

    /// The stores for data.
    pub fn stores(&self) -> &'a Stores {
        &self.services().stores
    }

    /// What was called and answered so far; empty in worlds that do not keep it.
    pub fn history(&self) -> &'a [Recorded] {
        self.services().history.as_deref().map_or(&[], Vec::as_slice)
    }

    fn services(&self) -> &'a Services {
        self.world.services.get(self.words[1])
    }

    /// The faults still allowed.
    pub fn budget(&self) -> Budget {
        Budget::unpack([self.words[0], self.services().faults])
    }

    /// The clients, by slot.
    pub fn clients(&self) -> impl Iterator<Item = ClientView<'a>> + use<'a> {
        let (world, words) = (self.world, self.words);
        (0..words.len() - 2).map(move |slot| ClientView { world, client: world.clients.get(words[2 + slot]), slot })
    }

    /// The client at the slot.
    pub fn client(&self, slot: usize) -> ClientView<'a> {
        ClientView { world: self.world, client: self.world.clients.get(self.words[2 + slot]), slot }
    }

    /// Whether every program is over and nothing is on the wires but what nobody waits for.
    pub fn everybody_is_done(&self) -> bool {
        self.clients().all(|c| c.is_crashed() || c.client.is_over(&self.world.automaton))
    }
}

impl<'a> ClientView<'a> {
    /// The client's place.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// The client's name.
    pub fn name(&self) -> &'a str {
        &self.world.setup.clients[self.slot].name
    }

    /// Whether its process is dead.
    pub fn is_crashed(&self) -> bool {
        self.client.node == CRASHED
    }

    /// Whether its program is over and waits for nothing.
    pub fn is_over(&self) -> bool {
        self.client.is_over(&self.world.automaton)
    }

    /// The server that the client is attached to, or was last.
    pub fn server(&self) -> u8 {
        self.client.server
    }

    /// The connection, as the library has it.
    pub fn link(&self) -> Link {
        self.client.link
    }

    /// The session that the library has, `None` without one.
    pub fn session(&self) -> Option<Who> {
        let session = self.world.session_of(self.client, self.slot);
        (session != 0).then_some(session)
    }

    /// The node of the automaton; `None` when the process is dead.
    pub fn key(&self) -> Option<&'a NodeKey> {
        self.client.key(&self.world.automaton)
    }

    /// The value of a mark, in the world's names; `None` when it is not set.
    pub fn mark(&self, name: &str) -> Option<Option<Text>> {
        let mut value = self.key()?.mark(name)?;
        self.client.resolve(&self.world.automaton, &mut value);
        self.world.own_names(&mut value, self.slot, false);
        Some(value)
    }

    /// Whether a mark is set.
    pub fn is_marked(&self, name: &str) -> bool {
        self.key().is_some_and(|key| key.mark(name).is_some())
    }

    /// The names of the marks that are set.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> + use<'a> {
        self.key().into_iter().flat_map(|key| key.marks.iter().map(|m| m.0))
    }

    /// How the program ended, if it has.
    pub fn outcome(&self) -> Option<&'a Outcome> {
        self.key()?.outcome.as_ref()
    }

    /// Requests since the last event or change of marks, if the world counts them (at most 15).
    pub fn requests_since_event(&self) -> u8 {
        self.key().map_or(0, |key| key.since)
    }

    /// What the client waits for, in words.
    pub fn waits_for(&self) -> Vec<String> {
        let Some(key) = self.key() else {
            return Vec::new();
        };
        let ops = key.ops.iter().filter_map(|op| {
            let mut op = op.clone();
            self.client.resolve(&self.world.automaton, &mut op);
            self.world.own_names(&mut op, self.slot, false);
            Some(match op {
                OpView::Request(request, _) => format!("the reply to {request}"),
                OpView::Watch(Some(_), path, _) => format!("an event on {}", path.short()),
                OpView::Watch(None, ..) | OpView::Interrupt => return None,
                OpView::Ready(_) => "nothing (an answer is there)".into(),
                OpView::Timer(_) => "a timer".into(),
                OpView::Work(label) => format!("its own work ({label})"),
                OpView::Choice(_) => "a choice".into(),
                OpView::Call(call, _) => format!("the answer to {call}"),
                OpView::Effect(effect) => format!("the resource to take its write ({})", effect.token),
            })
        });
        ops.collect()
    }

    /// The paths that the client watches, in the world's names.
    pub fn watched_paths(&self) -> Vec<Text> {
        let mut paths: Vec<Text> =
            self.client.watches(&self.world.automaton).into_iter().map(|(_, path)| path).collect();
        paths.iter_mut().for_each(|path| self.world.own_names(path, self.slot, false));
        paths
    }

    /// Frames that are on their way to the client; owners that are the client itself stand as in [`Client`].
    pub fn frames(&self) -> &'a [Frame] {
        &self.client.incoming
    }

    /// Requests that the server has not taken; owners that are the client itself stand as in [`Client`].
    pub fn requests(&self) -> &'a [Request] {
        &self.client.out
    }

    /// The open calls of the client to stores, in words, the oldest first.
    pub fn calls(&self) -> Vec<String> {
        let calls = (0..self.client.flights.len()).map(|at| self.world.call_at(self.client, self.slot, at as u8).0);
        calls.map(|call| call.to_string()).collect()
    }

    /// Calls of the client that are on their way although nobody waits for them, in words.
    pub fn given_up(&self) -> Vec<String> {
        let late = 0..self.client.late_calls.len() as u8;
        late.map(|at| self.world.call_at(self.client, self.slot, super::serve::LATE + at).0.to_string()).collect()
    }

    /// The calls of the client to stores that are not answered, in the world's names, the oldest first.
    pub fn unanswered(&self) -> impl Iterator<Item = Call> + '_ {
        let open = |(_, flight): &(usize, &Flight)| !matches!(flight, Flight::Answered(_));
        let calls = self.client.flights.iter().enumerate().filter(open);
        calls.map(|(at, _)| self.world.call_at(self.client, self.slot, at as u8).0)
    }

    /// The open call of that number, in the world's names, and how far a store has come with it.
    pub fn call(&self, at: usize) -> Option<(Call, Option<Progress>)> {
        (at < self.client.flights.len()).then(|| self.world.call_at(self.client, self.slot, at as u8))
    }

    /// How far the calls of the client to stores have come, the oldest first.
    pub fn flights(&self) -> &'a [Flight] {
        &self.client.flights
    }

    /// Calls of the client that are on their way although nobody waits for them.
    pub fn late_calls(&self) -> &'a [LateCall] {
        &self.client.late_calls
    }

    /// Frames that are on their way to the client, in words.
    pub fn incoming(&self) -> Vec<String> {
        let frames = self.client.incoming.iter().map(|frame| {
            let mut frame = frame.clone();
            self.world.own_names(&mut frame, self.slot, false);
            frame.to_string()
        });
        frames.collect()
    }

    /// Requests that the server has not taken, in words.
    pub fn outgoing(&self) -> Vec<String> {
        let requests = self.client.out.iter().map(|request| {
            let mut request = request.clone();
            self.world.own_names(&mut request, self.slot, false);
            request.to_string()
        });
        requests.collect()
    }
}
