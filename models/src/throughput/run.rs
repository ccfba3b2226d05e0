//! One run: so many contenders, measured when they have settled.

use overtake_recipes::{CreateMode, Lock, LockError, ParentLock, PredecessorLock};
use overtake_sim::live::{End, Live, Observer, ServerStats, Setup, Stats, Timing};
use overtake_sim::names::Text;
use overtake_sim::program::{Context, Program, ProgramError};
use overtake_sim::zookeeper::{Config, ZooKeeper};

/// Virtual time after which a run is given up: a day.
const LIMIT: u64 = overtake_sim::clock::duration::DAY;

/// What the contenders do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contest {
    /// All want one lock; waiters watch the parent.
    Parent,
    /// All want one lock; each waiter watches the node before its own.
    Predecessor,
    /// Each has a lock of its own (of the second kind), so nobody waits for anybody but the servers.
    Apart,
}

impl Contest {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Contest::Parent => "parent watched",
            Contest::Predecessor => "predecessor watched",
            Contest::Apart => "a lock each",
        }
    }

    fn program(self, contender: usize) -> Program {
        match self {
            Contest::Parent => Program::new("contender", |ctx| contend::<ParentLock<_>>(ctx, "/lock".into())),
            Contest::Predecessor => Program::new("contender", |ctx| contend::<PredecessorLock<_>>(ctx, "/lock".into())),
            Contest::Apart => {
                let path = format!("/lock/of {contender}");
                Program::new("contender", move |ctx| contend::<PredecessorLock<_>>(ctx, path.clone()))
            }
        }
    }
}

/// Wants the lock, holds it, gives it back, and wants it again at once.
async fn contend<L: Lock<Context>>(ctx: Context, path: String) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), &path);
    loop {
        ctx.mark("wants");
        let granted = lock.acquire().await?;
        ctx.mark("holds");
        ctx.work("hold").await;
        ctx.unmark("holds");
        ctx.unmark("wants");
        lock.release(granted).await?;
    }
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What the contenders do.
    pub contest: Contest,
    /// Their number.
    pub contenders: usize,
    /// Number of servers.
    pub servers: usize,
    /// Acquisitions in the time that was measured.
    pub acquisitions: u64,
    /// Acquisitions a second.
    pub rate: f64,
    /// Nanoseconds from a release to the next grant, sorted. Empty where each has a lock of its own.
    pub hand_overs: Vec<u64>,
    /// Nanoseconds from wanting to holding, sorted, of those who began to want within the time that was measured.
    pub waits: Vec<u64>,
    /// Requests for each acquisition, pings left out.
    pub requests: f64,
    /// Wake-ups for each acquisition.
    pub wake_ups: f64,
    /// Share of its time for which each server worked, the leader first.
    pub busy: Vec<f64>,
    /// The most jobs that waited at one server in the time that was measured.
    pub longest_queue: usize,
    /// Most contenders that held one lock at once.
    pub holders: usize,
}

impl Measurement {
    /// Fewer acquisitions than this are too few to say how a cost grows.
    pub const ENOUGH: u64 = 20;

    /// Whether fewer than [`ENOUGH`](Self::ENOUGH) acquisitions were measured.
    pub fn is_short(&self) -> bool {
        self.acquisitions < Self::ENOUGH
    }
}

/// Counts marks.
struct Tally {
    contest: Contest,
    acquired: u64,
    /// Since when each contender wants, if it began after the last reset.
    wanting: Vec<Option<u64>>,
    released: Option<u64>,
    holding: usize,
    most_holding: usize,
    hand_overs: Vec<u64>,
    waits: Vec<u64>,
}

impl Tally {
    fn new(contest: Contest, contenders: usize) -> Self {
        Self {
            contest,
            acquired: 0,
            wanting: vec![None; contenders],
            released: None,
            holding: 0,
            most_holding: 0,
            hand_overs: Vec::new(),
            waits: Vec::new(),
        }
    }
}

impl Observer for Tally {
    fn marked(&mut self, at: u64, client: usize, name: &'static str, set: bool) {
        match (name, set) {
            ("wants", true) => self.wanting[client] = Some(at),
            ("holds", true) => {
                self.acquired += 1;
                self.holding += 1;
                if self.contest != Contest::Apart {
                    self.most_holding = self.most_holding.max(self.holding);
                    self.hand_overs.extend(self.released.take().map(|released| at - released));
                }
                self.waits.extend(self.wanting[client].take().map(|since| at - since));
            }
            ("holds", false) => {
                self.holding -= 1;
                self.released = Some(at);
            }
            _ => {}
        }
    }
}

/// Runs the contest: first `settle` acquisitions that do not count, then `measured` ones that do.
///
/// # Errors
/// When a program breaks the rules.
///
/// # Panics
/// When the contenders stop acquiring, which no right lock lets them do.
pub fn run(
    contest: Contest,
    contenders: usize,
    servers: usize,
    timing: &Timing,
    seed: u64,
    settle: u64,
    measured: u64,
) -> Result<Measurement, ProgramError> {
    let mut service = ZooKeeper::new(Config::default());
    service.seed_node(Text::new("/lock"), None, CreateMode::Persistent);
    if contest == Contest::Apart {
        for contender in 0..contenders {
            service.seed_node(Text::new(&format!("/lock/of {contender}")), None, CreateMode::Persistent);
        }
    }
    let programs = (0..contenders).map(|contender| contest.program(contender)).collect();
    let setup = Setup { service, servers, programs, timing: timing.clone(), seed };
    let mut live = Live::new(setup, Tally::new(contest, contenders));
    reach(&mut live, settle)?;
    let before = (live.now(), live.stats(), live.servers());
    live.observer_mut().begin();
    live.forget_queues();
    reach(&mut live, settle + measured)?;
    Ok(measurement(live, servers, measured, before))
}

impl Tally {
    /// From here on it counts.
    fn begin(&mut self) {
        self.wanting.iter_mut().for_each(|since| *since = None);
        self.hand_overs.clear();
        self.waits.clear();
    }
}

fn reach(live: &mut Live<ZooKeeper, Tally>, acquired: u64) -> Result<(), ProgramError> {
    let end = live.run(LIMIT, |tally| tally.acquired >= acquired)?;
    assert_eq!(end, End::Enough, "the contenders came to a standstill at {} ns", live.now());
    Ok(())
}

fn measurement(
    live: Live<ZooKeeper, Tally>,
    servers: usize,
    acquisitions: u64,
    (since, stats, work): (u64, Stats, Vec<ServerStats>),
) -> Measurement {
    let elapsed = (live.now() - since).max(1) as f64;
    let each = |total: u64| total as f64 / acquisitions as f64;
    let (requests, wake_ups) = (live.stats().requests - stats.requests, live.stats().wake_ups - stats.wake_ups);
    let now = live.servers();
    let busy = now.iter().zip(&work).map(|(now, then)| (now.busy - then.busy) as f64 / elapsed).collect();
    let longest_queue = now.iter().map(|server| server.longest_queue).max().unwrap_or(0);
    let tally = live.into_observer();
    let sorted = |mut values: Vec<u64>| {
        values.sort_unstable();
        values
    };
    Measurement {
        contest: tally.contest,
        contenders: tally.wanting.len(),
        servers,
        acquisitions,
        rate: acquisitions as f64 * 1e9 / elapsed,
        hand_overs: sorted(tally.hand_overs),
        waits: sorted(tally.waits),
        requests: each(requests),
        wake_ups: each(wake_ups),
        busy,
        longest_queue,
        holders: tally.most_holding,
    }
}
