//! What can be typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use overtake_data_models::linear::Model;
use overtake_models::{Options, Order};
use overtake_sim::world::Reductions;

use super::exit::Exit;
use super::hunt::Hunting;
use super::odds::Asking;
use super::threads::Threading;
pub(super) use super::units::{size, size_text, time, time_text};

/// Finds the order of events in which one operation overtakes another.
///
/// Without a command: checks every scenario and compares the verdicts with what is expected.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_long_help = Exit::help(), after_help = "Exit codes: see --help.")]
pub(super) struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub everything: Everything,
}

/// The main job.
#[derive(Debug, Args)]
pub(super) struct Everything {
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the scenarios: name, bounds, expected verdict, what happens
    List {
        /// Only those whose names contain this
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check scenarios, with other bounds if wanted
    Check {
        /// Names of scenarios, or parts of names that only one has
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        bounds: Bounds,
        #[command(flatten)]
        search: Search,
        #[command(flatten)]
        output: Output,
    },
    /// Walk through a scenario or a trace in the web explorer
    Explore {
        /// Name of a scenario, or a trace file
        what: String,
        #[command(flatten)]
        bounds: Bounds,
        /// Port on 127.0.0.1
        #[arg(long, default_value_t = 3000)]
        port: u16,
    },
    /// Replay traces: each must violate what it says
    Replay {
        /// Trace files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Of a trace of threads: where a step is no longer possible, or when there are none left, go on in some way
        #[arg(long)]
        go_on: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Search programs of several threads over their schedules
    Threads {
        /// Names of programs, or parts of names [default: all]
        names: Vec<String>,
        /// Only list them: name, expected verdict, what happens
        #[arg(long)]
        list: bool,
        #[command(flatten)]
        how: Threading,
        #[command(flatten)]
        output: Output,
    },
    /// Sample runs of scenarios at random, until they are enough; finds, and never proves
    Hunt {
        /// Names of scenarios, or parts of names that only one has
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        bounds: Bounds,
        #[command(flatten)]
        hunting: Hunting,
    },
    /// Tell the smallest fault budgets that break a scenario, and the largest that it survives
    Frontier {
        /// Name of a scenario, or a part that only one has
        name: String,
        /// Bounds; a kind of fault that is named is searched up to its number, and then only named kinds are
        #[command(flatten)]
        bounds: Bounds,
        /// Most faults in all
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=120))]
        total: u32,
        /// Memory for each search; more ends it, and its budget is not decided
        #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = size)]
        memory: usize,
        /// Time for each search [default: no limit]
        #[arg(long, value_name = "TIME", value_parser = time)]
        time: Option<Duration>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Tell how likely one run of a scenario goes wrong, and how many incidents a month that makes
    Odds {
        /// Name of a scenario, or a part that only one has
        name: Option<String>,
        #[command(flatten)]
        bounds: Bounds,
        #[command(flatten)]
        asking: Box<Asking>,
    },
    /// Join the shards of hunts: what is written is what one hunt of all their runs would have written
    Merge {
        /// Folders that were given to `hunt --out`
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Folder for the whole
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a recorded history: could one object, used by one process at a time, have answered so?
    ///
    /// One event a line, `PROCESS call WORDS` or `PROCESS return WORDS`, in the order in which they happened; or JSON lines. An
    /// answer that was lost is `return unknown`. The whole format, with the calls of each model, is in the documentation
    /// of `overtake_data_models::linear`.
    Linearizable {
        /// The history
        file: PathBuf,
        /// What the object is: register, cas (a register with versions), counter, set, kv (registers by key)
        #[arg(long)]
        model: Model,
        /// Configurations to try for each object; more ends the search, undecided
        #[arg(long, value_name = "N", default_value_t = overtake_data_models::linear::MOST)]
        configurations: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make findings small: fewer faults, clients and steps, the same violation
    Shrink {
        /// Trace files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Folder for the small ones
        #[arg(long, value_name = "DIR", default_value = "findings")]
        out: PathBuf,
        /// Memory for the searches that prove that less does not do
        #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = size)]
        memory: usize,
    },
    /// Print the report of a fresh run, write it, or compare it with the committed one
    Report(Kept),
    /// Print the manifest of a fresh run, write it, or compare it with the committed one
    Manifest(Kept),
    /// Write the trace of every scenario that must break, or compare them with the committed ones
    Corpus(Kept),
}

/// A file (or folder) that is generated and kept.
#[derive(Debug, Args)]
pub(super) struct Kept {
    /// Write it
    #[arg(long, conflicts_with = "check")]
    pub write: bool,
    /// Compare the committed one with a fresh one
    #[arg(long)]
    pub check: bool,
    /// Where it is kept
    #[arg(long, value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Threads [default: as many as cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// Other bounds than the scenario's own.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Bounds")]
pub(super) struct Bounds {
    /// Clients in the world
    #[arg(long, value_name = "N")]
    pub clients: Option<usize>,
    /// Sessions of living clients that may expire
    #[arg(long, value_name = "N")]
    pub expiries: Option<usize>,
    /// Connections that may break
    #[arg(long, value_name = "N")]
    pub disconnects: Option<usize>,
    /// Processes that may die
    #[arg(long, value_name = "N")]
    pub crashes: Option<usize>,
    /// Dead processes that may start again
    #[arg(long, value_name = "N")]
    pub restarts: Option<usize>,
    /// Calls that may be interrupted
    #[arg(long, value_name = "N")]
    pub interrupts: Option<usize>,
    /// Empty containers that may be swept away
    #[arg(long, value_name = "N")]
    pub sweeps: Option<usize>,
    /// Changes of the leader (with one server: its restarts)
    #[arg(long, value_name = "N")]
    pub elections: Option<usize>,
    /// Followers that fall out and synchronise again
    #[arg(long, value_name = "N")]
    pub resyncs: Option<usize>,
    /// Keys with an expiration that may expire
    #[arg(long, value_name = "N")]
    pub key_expiries: Option<usize>,
    /// Keys that may be evicted
    #[arg(long, value_name = "N")]
    pub evictions: Option<usize>,
    /// Calls to a store whose caller may get no answer
    #[arg(long, value_name = "N")]
    pub timeouts: Option<usize>,
    /// Calls to a store that may arrive twice
    #[arg(long, value_name = "N")]
    pub duplicates: Option<usize>,
    /// Nodes of a store that may be lost
    #[arg(long, value_name = "N")]
    pub node_losses: Option<usize>,
    /// Lost nodes that may come back with what they had
    #[arg(long, value_name = "N")]
    pub node_returns: Option<usize>,
    /// Nodes of a store that may start again, empty
    #[arg(long, value_name = "N")]
    pub node_restarts: Option<usize>,
    /// Messages that may be delivered again
    #[arg(long, value_name = "N")]
    pub redeliveries: Option<usize>,
}

/// How to search.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub(super) struct Search {
    /// Threads [default: as many as cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Memory for visited states, frontier and tables; more ends a search, honestly
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = size)]
    pub memory: usize,
    /// Time for each scenario; more ends a search, honestly [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// Level by level (knows the depth), depth first (with little memory), or as the search chooses: auto finds at once what goes
    /// wrong in most orders of events, and helps where a violation is so deep that a search grows beyond 100,000 states
    #[arg(long, value_enum, default_value_t = SearchOrder::Bfs)]
    pub order: SearchOrder,
    /// Go on after the first violation, to find one of each property
    #[arg(long)]
    pub every_property: bool,
    /// Clients that run one program are not interchangeable
    #[arg(long)]
    pub no_symmetry: bool,
    /// Numbers (sequence numbers, zxids) stay what they are
    #[arg(long)]
    pub no_renumber: bool,
    /// Deliveries that only concern one client do not go first
    #[arg(long)]
    pub no_deliver_first: bool,
    /// Every state as it is: all three of the above
    #[arg(long)]
    pub no_reductions: bool,
}

/// Where results go.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Output {
    /// Folder for the traces of findings
    #[arg(long, value_name = "DIR", default_value = "findings")]
    pub out: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SearchOrder {
    /// Breadth first
    Bfs,
    /// Depth first
    Dfs,
    /// A probe depth first, then breadth first; where the shortest story is too far away, the probe's
    Auto,
}

impl Bounds {
    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.clients.is_some() || self.faults().iter().any(Option::is_some)
    }

    /// The numbers of faults, in the order of their kinds.
    pub fn faults(&self) -> [Option<usize>; 16] {
        [
            self.expiries,
            self.disconnects,
            self.crashes,
            self.restarts,
            self.interrupts,
            self.sweeps,
            self.elections,
            self.resyncs,
            self.key_expiries,
            self.evictions,
            self.timeouts,
            self.duplicates,
            self.node_losses,
            self.node_returns,
            self.node_restarts,
            self.redeliveries,
        ]
    }
}

impl Search {
    /// The defaults of [`Options`].
    pub fn with_threads(threads: Option<u16>) -> Self {
        Self {
            threads,
            memory: Options::default().limits.memory,
            time: None,
            order: SearchOrder::Bfs,
            every_property: false,
            no_symmetry: false,
            no_renumber: false,
            no_deliver_first: false,
            no_reductions: false,
        }
    }

    /// Threads wanted, or as many as there are cores.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(|| Options::default().limits.threads, usize::from)
    }

    /// As the library has it.
    pub fn options(&self) -> Options {
        let mut options = Options {
            reductions: self.reductions(),
            order: match self.order {
                SearchOrder::Bfs => Order::BreadthFirst,
                SearchOrder::Dfs => Order::DepthFirst,
                SearchOrder::Auto => Order::Auto,
            },
            ..Options::default()
        };
        options.limits.threads = self.threads();
        options.limits.memory = self.memory;
        options.limits.time = self.time;
        options.limits.every_property = self.every_property;
        options
    }

    fn reductions(&self) -> Reductions {
        if self.no_reductions {
            return Reductions::NONE;
        }
        let all = Reductions::ALL;
        Reductions {
            symmetry: all.symmetry && !self.no_symmetry,
            renumber: all.renumber && !self.no_renumber,
            deliver_first: all.deliver_first && !self.no_deliver_first,
            ..all
        }
    }

    /// What differs from the defaults, as it is typed.
    pub fn typed(&self) -> Vec<String> {
        let default = Self::with_threads(None);
        let mut typed = Vec::new();
        if let Some(threads) = self.threads {
            typed.push(format!("--threads {threads}"));
        }
        if self.memory != default.memory {
            typed.push(format!("--memory {}", size_text(self.memory)));
        }
        if let Some(time) = self.time {
            typed.push(format!("--time {}", time_text(time)));
        }
        match self.order {
            SearchOrder::Bfs => {}
            SearchOrder::Dfs => typed.push("--order dfs".into()),
            SearchOrder::Auto => typed.push("--order auto".into()),
        }
        let flags = [
            (self.every_property, "--every-property"),
            (self.no_symmetry, "--no-symmetry"),
            (self.no_renumber, "--no-renumber"),
            (self.no_deliver_first, "--no-deliver-first"),
            (self.no_reductions, "--no-reductions"),
        ];
        let set = flags.into_iter().filter(|(set, _)| *set);
        typed.extend(set.map(|(_, flag)| flag.to_owned()));
        typed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_agrees() {
        Cli::command().debug_assert();
    }
}
