//! What decides how long things take, and how often things go wrong.

use overtake_sim::clock::duration::{self, MILLISECOND, SECOND};
use overtake_sim::clock::library::JAVA;
use overtake_sim::clock::machine::MOST_DRIFT;
use overtake_sim::clock::{Distribution, Library};

/// How often something happens, and how long it lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurring {
    /// The gap between two of them (and before the first); `None` for never.
    pub every: Option<Distribution>,
    /// How long one lasts.
    pub length: Distribution,
}

/// The parameters of runs in virtual time. Lengths are nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// One way between a client and the server.
    pub latency: Distribution,
    /// From the arrival of a request to its being served.
    pub service: Distribution,
    /// From the end of a session being decided to its being applied: one transaction.
    pub commit: Distribution,
    /// From a follower to the leader, and back.
    pub forward: Distribution,
    /// From a commit at the leader to its being applied at a follower.
    pub replicate: Distribution,
    /// How long it takes to replace a leader that stands still for more than five ticks (`syncLimit`).
    pub election: Distribution,
    /// A piece of work of a program, such as that inside a critical section.
    pub work: Distribution,
    /// A timer whose duration the program does not tell.
    pub timer: Distribution,
    /// What a packet that was lost adds when the network is whole again.
    pub retransmit: Distribution,
    /// After a pause: how the threads of the process get going, each with a delay of its own.
    pub waking: Distribution,
    /// `tickTime`.
    pub tick: u64,
    /// The session time-out that clients wish for.
    pub timeout: u64,
    /// The clients' library.
    pub library: &'static Library,
    /// Each machine's clock runs fast or slow by at most so many parts of a million.
    pub drift: u32,
    /// The probability that a server that wakes after a pause expires sessions before it reads its sockets (Z121: a race;
    /// a real server did so 8 of 8 times).
    pub race: f64,
    /// Pauses of a client's process, each client on its own.
    pub client_pauses: Recurring,
    /// Pauses of the server's process.
    pub server_pauses: Recurring,
    /// Silent cuts between one client and the server, both ways or one way.
    pub silences: Recurring,
    /// Connections of one client that are closed under it.
    pub resets: Option<Distribution>,
    /// Deaths of a client's process; the length is how long until it starts again.
    pub crashes: Recurring,
    /// Interrupts of a client's calls.
    pub interrupts: Option<Distribution>,
    /// A follower falls out and synchronises again.
    pub resyncs: Option<Distribution>,
    /// Restarts of the server, or changes of the leader; the length is how long it is down.
    pub server_restarts: Recurring,
    /// After how long the caller of a store gives its call up; `None` for never. The call (or its answer) may still be on its
    /// way then.
    pub call_timeout: Option<Distribution>,
    /// The probability that a call to a store is lost on its way.
    pub lost_calls: f64,
    /// The probability that the answer of a store is lost on its way.
    pub lost_answers: f64,
    /// The probability that a call to a store arrives twice.
    pub doubled_calls: f64,
    /// Until a queue takes the consumer of a message for dead.
    pub redelivery: Option<Distribution>,
    /// Until an item of the hash table is evicted.
    pub evictions: Option<Distribution>,
    /// Losses of a node of the hash table, and stops of the document store's server; the length is how long a node is away.
    pub node_losses: Recurring,
    /// Restarts of a node of the hash table.
    pub node_restarts: Option<Distribution>,
    /// Virtual time after which a run ends.
    pub limit: u64,
    /// Steps after which a run ends.
    pub most_steps: usize,
}

fn pauses(every: &str, length: &str) -> Recurring {
    Recurring { every: Some(known(every)), length: known(length) }
}

fn known(text: &str) -> Distribution {
    text.parse().expect("a distribution of the defaults")
}

impl Default for Timing {
    /// A local network, a server with the defaults of 3.8, Java clients, and far more trouble than a healthy cluster has.
    fn default() -> Self {
        Self {
            latency: known("lognormal:500us,0.5"),
            service: known("exp:200us"),
            commit: known("lognormal:2ms,0.5"),
            forward: known("lognormal:500us,0.5"),
            replicate: known("lognormal:2ms,1"),
            election: known("uniform:200ms..3s"),
            work: known("lognormal:2s,1"),
            timer: known("exp:1s"),
            retransmit: known("uniform:0s..1s"),
            waking: known("uniform:0s..10ms"),
            tick: 2 * SECOND,
            timeout: 6 * SECOND,
            library: &JAVA,
            drift: 100,
            race: 0.9,
            client_pauses: pauses("exp:10s", "pareto:100ms,0.8,cap=60s"),
            server_pauses: pauses("exp:60s", "pareto:50ms,1,cap=30s"),
            silences: pauses("exp:20s", "lognormal:3s,1.2"),
            resets: Some(known("exp:30s")),
            crashes: pauses("exp:60s", "uniform:1s..20s"),
            interrupts: Some(known("exp:30s")),
            resyncs: Some(known("exp:60s")),
            server_restarts: pauses("exp:120s", "uniform:1s..10s"),
            call_timeout: Some(known("const:1s")),
            lost_calls: 0.005,
            lost_answers: 0.005,
            doubled_calls: 0.005,
            redelivery: Some(known("const:30s")),
            evictions: Some(known("exp:1h")),
            node_losses: pauses("exp:120s", "uniform:1s..30s"),
            node_restarts: Some(known("exp:300s")),
            limit: 300 * SECOND,
            most_steps: 10_000,
        }
    }
}

/// How a parameter is read and written.
enum Slot<'a> {
    Distribution(&'a mut Distribution),
    Maybe(&'a mut Option<Distribution>),
    Length(&'a mut u64),
    Steps(&'a mut usize),
    Parts(&'a mut u32),
    Share(&'a mut f64),
    Library(&'a mut &'static Library),
}

impl Timing {
    /// The same without anything that goes wrong: no pauses, no cuts, no crashes, no interrupts, no lost calls, no evictions.
    pub fn healthy(mut self) -> Self {
        for recurring in [
            &mut self.client_pauses,
            &mut self.server_pauses,
            &mut self.silences,
            &mut self.crashes,
            &mut self.server_restarts,
            &mut self.node_losses,
        ] {
            recurring.every = None;
        }
        (self.resets, self.interrupts, self.resyncs) = (None, None, None);
        (self.call_timeout, self.redelivery, self.evictions, self.node_restarts) = (None, None, None, None);
        (self.lost_calls, self.lost_answers, self.doubled_calls) = (0.0, 0.0, 0.0);
        self
    }

    /// Every parameter by its name, in the order in which they are printed.
    fn slots(&mut self) -> Vec<(&'static str, Slot<'_>)> {
        use Slot::{Distribution as D, Length, Library, Maybe, Parts, Share, Steps};
        vec![
            ("latency", D(&mut self.latency)),
            ("service", D(&mut self.service)),
            ("commit", D(&mut self.commit)),
            ("forward", D(&mut self.forward)),
            ("replicate", D(&mut self.replicate)),
            ("election", D(&mut self.election)),
            ("work", D(&mut self.work)),
            ("timer", D(&mut self.timer)),
            ("retransmit", D(&mut self.retransmit)),
            ("waking", D(&mut self.waking)),
            ("tick", Length(&mut self.tick)),
            ("timeout", Length(&mut self.timeout)),
            ("library", Library(&mut self.library)),
            ("drift", Parts(&mut self.drift)),
            ("race", Share(&mut self.race)),
            ("client-pause-every", Maybe(&mut self.client_pauses.every)),
            ("client-pause", D(&mut self.client_pauses.length)),
            ("server-pause-every", Maybe(&mut self.server_pauses.every)),
            ("server-pause", D(&mut self.server_pauses.length)),
            ("silence-every", Maybe(&mut self.silences.every)),
            ("silence", D(&mut self.silences.length)),
            ("reset-every", Maybe(&mut self.resets)),
            ("crash-every", Maybe(&mut self.crashes.every)),
            ("crash", D(&mut self.crashes.length)),
            ("interrupt-every", Maybe(&mut self.interrupts)),
            ("resync-every", Maybe(&mut self.resyncs)),
            ("server-restart-every", Maybe(&mut self.server_restarts.every)),
            ("server-restart", D(&mut self.server_restarts.length)),
            ("call-timeout", Maybe(&mut self.call_timeout)),
            ("lost-calls", Share(&mut self.lost_calls)),
            ("lost-answers", Share(&mut self.lost_answers)),
            ("doubled-calls", Share(&mut self.doubled_calls)),
            ("redelivery", Maybe(&mut self.redelivery)),
            ("eviction", Maybe(&mut self.evictions)),
            ("node-loss-every", Maybe(&mut self.node_losses.every)),
            ("node-loss", D(&mut self.node_losses.length)),
            ("node-restart-every", Maybe(&mut self.node_restarts)),
            ("limit", Length(&mut self.limit)),
            ("most-steps", Steps(&mut self.most_steps)),
        ]
    }

    /// Every parameter as name and value; [`set`](Self::set) reads each of them again.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let mut copy = self.clone();
        let text = |slot| match slot {
            Slot::Distribution(d) => d.to_string(),
            Slot::Maybe(d) => d.as_ref().map_or("never".into(), ToString::to_string),
            Slot::Length(n) => duration::text(*n),
            Slot::Steps(n) => n.to_string(),
            Slot::Parts(n) => format!("{n}ppm"),
            Slot::Share(x) => x.to_string(),
            Slot::Library(library) => library.name.into(),
        };
        copy.slots().into_iter().map(|(name, slot)| (name.to_owned(), text(slot))).collect()
    }

    /// Sets the parameter of that name.
    ///
    /// # Errors
    /// A sentence, when there is no such parameter or the value is none.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let names: Vec<&str> = self.slots().iter().map(|(name, _)| *name).collect();
        let slot = self.slots().into_iter().find(|(n, _)| *n == name).map(|(_, slot)| slot);
        let Some(slot) = slot else {
            return Err(format!("{name:?} is no parameter of virtual time; there are {}", names.join(", ")));
        };
        let not = |what: &str| format!("{name}: {value:?} is not {what}");
        match slot {
            Slot::Distribution(d) => *d = value.parse()?,
            Slot::Maybe(d) if value == "never" => *d = None,
            Slot::Maybe(d) => *d = Some(value.parse()?),
            Slot::Length(n) => match duration::parse(value)? {
                0 => return Err(not("longer than nothing")),
                length => *n = length,
            },
            Slot::Steps(n) => match value.parse() {
                Ok(steps @ 1..=100_000_000) => *n = steps,
                _ => return Err(not("a number of steps from 1 to 100000000")),
            },
            Slot::Parts(n) => match value.strip_suffix("ppm").unwrap_or(value).trim().parse() {
                Ok(parts) if parts <= MOST_DRIFT as u32 => *n = parts,
                _ => return Err(not(&format!("a drift from 0ppm to {MOST_DRIFT}ppm"))),
            },
            Slot::Share(x) => match value.parse() {
                Ok(share) if (0.0..=1.0).contains(&share) => *x = share,
                _ => return Err(not("a probability from 0 to 1")),
            },
            Slot::Library(library) => *library = Library::named(value)?,
        }
        self.check()
    }

    /// Whether the parameters go together.
    ///
    /// # Errors
    /// A sentence that says which do not.
    pub fn check(&self) -> Result<(), String> {
        if self.tick < MILLISECOND || self.tick > duration::HOUR {
            return Err(format!("tick: {} is not from 1ms to 1h", duration::text(self.tick)));
        }
        let gaps = [
            &self.client_pauses.every,
            &self.server_pauses.every,
            &self.silences.every,
            &self.resets,
            &self.crashes.every,
            &self.interrupts,
            &self.resyncs,
            &self.server_restarts.every,
            &self.evictions,
            &self.node_losses.every,
            &self.node_restarts,
        ];
        for gap in gaps.into_iter().flatten() {
            if gap.longer_than(0) == 0.0 {
                return Err(format!("{gap}: no gap between faults is a gap of no length"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let timing = Timing::default().healthy();
        let mut read = Timing::default();
        for (name, value) in timing.parameters() {
            read.set(&name, &value).unwrap();
        }
        assert_eq!(read, timing);
    }

    #[test]
    fn bad_parameters_are_told() {
        let cases = [
            ("speed", "1s", "is no parameter"),
            ("latency", "5", "is no distribution"),
            ("tick", "0s", "longer than nothing"),
            ("tick", "2h", "not from 1ms to 1h"),
            ("drift", "200000ppm", "a drift from"),
            ("race", "2", "a probability"),
            ("race", "NaN", "a probability"),
            ("library", "perl", "is no client library"),
            ("most-steps", "0", "a number of steps"),
            ("silence-every", "const:0s", "gap of no length"),
        ];
        for (name, value, expected) in cases {
            let why = Timing::default().set(name, value).unwrap_err();
            assert!(why.contains(expected), "{name} {value}: {why}");
        }
    }
}
