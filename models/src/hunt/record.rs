//! The record of a hunt: a file of JSON lines, the first of which says what is hunted, each other what came out of a block.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::block::{Block, Violated, end_of_block};
use super::probe::behaviour;
use super::states::States;
use super::{Plan, Shard, Trouble};
use crate::check::named_faults;

/// Name of the file in the folder of a hunt.
pub const FILE: &str = "progress.jsonl";
/// The version of the format.
const VERSION: u64 = 2;

/// What is hunted: bounds, search and seed, and a print of what programs, properties and world do on probe walks, so that a
/// record of other code under the same name is told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// All but the shard, as in the file.
    value: Value,
    /// Whose runs.
    pub shard: Shard,
}

impl Head {
    /// The head of a plan's record.
    ///
    /// # Errors
    /// When the scenario makes no world.
    pub fn of(plan: &Plan<'_>) -> Result<Self, Trouble> {
        let faults = named_faults(plan.scenario.budget()).into_iter().map(|(kind, n)| (kind, Value::from(n)));
        let parameters: serde_json::Map<String, Value> =
            plan.sampler.parameters().into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        let value = json!({
            "behaviour": format!("{:016x}", behaviour(plan.scenario).map_err(Trouble::Mismatch)?),
            "block": plan.sampler.runs_a_block(),
            "clients": plan.scenario.size(),
            "faults": faults.collect::<serde_json::Map<String, Value>>(),
            "from": plan.from,
            "hunt": VERSION,
            "parameters": parameters,
            "scenario": plan.scenario.name(),
            "search": plan.sampler.name(),
            "seed": plan.seed,
        });
        Ok(Self { value, shard: plan.shard })
    }

    /// Whether it is the same hunt but for what programs, properties or world do.
    pub(super) fn differs_in_behaviour_only(&self, other: &Head) -> bool {
        let mut mine = self.clone();
        mine.value["behaviour"] = other.value["behaviour"].clone();
        self != other && mine == *other
    }

    /// Name of the scenario.
    pub fn scenario(&self) -> &str {
        self.value["scenario"].as_str().unwrap_or_default()
    }

    /// What is hunted, without the shard.
    pub fn subject(&self) -> &Value {
        &self.value
    }

    /// The same of the whole hunt.
    pub fn whole(&self) -> Self {
        Self { shard: Shard::WHOLE, value: self.value.clone() }
    }

    /// The first run.
    pub fn from(&self) -> u64 {
        self.value["from"].as_u64().unwrap_or(0)
    }

    fn runs_a_block(&self) -> u64 {
        self.value["block"].as_u64().unwrap_or(1)
    }

    fn line(&self) -> String {
        let mut value = self.value.clone();
        if self.shard != Shard::WHOLE {
            value["shard"] = format!("{}/{}", self.shard.index, self.shard.of).into();
        }
        value.to_string()
    }

    fn parse(line: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(line).ok()?;
        (value["hunt"].as_u64()? == VERSION).then_some(())?;
        value["scenario"].as_str()?;
        let shard = match value.as_object_mut()?.remove("shard") {
            None => Shard::WHOLE,
            Some(text) => {
                let (index, of) = text.as_str()?.split_once('/')?;
                Shard { index: index.parse().ok()?, of: of.parse().ok()? }
            }
        };
        (1..=shard.of).contains(&shard.index).then_some(Self { value, shard })
    }
}

/// What all blocks so far add up to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Runs done.
    pub runs: u64,
    /// Steps taken.
    pub steps: u64,
    /// Steps of the longest run.
    pub longest: u64,
    /// Runs that ended at rest.
    pub at_rest: u64,
    /// Runs that ended at the limit.
    pub limited: u64,
    /// Runs that ended because a program needed more than a world can name.
    pub outgrown: u64,
    /// Violated properties by name.
    pub violated: BTreeMap<String, Violated>,
    /// Bits of the reached `sometimes` properties.
    pub reached: u64,
    /// Distinct states.
    pub states: States,
    /// Runs since the last block that met a new state.
    pub barren: u64,
}

impl Tally {
    /// Adds a block, and leaves in it only the states that are new.
    pub fn add(&mut self, block: &mut Block) {
        block.reached |= self.reached;
        block.fresh = self.states.add(std::mem::take(&mut block.fresh));
        let mut sum = Block { violated: std::mem::take(&mut self.violated), ..Block::default() };
        block.violated.iter().for_each(|(name, violated)| sum.violate(name, *violated));
        self.violated = sum.violated;
        self.runs += block.runs;
        self.steps += block.steps;
        self.longest = self.longest.max(block.longest);
        self.at_rest += block.at_rest;
        self.limited += block.limited;
        self.outgrown += block.outgrown;
        self.reached = block.reached;
        self.barren = if block.fresh.is_empty() { self.barren + block.runs } else { 0 };
    }
}

/// A record, open for more.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    file: Option<File>,
    /// What is hunted.
    pub head: Head,
    /// The blocks so far.
    pub blocks: Vec<Block>,
}

pub(super) fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::File(format!("cannot {what} {}: {error}; what was written until now stays", path.display()))
}

impl Record {
    /// Reads the record in the folder; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read, or is not a record. Half a line at the end is what a killed hunt leaves, and is passed over;
    /// so is a last block that a smaller number of runs has cut short.
    pub fn read(folder: &Path) -> Result<Option<Self>, Trouble> {
        let path = folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            // Where no folder can be, writing will say so.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(Trouble::Mismatch(format!("cannot read {}: {error}", path.display()))),
        };
        let bad = |line: usize, why: &str| {
            Trouble::Mismatch(format!("{}, line {line}: {why}; remove the folder or choose another", path.display()))
        };
        let mut lines = text.split_inclusive('\n').enumerate();
        let Some((_, first)) = lines.next() else { return Ok(None) };
        let Some(head) = Head::parse(first) else {
            // Killed before the first line was whole.
            return if first.ends_with('\n') { Err(bad(1, "this is no record of a hunt")) } else { Ok(None) };
        };
        let mut blocks: Vec<Block> = Vec::new();
        for (at, line) in lines {
            let expected = blocks.last().map_or(head.from(), |block| block.numbers.end);
            match Block::parse(line).filter(|_| line.ends_with('\n')) {
                Some(block) if block.numbers.start == expected => blocks.push(block),
                Some(_) => return Err(bad(at + 1, "this block does not follow the one before it")),
                None if !line.ends_with('\n') => break,
                None => return Err(bad(at + 1, "this is no block of runs")),
            }
        }
        Ok(Some(Self { path, file: None, head, blocks }))
    }

    /// A record without blocks.
    pub fn new(folder: &Path, head: Head) -> Self {
        Self { path: folder.join(FILE), file: None, head, blocks: Vec::new() }
    }

    /// Leaves out a last block that ended early because no more runs were wanted then, when more are wanted now.
    pub(super) fn reopen(&mut self, wanted: u64) {
        if let Some(last) = self.blocks.last()
            && last.numbers.end != end_of_block(last.numbers.start, self.head.runs_a_block())
            && last.numbers.end < wanted
        {
            self.blocks.pop();
        }
    }

    /// Writes the record as it is, whole, and keeps it open.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self) -> Result<(), Trouble> {
        let mut text = self.head.line() + "\n";
        for block in &self.blocks {
            text += &block.line();
            text.push('\n');
        }
        write_whole(&self.path, &text)?;
        let file = OpenOptions::new().append(true).open(&self.path);
        self.file = Some(file.map_err(|error| cannot("open", &self.path, &error))?);
        Ok(())
    }

    /// Adds a block, in the file too.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn push(&mut self, block: &Block) -> Result<(), Trouble> {
        if self.file.is_none() {
            self.write()?;
        }
        let file = self.file.as_mut().expect("just opened");
        let line = block.line() + "\n";
        file.write_all(line.as_bytes()).map_err(|error| cannot("write", &self.path, &error))
    }
}

/// Writes a file so that nobody ever sees half of it.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), Trouble> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let half = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&half, text).and_then(|()| fs::rename(&half, path)).map_err(|error| {
        let _ = fs::remove_file(&half);
        cannot("write", path, &error)
    })
}
