//! Joining the shards of a hunt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::find::{copy, files, kept};
use super::record::{Record, Tally};
use super::{Shard, Trouble};

/// What became of the shards of one hunt.
#[derive(Debug)]
pub struct Merged {
    /// Name of the scenario.
    pub scenario: String,
    /// The hunt's folder.
    pub folder: PathBuf,
    /// All blocks added up.
    pub tally: Tally,
    /// The number of runs, of all shards, behind the last block that every shard has done; they are not in the record.
    pub left_over: u64,
    /// Files of findings by property, as found.
    pub findings: BTreeMap<String, PathBuf>,
}

/// Joins the shards whose records are in the folders, all of one hunt, and writes what one hunt that did all their runs
/// would have written into the folder `to`.
///
/// # Errors
/// When a record cannot be read, the shards are of different hunts, one is missing or there twice, or a file cannot be
/// written.
pub fn merge(folders: &[PathBuf], to: &Path) -> Result<Merged, Trouble> {
    let mut shards = Vec::new();
    for folder in folders {
        let record = Record::read(folder)?
            .ok_or_else(|| Trouble::Mismatch(format!("{} holds no record of a hunt", folder.display())))?;
        shards.push((folder, record));
    }
    let Some((_, first)) = shards.first() else { return Err(Trouble::Mismatch("there is nothing to merge".into())) };
    let (subject, of) = (first.head.subject().clone(), first.head.shard.of);
    for (folder, record) in &shards {
        if *record.head.subject() != subject || record.head.shard.of != of {
            return Err(Trouble::Mismatch(format!(
                "{} and {} are of different hunts; merge the shards of one",
                folders[0].display(),
                folder.display()
            )));
        }
    }
    for index in 1..=of {
        let those = shards.iter().filter(|(_, record)| record.head.shard == Shard { index, of });
        match those.count() {
            1 => {}
            0 => return Err(Trouble::Mismatch(format!("shard {index}/{of} is missing"))),
            _ => return Err(Trouble::Mismatch(format!("shard {index}/{of} is there more than once"))),
        }
    }
    if Record::read(to)?.is_some_and(|there| there.head.subject() != &subject || there.head.shard != Shard::WHOLE) {
        return Err(Trouble::Mismatch(format!("{} holds another hunt; choose another folder", to.display())));
    }
    shards.sort_by_key(|(_, record)| record.head.shard.index);
    join(&shards, to)
}

fn join(shards: &[(&PathBuf, Record)], to: &Path) -> Result<Merged, Trouble> {
    let mut record = Record::new(to, shards[0].1.head.whole());
    let mut tally = Tally::default();
    for at in 0.. {
        let parts: Vec<_> = shards.iter().filter_map(|(_, record)| record.blocks.get(at)).collect();
        if parts.len() < shards.len() || parts.iter().any(|part| part.numbers != parts[0].numbers) {
            break;
        }
        let mut block = parts[0].clone();
        parts[1..].iter().for_each(|part| block.join(part));
        tally.add(&mut block);
        record.blocks.push(block);
    }
    let done = record.blocks.len();
    let left_over = shards.iter().flat_map(|(_, r)| &r.blocks[done.min(r.blocks.len())..]).map(|b| b.runs).sum();
    record.write()?;
    let scenario = record.head.scenario().to_owned();
    let mut findings = BTreeMap::new();
    let mut firsts: BTreeMap<String, (u64, &Path)> = BTreeMap::new();
    for (folder, record) in shards {
        let recorded = record.blocks.iter().flat_map(|block| &block.violated);
        let recorded = recorded.map(|(name, violated)| (name.clone(), violated.first));
        // And what was found in blocks that were not finished.
        let beside = kept(folder, &scenario).into_iter().map(|(name, finding)| (name, finding.run));
        for (name, run) in recorded.chain(beside) {
            let first = firsts.entry(name).or_insert((run, folder));
            if run < first.0 {
                *first = (run, folder);
            }
        }
    }
    for (property, (_, folder)) in firsts {
        let (found, small) = files(folder, &scenario, &property);
        let (to_found, to_small) = files(to, &scenario, &property);
        copy(&found, &to_found)?;
        if small.exists() {
            // A finding need not have been made small.
            copy(&small, &to_small)?;
        }
        findings.insert(property, to_found);
    }
    Ok(Merged { scenario, folder: to.to_owned(), tally, left_over, findings })
}
