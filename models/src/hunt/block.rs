//! What came out of a block of runs, and its line in the record.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value, json};

/// How often a property was violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violated {
    /// Runs that violated it.
    pub runs: u64,
    /// The first of them.
    pub first: u64,
}

/// What came out of a block of consecutive runs, or of one shard's part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Numbers of the runs, those of other shards among them.
    pub numbers: Range<u64>,
    /// Runs that were done.
    pub runs: u64,
    /// Steps that they took.
    pub steps: u64,
    /// Steps of the longest.
    pub longest: u64,
    /// Runs that ended at rest.
    pub at_rest: u64,
    /// Runs that ended at the limit.
    pub limited: u64,
    /// Runs that ended because a program needed more than a world can name.
    pub outgrown: u64,
    /// Violated properties by name.
    pub violated: BTreeMap<String, Violated>,
    /// Bits of the `sometimes` properties that were reached in this block or before.
    pub reached: u64,
    /// Fingerprints of states that were met for the first time, sorted.
    pub fresh: Vec<u64>,
}

/// The end of the block that begins with the run: 1, 1, 2, 4, 8 … and then `most` runs. Small at first, so that a hunt of
/// slow runs has something to show soon.
pub(super) fn end_of_block(from: u64, most: u64) -> u64 {
    let most = most.max(1).next_power_of_two();
    if from < most { (from + 1).next_power_of_two().max(from + 1) } else { from - from % most + most }
}

impl Block {
    /// Adds what another shard did of the same block.
    pub fn join(&mut self, other: &Block) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.longest = self.longest.max(other.longest);
        self.at_rest += other.at_rest;
        self.limited += other.limited;
        self.outgrown += other.outgrown;
        for (name, theirs) in &other.violated {
            self.violate(name, *theirs);
        }
        self.reached |= other.reached;
        self.fresh.extend_from_slice(&other.fresh);
        self.fresh.sort_unstable();
        self.fresh.dedup();
    }

    /// Counts violations of a property.
    pub fn violate(&mut self, name: &str, violated: Violated) {
        let mine = self.violated.entry(name.to_owned()).or_insert(Violated { runs: 0, first: violated.first });
        mine.runs += violated.runs;
        mine.first = mine.first.min(violated.first);
    }

    /// The line in the record.
    pub fn line(&self) -> String {
        let violated = self.violated.iter().map(|(name, v)| (name.clone(), json!({"first": v.first, "runs": v.runs})));
        let violated: serde_json::Map<String, Value> = violated.collect();
        let fresh: String = self.fresh.iter().map(|print| format!("{print:016x}")).collect();
        // Keys in the order of the alphabet, whatever the map behind `json!` does.
        json!({
            "at_rest": self.at_rest,
            "fresh": fresh,
            "from": self.numbers.start,
            "limited": self.limited,
            "longest": self.longest,
            "outgrown": self.outgrown,
            "reached": self.reached,
            "runs": self.runs,
            "steps": self.steps,
            "to": self.numbers.end,
            "violated": violated,
        })
        .to_string()
    }

    /// From a line of a record; `None` when it is not one.
    pub fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let number = |key: &str| value[key].as_u64();
        let mut violated = BTreeMap::new();
        for (name, entry) in value["violated"].as_object()? {
            violated.insert(name.clone(), Violated { runs: entry["runs"].as_u64()?, first: entry["first"].as_u64()? });
        }
        let text = value["fresh"].as_str().filter(|text| text.is_ascii() && text.len() % 16 == 0)?;
        let print = |at: usize| u64::from_str_radix(&text[at..at + 16], 16).ok();
        let fresh: Option<Vec<u64>> = (0..text.len()).step_by(16).map(print).collect();
        let numbers = number("from")?..number("to")?;
        (numbers.start < numbers.end).then_some(())?;
        Some(Self {
            numbers,
            runs: number("runs")?,
            steps: number("steps")?,
            longest: number("longest")?,
            at_rest: number("at_rest")?,
            limited: number("limited")?,
            outgrown: number("outgrown")?,
            violated,
            reached: number("reached")?,
            fresh: fresh?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_grow_and_then_stay() {
        let mut ends = Vec::new();
        let mut at = 0;
        while at < 40 {
            at = end_of_block(at, 8);
            ends.push(at);
        }
        assert_eq!(ends, [1, 2, 4, 8, 16, 24, 32, 40]);
        assert_eq!(end_of_block(5, 8), 8);
        assert_eq!(end_of_block(17, 8), 24);
        assert_eq!([end_of_block(0, 1), end_of_block(1, 1), end_of_block(2, 1)], [1, 2, 3]);
    }

    #[test]
    fn a_line_comes_back() {
        let mut block = Block { numbers: 8..16, runs: 8, steps: 90, fresh: vec![1, u64::MAX], ..Block::default() };
        block.violate("at most one", Violated { runs: 2, first: 9 });
        block.violate("at most one", Violated { runs: 1, first: 8 });
        assert_eq!(block.violated["at most one"], Violated { runs: 3, first: 8 });
        assert_eq!(Block::parse(&block.line()), Some(block.clone()));
        let line = block.line();
        for end in 0..line.len() {
            assert_eq!(Block::parse(&line[..end]), None, "half a line is none");
        }
        assert_eq!(Block::parse(&line.replace("\"to\":16", "\"to\":8")), None);
    }
}
