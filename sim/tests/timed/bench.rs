//! A bench: one server (or a leader with a follower) and client libraries, nothing but their clocks and the wires between.

use std::collections::BTreeMap;

use overtake_sim::clock::{
    Alarm, ConnectionClock, Distribution, EventQueue, Granting, LearnerTouches, Library, MachineClock, Rng,
    SessionTracker,
};

/// Something done to the bench from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// The client, which has no library, sends a request or a ping.
    Asks(char),
    /// Packets of the client are lost both ways, for so long.
    Silent(char, u64),
    /// The process of the client stands still.
    Pauses(char, u64),
    /// The server stands still; when it wakes, the expiry thread is first, or the sockets are.
    ServerPauses(u64, bool),
    /// The server is down, or there is no leader: sessions get fresh time-outs after so long.
    Down(u64),
}

/// What is seen of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The server expired the session.
    Expired,
    /// The library told its program Disconnected.
    Disconnected,
    /// The library told its program SyncConnected (again).
    SyncConnected,
    /// The library told its program Expired.
    ToldExpired,
}

/// When, of whom, and what.
pub type Sight = (u64, char, Seen);

#[derive(Clone, Debug)]
enum Event {
    Act(usize),
    Library(char),
    Arrives(char, u64),
    Pong(char, u64),
    Attempt(char, u64),
    Connects(char, u64, u64),
    Told(char, bool),
    LeaderPings,
    Touched(Vec<char>),
    Tracker,
    Up,
    Healthy(char),
}

/// A client of the bench.
#[derive(Debug)]
struct Client {
    library: Option<&'static Library>,
    connection: Option<ConnectionClock>,
    clock: MachineClock,
    at_follower: bool,
    timeout: u64,
    epoch: u64,
    silent_until: u64,
    alarm: Option<u64>,
}

/// What a bench is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// `tickTime`, nanoseconds.
    pub tick: u64,
    /// One way between a client and a server.
    pub latency: Distribution,
    /// Name, library, wished time-out, and whether it is connected to the follower.
    pub clients: Vec<(char, Option<&'static Library>, u64, bool)>,
    /// Moments and what is done then.
    pub acts: Vec<(u64, Act)>,
    /// What the server's clock reads at the start: where its ticks lie.
    pub phase: u64,
    /// Most drift of a client, parts of a million.
    pub drift: u64,
    /// Pauses that any process makes now and then: the gap and the length.
    pub hiccups: Option<(Distribution, Distribution)>,
    /// When it ends.
    pub until: u64,
    /// The seed.
    pub seed: u64,
}

/// The bench as it runs.
pub struct Bench<'a> {
    setup: &'a Setup,
    queue: EventQueue<Event>,
    tracker: SessionTracker<char>,
    note: LearnerTouches<char>,
    clients: BTreeMap<char, Client>,
    granted: BTreeMap<char, u64>,
    server: MachineClock,
    down_until: u64,
    expiry_first: bool,
    alarm: Option<u64>,
    leader_expected: bool,
    rng: Rng,
    seen: Vec<Sight>,
}

impl<'a> Bench<'a> {
    /// Runs the bench to its end: the time-outs that were granted, and what was seen.
    pub fn run(setup: &'a Setup) -> (BTreeMap<char, u64>, Vec<Sight>) {
        let mut bench = Self {
            setup,
            queue: EventQueue::new(),
            tracker: SessionTracker::new(setup.tick, setup.phase),
            note: LearnerTouches::new(),
            clients: BTreeMap::new(),
            granted: BTreeMap::new(),
            server: MachineClock::default(),
            down_until: 0,
            expiry_first: true,
            alarm: None,
            leader_expected: false,
            rng: Rng::new(setup.seed),
            seen: Vec::new(),
        };
        bench.start();
        while let Some((now, event)) = bench.queue.pop() {
            if now > setup.until {
                break;
            }
            bench.happens(now, event);
        }
        (bench.granted, bench.seen)
    }

    fn start(&mut self) {
        let setup = self.setup;
        for &(name, library, wished, at_follower) in &setup.clients {
            let timeout = Granting::of_tick(setup.tick).negotiate(wished);
            self.granted.insert(name, timeout);
            self.tracker.add(name, timeout, setup.phase);
            let drift = self.rng.below(2 * setup.drift + 1) as i32 - setup.drift as i32;
            let connection = library.map(|l| ConnectionClock::connected(l, timeout, 1, 0, &mut self.rng));
            let clock = MachineClock::new(drift, 0);
            self.clients.insert(
                name,
                Client { library, connection, clock, at_follower, timeout, epoch: 0, silent_until: 0, alarm: None },
            );
            self.schedule(name);
            if let Some((gap, _)) = &setup.hiccups {
                let first = gap.sample(&mut self.rng);
                self.queue.push(first, Event::Healthy(name));
            }
        }
        for (at, (moment, _)) in setup.acts.iter().enumerate() {
            self.queue.push(*moment, Event::Act(at));
        }
        self.schedule_tracker();
    }

    fn client(&mut self, name: char) -> &mut Client {
        self.clients.get_mut(&name).expect("a client of the bench")
    }

    fn latency(&mut self) -> u64 {
        self.setup.latency.sample(&mut self.rng)
    }

    fn reading(&self, now: u64) -> u64 {
        self.setup.phase + now
    }

    /// When the server takes what arrives now, if later.
    fn later(&self, now: u64) -> Option<u64> {
        let at = self.server.runs_at(now).max(self.down_until);
        (at > now).then_some(at)
    }

    fn schedule(&mut self, name: char) {
        let now = self.queue.now();
        let client = self.client(name);
        let next = client.connection.as_ref().and_then(ConnectionClock::next_alarm);
        let Some(next) = next.map(|reading| client.clock.moment(reading).max(now + 1_000_000)) else { return };
        if client.alarm.is_none_or(|alarm| alarm > next) {
            client.alarm = Some(next);
            self.queue.push(next, Event::Library(name));
        }
    }

    fn schedule_tracker(&mut self) {
        let now = self.queue.now();
        let Some(next) = self.tracker.wakes_at().map(|reading| (reading - self.setup.phase).max(now)) else { return };
        if self.alarm.is_none_or(|alarm| alarm > next) {
            self.alarm = Some(next);
            self.queue.push(next, Event::Tracker);
        }
    }

    /// The leader pings every half tick; only a ping that finds something to tell is looked at.
    fn expect_leader(&mut self, now: u64) {
        if !std::mem::replace(&mut self.leader_expected, true) {
            let interval = LearnerTouches::<char>::interval(self.setup.tick);
            self.queue.push((now / interval + 1) * interval, Event::LeaderPings);
        }
    }

    fn see(&mut self, name: char, seen: Seen) {
        self.seen.push((self.queue.now(), name, seen));
    }

    fn happens(&mut self, now: u64, event: Event) {
        match event {
            Event::Act(at) => self.act(now, &self.setup.acts[at].1),
            Event::Library(name) => self.library(now, name),
            Event::Arrives(name, epoch) => {
                let client = self.client(name);
                let stale = client.library.is_some() && client.epoch != epoch;
                if now < client.silent_until {
                    let whole = client.silent_until;
                    if !stale {
                        self.queue.push(whole, Event::Arrives(name, epoch));
                    }
                    return;
                }
                if let Some(later) = self.later(now) {
                    return self.queue.push(later, Event::Arrives(name, epoch));
                }
                if self.client(name).at_follower {
                    self.note.touch(name);
                    self.expect_leader(now);
                } else {
                    self.tracker.touch(name, self.reading(now));
                }
                let latency = self.latency();
                self.queue.push_in(latency, Event::Pong(name, epoch));
            }
            Event::Pong(name, epoch) => {
                let client = self.clients.get_mut(&name).expect("a client");
                let later = client.clock.runs_at(now).max(client.silent_until);
                if client.epoch != epoch {
                    return;
                }
                if later > now {
                    return self.queue.push(later, Event::Pong(name, epoch));
                }
                let reading = client.clock.reading(now);
                if let Some(connection) = &mut client.connection
                    && connection.hears(reading)
                {
                    connection.sends(reading, &mut self.rng);
                    let latency = self.latency();
                    self.queue.push_in(latency, Event::Arrives(name, epoch));
                }
            }
            Event::Attempt(name, epoch) if self.client(name).epoch == epoch => {
                let client = self.client(name);
                let later = client.clock.runs_at(now);
                if later > now {
                    return self.queue.push(later, Event::Attempt(name, epoch));
                }
                let Some(connection) = &client.connection else { return };
                let until = now + connection.connect_timeout();
                let arrives = self.latency() + self.latency() + self.latency();
                self.queue.push_in(arrives, Event::Connects(name, epoch, until));
            }
            Event::Connects(name, epoch, until) if self.client(name).epoch == epoch => {
                if self.down_until > now {
                    // Refused at once.
                    return self.attempts(name, now);
                }
                let silent_until = self.client(name).silent_until;
                let later = Some(silent_until).filter(|at| *at > now).or_else(|| self.later(now));
                match later {
                    Some(later) if later <= until => self.queue.push(later, Event::Connects(name, epoch, until)),
                    Some(_) => self.attempts(name, until),
                    None => {
                        let alive = self.tracker.touch(name, self.reading(now));
                        let latency = self.latency();
                        self.queue.push_in(latency, Event::Told(name, alive));
                    }
                }
            }
            Event::Told(name, alive) => {
                let timeout = self.client(name).timeout;
                let reading = self.client(name).clock.reading(now);
                self.client(name).epoch += 1;
                if alive {
                    self.see(name, Seen::SyncConnected);
                    let client = self.clients.get_mut(&name).expect("a client");
                    if let Some(connection) = &mut client.connection {
                        connection.reconnected(timeout, reading, &mut self.rng);
                    }
                    self.schedule(name);
                } else {
                    self.client(name).connection = None;
                    self.see(name, Seen::ToldExpired);
                }
            }
            Event::LeaderPings => {
                // There and back between leader and follower.
                self.leader_expected = false;
                let touched = self.note.answer();
                let way = self.latency() + self.latency();
                self.queue.push_in(way, Event::Touched(touched));
            }
            Event::Touched(names) => {
                let reading = self.reading(now);
                names.into_iter().for_each(|name| {
                    self.tracker.touch(name, reading);
                });
            }
            Event::Tracker => self.expire(now),
            Event::Up if self.down_until <= now => {
                self.tracker = self.tracker.restarted(self.reading(now));
                self.alarm = None;
                self.schedule_tracker();
            }
            Event::Healthy(name) => {
                let Some((gap, length)) = &self.setup.hiccups else { return };
                let (gap, length) = (gap.sample(&mut self.rng), length.sample(&mut self.rng));
                self.client(name).clock.pause(now, length);
                self.queue.push_in(gap, Event::Healthy(name));
            }
            _ => {}
        }
    }

    fn act(&mut self, now: u64, act: &Act) {
        match *act {
            Act::Asks(name) => {
                let (latency, epoch) = (self.latency(), self.client(name).epoch);
                self.queue.push_in(latency, Event::Arrives(name, epoch));
            }
            Act::Silent(name, length) => self.client(name).silent_until = now + length,
            Act::Pauses(name, length) => self.client(name).clock.pause(now, length),
            Act::ServerPauses(length, expiry_first) => {
                self.server.pause(now, length);
                self.expiry_first = expiry_first;
                if expiry_first {
                    // Before everything that will have arrived by then.
                    self.queue.push(now + length, Event::Tracker);
                }
            }
            Act::Down(length) => {
                self.down_until = now + length;
                self.queue.push(now + length, Event::Up);
                let names: Vec<char> = self.clients.keys().copied().collect();
                for name in names {
                    let client = self.client(name);
                    let open = client.connection.as_ref().is_some_and(ConnectionClock::is_connected);
                    if open && client.silent_until <= now {
                        self.drops(name);
                    }
                }
            }
        }
    }

    fn library(&mut self, now: u64, name: char) {
        let client = self.clients.get_mut(&name).expect("a client");
        client.alarm = None;
        let later = client.clock.runs_at(now);
        if later > now {
            client.alarm = Some(later);
            return self.queue.push(later, Event::Library(name));
        }
        let reading = client.clock.reading(now);
        let epoch = client.epoch;
        match client.connection.as_mut().and_then(|c| c.wake(reading, &mut self.rng)) {
            Some(Alarm::Ping) => {
                let latency = self.latency();
                self.queue.push_in(latency, Event::Arrives(name, epoch));
            }
            Some(Alarm::Silent) => self.drops(name),
            Some(Alarm::LocalExpiry) => {
                let client = self.client(name);
                client.connection = None;
                client.epoch += 1;
                self.see(name, Seen::ToldExpired);
            }
            None => {}
        }
        self.schedule(name);
    }

    fn drops(&mut self, name: char) {
        let now = self.queue.now();
        let client = self.client(name);
        let reading = client.clock.reading(now);
        client.epoch += 1;
        if let Some(connection) = &mut client.connection {
            connection.drops(reading);
        }
        self.see(name, Seen::Disconnected);
        self.attempts(name, now);
    }

    fn attempts(&mut self, name: char, from: u64) {
        let client = self.clients.get_mut(&name).expect("a client");
        let epoch = client.epoch;
        let Some(connection) = &mut client.connection else { return };
        let pause = connection.pause_before_attempt(&mut self.rng).max(1);
        self.queue.push(from + pause, Event::Attempt(name, epoch));
    }

    fn expire(&mut self, now: u64) {
        self.alarm = None;
        if let Some(later) = self.later(now) {
            if !self.expiry_first {
                // Behind everything that will have arrived by then.
                self.alarm = Some(later);
                self.queue.push(later + 1, Event::Tracker);
            }
            return;
        }
        let reading = self.reading(now);
        self.tracker.skip_empty(reading);
        while let Some(due) = self.tracker.expire_next(reading) {
            for name in due {
                self.see(name, Seen::Expired);
                self.tracker.remove(name);
                let client = self.client(name);
                // The server closes the connection, if there is one and the network is whole.
                let open = client.connection.as_ref().is_some_and(ConnectionClock::is_connected);
                if open && client.silent_until <= now && !client.clock.is_paused(now) {
                    self.drops(name);
                }
            }
        }
        self.schedule_tracker();
    }
}
